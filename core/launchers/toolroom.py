"""What a tool may say to Toolroom while it works, and the launcher behind it.

    import toolroom
    toolroom.progress(3, 10, "copying")
    toolroom.log("warning", "the disk is nearly full")

The launcher reads one JSON request on standard input, calls the tool's function and
writes JSON lines on a descriptor of its own: events, and at last a result or an error.
Importing json costs as much as starting Python, so its C parts are used directly where
they exist; whatever else is needed is imported when it is.
"""

import os
import sys

__all__ = ["progress", "log"]

# How long, in seconds, what a tool left running may go on after its result.
_LINGER = 2.0

_channel = None
_owner = os.getpid()
_last = None


def progress(done, total=None, message=None):
    """Tell how far the work is. What is no number is said to be none, and costs no more."""
    global _last
    from time import monotonic

    count, whole = _count(done), _count(total)
    if count is None or (whole is None and total is not None):
        log("warning", "progress(%.80r, %.80r) is left out: not a number" % (done, total))
        return
    done, total = count, whole
    message = None if message is None else str(message)
    now = monotonic()
    finished = total is not None and done >= total
    if _last and message == _last[1] and now - _last[0] < 0.05 and not finished:
        return
    _last = (now, message)
    _send({"event": "progress", "done": done, "total": total, "message": message})


def log(level, message):
    """Say something: level is debug, info, warning or error."""
    _send({"event": "log", "level": str(level), "message": str(message)})


def _count(value):
    """A number of any kind as one that JSON has."""
    try:
        number = float(value) if not isinstance(value, str) else None
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number is not None and number - number == 0 else None


# The channel ----------------------------------------------------------------------


def _open_channel():
    """Take the descriptor Toolroom passed, or else standard output itself.

    In the second case what the tool prints goes to standard error, so that nothing
    but frames is on the channel.
    """
    global _channel
    number = os.environ.pop("TOOLROOM_CHANNEL", None)
    if number is not None:
        _channel = int(number)
        os.set_inheritable(_channel, False)
    else:
        _channel = os.dup(1)
        os.dup2(2, 1)


def _send(frame):
    if _channel is not None and os.getpid() == _owner:
        _write(_encode(frame))


def _write(text):
    data = memoryview(text.encode("utf-8") + b"\n")
    with _lock:
        try:
            while data:
                data = data[os.write(_channel, data) :]
        except OSError:
            pass


from _thread import allocate_lock as _allocate_lock

_lock = _allocate_lock()


# JSON -----------------------------------------------------------------------------

try:
    from _json import encode_basestring, make_encoder, make_scanner

    class _Reading:
        strict = False
        object_hook = object_pairs_hook = None
        parse_float = float
        parse_int = int
        parse_constant = float
        memo = {}

    def _decode(text):
        return make_scanner(_Reading)(text, 0)[0]

    def _dump(value, default):
        write = make_encoder(
            {}, default, encode_basestring, None, ":", ",", False, False, False
        )
        return "".join(write(value, 0))

    _dump([1], None)
except (ImportError, TypeError):

    def _decode(text):
        import json

        return json.loads(text, strict=False)

    def _dump(value, default):
        import json

        return json.dumps(
            value,
            default=default,
            ensure_ascii=False,
            allow_nan=False,
            separators=(",", ":"),
        )


def _encode(value):
    """Write any value as JSON, by the fast way if it is ordinary."""
    try:
        text = _dump(value, lambda odd: _natural(odd, ""))
        text.encode("utf-8")
        return text
    except (ValueError, TypeError, RecursionError):
        return _dump(_plain(value, "", ()), None)


class UnsupportedResult(TypeError):
    """A result holds something that JSON has no form for."""


def _unsupported(value, path):
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__ != "builtins":
        name = kind.__module__ + "." + name
    return UnsupportedResult(
        "%s cannot be written as JSON: %s" % ("result" + path, name)
    )


def _plain(value, path, inside):
    """Build the JSON form of a value, or say which part of it has none."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return _finite(value)
    if len(inside) > 200:
        raise UnsupportedResult("result%s is nested too deeply" % path[:200])
    if id(value) in inside:
        raise UnsupportedResult("result%s contains itself" % path)
    inside = inside + (id(value),)
    if isinstance(value, dict):
        return {
            _key(key, path): _plain(item, "%s[%r]" % (path, key), inside)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [
            _plain(item, "%s[%d]" % (path, index), inside)
            for index, item in enumerate(value)
        ]
    return _plain(_natural(value, path), path, inside)


def _whole(value):
    """An integer of any size, past the interpreter's own limit on digits."""
    value = int(value)
    if value.bit_length() > 10000 and hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    return value


