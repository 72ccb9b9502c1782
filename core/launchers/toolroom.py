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

_channel = None
_owner = os.getpid()
_last = None


def progress(done, total=None, message=None):
    """Tell how far the work is."""
    global _last
    from time import monotonic

    now = monotonic()
    finished = total is not None and done >= total
    if _last and message == _last[1] and now - _last[0] < 0.05 and not finished:
        return
    _last = (now, message)
    _send({"event": "progress", "done": done, "total": total, "message": message})


def log(level, message):
    """Say something: level is debug, info, warning or error."""
    _send({"event": "log", "level": str(level), "message": str(message)})


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
    try:
        sys.stdout.flush()
    except (OSError, ValueError, AttributeError):
        pass
    if status:
        sys.exit(status)


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
    """Fit the parameters to the function: by name, or whole as its first argument."""
    params = request.get("params") or {}
    extra = {"project_path": request.get("project_path")}
    positional, names, only_positional = _signature(function)
    whole = name == "execute" or positional[:1] == ["params"]
    if whole and positional and positional[0] not in params:
        args = [params]
        if name == "execute" and len(positional) > 1:
            args.append(extra["project_path"])
        return args, {each: extra[each] for each in names[len(args) :] if each in extra}
    named = dict(params)
    for each in names:
        if each in extra and each not in named:
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
