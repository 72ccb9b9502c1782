"""What a tool may say to Toolroom while it works, and the launcher behind it.

    import toolroom
    toolroom.progress(3, 10, "copying")
    toolroom.log("warning", "the disk is nearly full")

The launcher reads one JSON request on standard input, calls the tool's function and
writes JSON lines on a descriptor of its own: events, and at last a result or an error.
A short call must not cost more than the interpreter's own start, so what an ordinary
call does not need is in modules that are imported when it is, and the standard library
is used as little as can be: importing json costs as much as starting Python. What must
work whatever the tool has done to its process is here: by then there may be no files.
"""

import os
import sys

if sys.version_info < (3, 6):
    import too_old
from _thread import RLock

__all__ = ["progress", "log"]

_FOLDER = os.path.dirname(__file__)

# How long, in seconds, what a tool left running may go on after its result.
_LINGER = 2.0

_channel = None
_inherited = None
_owner = os.getpid()
_last = None
_tool = None
_lock = RLock()


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


def _part(name):
    """A module of ours, whose compiled form is kept though a tool's may not be."""
    wish, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        return __import__("toolroom." + name, fromlist=[name])
    except (EOFError, ValueError, TypeError):
        _forget_kept(name)
        return __import__("toolroom." + name, fromlist=[name])
    finally:
        sys.dont_write_bytecode = wish


def _forget_kept(name):
    """Take away a compiled module that cannot be read: it was not written to its end."""
    from _frozen_importlib_external import cache_from_source

    os.unlink(cache_from_source("%s/%s.py" % (_FOLDER, name)))


# The channel ----------------------------------------------------------------------


def _open_channel():
    """Take the descriptor Toolroom passed, or else standard output itself.

    In the second case what the tool prints goes to standard error, so that nothing
    but frames is on the channel.
    """
    global _channel, _inherited
    number = os.environ.pop("TOOLROOM_CHANNEL", None)
    if number is not None:
        _channel = int(number)
        os.set_inheritable(_channel, False)
    else:
        _channel = os.dup(1)
        os.dup2(2, 1)
    _inherited = _descriptors()


def _send(frame):
    if _channel is not None and os.getpid() == _owner:
        _write(_encode(frame))


def _write(text):
    data = memoryview(text.encode("utf-8") + b"\n")
    # A signal's handler may speak in the middle of this; then the frame is still open.
    if _lock._is_owned():
        return
    with _lock:
        try:
            while data:
                data = data[os.write(_channel, data) :]
        except OSError:
            pass


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
    from toolroom.plain_json import decode as _decode, dump as _dump


def _encode(value):
    """Write any value as JSON, by the fast way if it is ordinary."""
    try:
        text = _dump(value, _natural)
        text.encode("utf-8")
        return text
    except (ValueError, TypeError, RecursionError):
        return _dump(_part("results").plain(value, "", ()), None)


def _natural(value):
    return _part("results").natural(value, "")


# The call -------------------------------------------------------------------------


def _serve(writes_none):
    """Answer the one request. The interpreter is first made what a tool finds it as."""
    sys.dont_write_bytecode = writes_none
    here = os.path.dirname(_FOLDER)
    for entry in sys.path[:2]:
        # Python writes its own entry without links, and so maybe in other words.
        if entry == here or os.path.basename(entry) == os.path.basename(here):
            sys.path.remove(entry)
    # Processes that a tool starts with its own path find this package too.
    sys.path.append(here)
    _open_channel()
    request = _decode(sys.stdin.buffer.read().decode("utf-8"))
    if "argv" in request:
        return _part("script").run(request)
    status = 0
    try:
        text = '{"result":%s}' % _encode(_call(request))
    except BaseException as error:
        status, text = _failure(error, request["tool_path"])
    if os.getpid() != _owner:
        os._exit(status)
    _write(text)
    _flush()
    if _is_idle():
        _forget()
        os._exit(status)
    _end_soon(status)
    if status:
        sys.exit(status)


def _failure(error, path):
    """The status to end with, and the frame that says why; where nothing can be imported any
    more, in the fewest words."""
    try:
        status, frame = _part("failures").told(error, path)
        return status, _encode(frame)
    except Exception:
        return 1, _encode({"error": {"type": type(error).__name__, "message": str(error)}})