def _finite(value):
    """JSON has no number for these, and a name is better than a loss."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def _key(key, path):
    if isinstance(key, str):
        return _plain(key, path, ())
    if key is None or isinstance(key, (bool, int, float)):
        return _dump(_plain(key, path, ()), None).strip('"')
    natural = _natural(key, "%s (the key %r)" % (path, key))
    if isinstance(natural, (str, int, float)):
        return _key(natural, path)
    raise _unsupported(key, "%s (the key %r)" % (path, key))


def _is(value, module, name):
    """Whether a value is of a class whose module only its own use can have loaded."""
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None)
    return kind is not None and isinstance(value, kind)


def _natural(value, path):
    """The nearest thing JSON can hold."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(bytes(value))
    if isinstance(value, (set, frozenset)):
        try:
            return sorted(value)
        except TypeError:
            return list(value)
    if _is(value, "enum", "Enum"):
        return value.value
    if hasattr(type(value), "__dataclass_fields__"):
        names = type(value).__dataclass_fields__
        return {name: getattr(value, name) for name in names}
    if _is(value, "datetime", "timedelta"):
        return value.total_seconds()
    if any(_is(value, "datetime", name) for name in ("date", "time")):
        return value.isoformat()
    if _is(value, "decimal", "Decimal") or _is(value, "uuid", "UUID"):
        return str(value)
    if _is(value, "fractions", "Fraction"):
        return str(value)
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    for method in ("model_dump", "tolist", "_asdict"):
        if callable(getattr(value, method, None)) and not isinstance(value, type):
            return getattr(value, method)()
    if callable(getattr(value, "keys", None)) and hasattr(value, "__getitem__"):
        return {key: value[key] for key in value.keys()}
    if hasattr(value, "__iter__") and hasattr(value, "__len__"):
        return list(value)
    raise _unsupported(value, path)


def _bytes(value):
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        from binascii import b2a_base64

        return {"base64": b2a_base64(value, newline=False).decode("ascii")}


# The call -------------------------------------------------------------------------


class ToolError(Exception):
    """The tool's file has nothing that can be called."""


def _serve():
    _open_channel()
    request = _decode(sys.stdin.buffer.read().decode("utf-8"))
    status = 0
    try:
        text = '{"result":%s}' % _encode(_call(request))
    except SystemExit as error:
        status, text = _exit(error)
    except BaseException as error:
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
        text = _encode({"error": _describe(error, request["tool_path"])})
    if os.getpid() != _owner:
        os._exit(status)
    _write(text)
    _flush()
    _end_soon(status)
    if status:
        sys.exit(status)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            pass


def _end_soon(status):
    """Give threads and exit handlers a bounded time: the call is over and answered."""
    from _thread import start_new_thread
    from time import sleep

    def end():
        sleep(_LINGER)
        _flush()
        os._exit(status)

    try:
        start_new_thread(end, ())
    except RuntimeError:
        pass


def _call(request):
    path = request["tool_path"]
    tool = _load(path)
    names = request.get("entry") or ["main", "execute"]
    for name in names:
        function = getattr(tool, name, None)
        if callable(function):
            args, named = _arguments(name, function, request)
            return _settle(function(*args, **named))
    raise ToolError("%s defines no function %s" % (path, " or ".join(names)))


def _load(path):
    """Run the tool's file as a module that its own classes and children can find."""
    name = os.path.splitext(os.path.basename(path))[0]
    taken = getattr(sys, "stdlib_module_names", ())
    if not name.isidentifier() or name in sys.modules or name in taken:
        name = "tool_" + "".join(c if c.isalnum() else "_" for c in name)
    tool = type(sys)(name)
    tool.__file__ = path
    tool.__package__ = ""
    sys.modules[name] = tool
    sys.argv = [path]
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, os.path.dirname(path))
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    exec(code, tool.__dict__)
    return tool


def _arguments(name, function, request):
    """Fit the parameters to the function: by name, or whole as its first argument.

    What `execute` learns of the call itself comes from the call and from no parameter.
    """
    params = request.get("params") or {}
    extra = {"project_path": request.get("project_path")}
    positional, names, only_positional = _signature(function)
    is_rye = name == "execute"
    whole = is_rye or (positional[:1] == ["params"] and "params" not in params)
    if whole and positional:
        args = [params]
        if is_rye and len(positional) > 1:
            args.append(extra["project_path"])
        _build_all(function, {positional[0]: 0}, args)
        return args, {each: extra[each] for each in names[len(args) :] if each in extra}
    named = dict(params)
    _build_all(function, {each: each for each in names if each in named}, named)
    for each in names:
        if each in extra and (is_rye or each not in named):
            named[each] = extra[each]
    args = []
    for each in positional[:only_positional]:
        if each not in named:
            break
        args.append(named.pop(each))
    return args, named


def _signature(function):
    """The positional names, all names, and how many take no name at all."""
    code = getattr(function, "__code__", None)
    if code is not None and not hasattr(function, "__wrapped__"):
        count = code.co_argcount
        names = list(code.co_varnames[: count + code.co_kwonlyargcount])
        return names[:count], names, getattr(code, "co_posonlyargcount", 0)
    from inspect import signature

    found = signature(function).parameters.values()
    named = [each for each in found if each.kind in (0, 1, 3)]
    positional = [each.name for each in named if each.kind != 3]
    only = sum(each.kind == 0 for each in named)
    return positional, [each.name for each in named], only


# Values of the types a function asks for ------------------------------------------

_PLAIN = (str, int, float, bool, dict, list, object, type(None))
_PLAIN_NAMES = frozenset(kind.__name__ for kind in _PLAIN)


def _build_all(function, places, values):
    """Make arguments what their annotations ask for, where JSON has no such type."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if not hasattr(function, "__code__"):
        function = getattr(function, "__call__", function)
    try:
        hints = getattr(function, "__annotations__", None) or {}
    except Exception:
        return
    for name, place in places.items():
        hint = hints.get(name)
        if hint is None or hint in _PLAIN_NAMES:
            continue
        hint = _resolved(hint, getattr(function, "__globals__", {}))
        values[place] = _build(hint, values[place], 0)


def _resolved(hint, names):
    """An annotation that is written as text, or as a name that comes later."""
    hint = getattr(hint, "__forward_arg__", hint)
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, dict(names))
    except Exception:
        return None


def _build(kind, value, depth):
    """A value as its type, if that is one of those known here; else the value itself."""
    if kind is None or kind in _PLAIN or value is None or depth > 100:
        return value
    if isinstance(kind, type) and not hasattr(kind, "__origin__"):
        return _instance(kind, value, depth + 1)
    items = getattr(kind, "__args__", ())
    origin = getattr(kind, "__origin__", None)
    if hasattr(kind, "__metadata__"):
        return _build(origin, value, depth + 1)
    if origin is None or getattr(origin, "_name", None) == "Union":
        return _either(items, value, depth + 1) if items else value
    if not isinstance(origin, type):
        return value
    if isinstance(value, dict) and len(items) == 2:
        return {
            _build(items[0], key, depth + 1): _build(items[1], item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list) and items:
        is_fixed = origin is tuple and items[1:] != (Ellipsis,)
        each = items if is_fixed else items[:1] * len(value)
        built = [_build(hint, item, depth + 1) for hint, item in zip(each, value)]
        value = built + value[len(built) :]
    return _instance(origin, value, depth + 1)


def _either(kinds, value, depth):
    """The first of several types that a value is, or else can be made to."""
    for kind in kinds:
        if isinstance(kind, type) and not hasattr(kind, "__origin__") and type(value) is kind:
            return value
    for kind in kinds:
        try:
            built = _build(kind, value, depth)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            continue
        if built is not value:
            return built
    return value


def _instance(kind, value, depth):
    if isinstance(value, kind):
        return value
    enum = sys.modules.get("enum")
    if enum is not None and issubclass(kind, enum.Enum):
        return _member(kind, value)
    if hasattr(kind, "__dataclass_fields__") and isinstance(value, dict):
        return _record(kind, value, depth)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        if isinstance(value, dict):
            return kind(**value)
        return kind(*value) if isinstance(value, list) else value
    if kind in (set, frozenset, tuple):
        return kind(value) if isinstance(value, list) else value
    return _scalar(kind, value)


def _member(kind, value):
    members = kind.__members__
    try:
        return kind(tuple(value) if isinstance(value, list) else value)
    except ValueError:
        if isinstance(value, str) and value in members:
            return members[value]
        raise


def _record(kind, value, depth):
    names = getattr(sys.modules.get(kind.__module__), "__dict__", {})
    built = dict(value)
    for name, field in kind.__dataclass_fields__.items():
        if name in built:
            built[name] = _build(_resolved(field.type, names), built[name], depth)
    return kind(**built)


def _scalar(kind, value):
    """Types of the standard library that are written as text or a number."""
    module, name = kind.__module__.partition(".")[0], kind.__name__
    is_text = isinstance(value, str)
    if module == "pathlib" and is_text:
        return kind(value)
    if module == "datetime":
        if name == "timedelta" and isinstance(value, (int, float)):
            return kind(seconds=value)
        if name in ("datetime", "date", "time") and is_text:
            is_utc = name != "date" and value[-1:] in ("Z", "z")
            return kind.fromisoformat(value[:-1] + "+00:00" if is_utc else value)
    if (module, name) == ("uuid", "UUID") and is_text:
        return kind(value)
    if module in ("decimal", "_decimal", "_pydecimal") and name == "Decimal":
        return kind(str(value)) if isinstance(value, (str, int, float)) else value
    if (module, name) == ("fractions", "Fraction") and isinstance(value, (str, int, float)):
        return kind(str(value))
    if kind in (bytes, bytearray) and is_text:
        return kind(value.encode("utf-8"))
    return value


def _settle(value):
    """Wait for what is not finished yet: coroutines, and generators of either kind."""
    if hasattr(value, "__await__") or hasattr(value, "__anext__"):
        import asyncio

        return asyncio.run(_settle_async(value))
    if hasattr(value, "send") and hasattr(value, "gi_frame"):
        return _exhaust(value)
    return value


async def _settle_async(value):
    if hasattr(value, "__await__"):
        value = await value
    if not hasattr(value, "__anext__"):
        return value
    steps = _Steps()
    async for item in value:
        steps.take(item)
    return steps.values


def _exhaust(generator):
    steps = _Steps()
    while True:
        try:
            steps.take(next(generator))
        except StopIteration as end:
            return steps.values if end.value is None else end.value


class _Steps:
    """What a generator yields: events are told at once, other values are collected."""

    def __init__(self):
        self.items = []
        self.events = 0

    def take(self, item):
        if isinstance(item, dict) and item.get("event") in ("progress", "log"):
            self.events += 1
            if item["event"] == "log":
                log(item.get("level", "info"), item.get("message", ""))
            else:
                progress(item.get("done", 0), item.get("total"), item.get("message"))
        elif isinstance(item, dict) and set(item) <= {"progress", "total", "message"} and "progress" in item:
            self.events += 1
            progress(item["progress"], item.get("total"), item.get("message"))
        else:
            self.items.append(item)
            if isinstance(item, str):
                log("info", item)

    @property
    def values(self):
        return self.items if self.items or not self.events else None


# Failures -------------------------------------------------------------------------


def _exit(error):
    """A tool that leaves with zero is done; any other status is a failure."""
    code = error.code
    if code is None or code == 0:
        return 0, '{"result":null}'
    status = code if isinstance(code, int) else 1
    message = "exited with status %d" % status if status == code else str(code)
    return status, _encode({"error": {"type": "SystemExit", "message": message}})


def _describe(error, tool_path):
    frames, omitted = _frames(error, tool_path)
    return {
        "type": _name(error),
        "message": _message(error),
        "frames": frames,
        "omitted": omitted,
        "causes": [
            {"type": _name(cause), "message": _message(cause)}
            for cause in _causes(error)
        ],
    }


def _name(error):
    kind = type(error)
    if kind.__module__ in ("builtins", __name__):
        return kind.__qualname__
    return kind.__module__ + "." + kind.__qualname__


def _message(error):
    try:
        parts = [str(error)] + list(getattr(error, "__notes__", None) or ())
        return "\n".join(map(str, parts))[:65536]
    except Exception:
        return "(its message could not be read)"


def _causes(error):
    seen = [error]
    while len(seen) <= 10:
        hidden = error.__suppress_context__
        error = error.__cause__ or (None if hidden else error.__context__)
        if error is None or error in seen:
            break
        seen.append(error)
    return seen[1:]


def _frames(error, tool_path):
    """The calls that led to the error, from the tool's own first one on."""
    found = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename != __file__ and not code.co_filename.startswith("<frozen "):
            found.append((code.co_filename, step.tb_lineno, code.co_name))
        step = step.tb_next
    own = [index for index, frame in enumerate(found) if frame[0] == tool_path]
    found = found[own[0] :] if own else ([] if isinstance(error, ToolError) else found)
    omitted = max(0, len(found) - 40)
    if omitted:
        found = found[:20] + found[-20:]
    from linecache import getline

    frames = [
        {
            "file": file,
            "line": line,
            "function": function,
            "source": getline(file, line).strip() or None,
        }
        for file, line, function in found
    ]
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        frames.append(
            {
                "file": error.filename,
                "line": error.lineno,
                "function": None,
                "source": (error.text or "").strip() or None,
            }
        )
    return frames, omitted