def _call(request):
    path = request["tool_path"]
    tool = _load(path, request.get("source"))
    names = request.get("entry") or ["main", "execute"]
    for name in names:
        function = getattr(tool, name, None)
        if callable(function):
            args, named = _arguments(name, function, request)
            return _settle(function(*args, **named))
    raise _part("failures").ToolError("%s defines no function %s" % (path, " or ".join(names)))


def _load(path, text):
    """Run the tool's file as a module that its own classes and children can find.

    A text that is given stands for what is in the file.
    """
    global _tool
    name = os.path.splitext(os.path.basename(path))[0]
    taken = getattr(sys, "stdlib_module_names", ())
    if not name.isidentifier() or name in sys.modules or name in taken:
        name = "tool_" + "".join(c if c.isalnum() else "_" for c in name)
    _tool = tool = type(sys)(name)
    tool.__file__ = path
    tool.__package__ = ""
    sys.modules[name] = tool
    sys.argv = [path]
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, os.path.dirname(path))
    exec(_compiled(path, text), tool.__dict__)
    return tool


def _compiled(path, text):
    """The tool's code: as it was kept for exactly this text, or else compiled now.

    Python keeps compiled modules and no scripts, and its compiler takes more than a
    millisecond to wake up. Ours are kept in our own folder, never beside the tool.
    """
    if text is None:
        with open(path, "rb") as file:
            source = file.read()
    else:
        from linecache import cache

        source = text.encode("utf-8")
        cache[path] = (len(source), None, text.splitlines(True), path)
    try:
        import _imp
        import marshal
        from _frozen_importlib_external import MAGIC_NUMBER

        digest = _imp.source_hash(0, source)
        mark = MAGIC_NUMBER + digest
        name = _imp.source_hash(sys.flags.optimize, os.fsencode(path)).hex()
        kept = "%s/kept/%s.%s" % (_FOLDER, sys.implementation.cache_tag, name)
        with open(kept, "rb") as file:
            found = file.read()
        if found.startswith(mark):
            code = marshal.loads(memoryview(found)[len(mark) :])
            if code.co_filename == path:
                return code
    except FileNotFoundError:
        pass
    except Exception:
        return compile(source, path, "exec", dont_inherit=True)
    code = compile(source, path, "exec", dont_inherit=True)
    _part("keeping").keep(kept, mark + marshal.dumps(code))
    return code


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
    """What `inspected` says of a function, which a plain one's code says by itself."""
    code = getattr(function, "__code__", None)
    if code is not None and not hasattr(function, "__wrapped__"):
        count = code.co_argcount
        names = list(code.co_varnames[: count + code.co_kwonlyargcount])
        return names[:count], names, getattr(code, "co_posonlyargcount", 0)
    return _part("arguments").inspected(function)


_PLAIN = (str, int, float, bool, dict, list, object, type(None), None)
_PLAIN_NAMES = frozenset(kind.__name__ for kind in _PLAIN[:-1])


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
        # A hint may be anything, also what can be neither hashed nor compared.
        if any(hint is kind for kind in _PLAIN) or type(hint) is str and hint in _PLAIN_NAMES:
            continue
        names = getattr(function, "__globals__", {})
        values[place] = _part("arguments").build(hint, values[place], names, 0)


def _settle(value):
    """Wait for what is not finished yet: coroutines, and generators of either kind."""
    is_generator = hasattr(value, "send") and hasattr(value, "gi_frame")
    if is_generator or hasattr(value, "__await__") or hasattr(value, "__anext__"):
        return _part("steps").settled(value)
    return value


# The end --------------------------------------------------------------------------


def _flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            pass


def _is_idle():
    """Whether the tool left nothing that waits for the interpreter's own end.

    That is: no thread, no exit handler, and no open file that may hold unwritten text.
    Where all of that is known the process can end at once, which saves a tenth of its time.
    """
    try:
        from _thread import _count as threads
        from atexit import _ncallbacks as handlers

        if threads() or handlers():
            return False
        return _descriptors() == _inherited is not None
    except ImportError:
        return False


def _descriptors():
    """The numbers of the open files, where the system lists them."""
    try:
        return sorted(os.listdir("/proc/self/fd"))
    except OSError:
        return None


def _forget():
    """Let go of what the tool holds, as the interpreter would: writers are flushed by it."""
    try:
        if _tool is not None:
            _tool.__dict__.clear()
        _flush()
    except BaseException:
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
