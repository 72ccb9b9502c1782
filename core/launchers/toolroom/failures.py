"""What a tool raised, told without the launcher's own frames."""

import os

_FOLDER = os.path.dirname(os.path.dirname(__file__)) + os.sep


class ToolError(Exception):
    """The tool's file has nothing that can be called."""


def told(error, tool_path):
    """The status to end with, and the frame that says why."""
    if isinstance(error, SystemExit):
        return _exit(error)
    status = 130 if isinstance(error, KeyboardInterrupt) else 1
    return status, {"error": _describe(error, tool_path)}


def _exit(error):
    """A tool that leaves with zero is done; any other status is a failure."""
    code = error.code
    if code is None or code == 0:
        return 0, {"result": None}
    status = code if isinstance(code, int) else 1
    message = "exited with status %d" % status if status == code else str(code)
    return status, {"error": {"type": "SystemExit", "message": message}}


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
    if kind.__module__.partition(".")[0] in ("builtins", "toolroom"):
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
        if error is None or any(error is other for other in seen):
            break
        seen.append(error)
    return seen[1:]


def _frames(error, tool_path):
    """The calls that led to the error, from the tool's own first one on."""
    found = []
    step = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if not code.co_filename.startswith((_FOLDER, "<frozen ")):
            found.append((code.co_filename, step.tb_lineno, code.co_name))
        step = step.tb_next
    own = [index for index, frame in enumerate(found) if frame[0] == tool_path]
    found = found[own[0] :] if own else ([] if isinstance(error, ToolError) else found)
    omitted = max(0, len(found) - 40)
    if omitted:
        found = found[:20] + found[-20:]
    frames = [
        {
            "file": file,
            "line": line,
            "function": function,
            "source": _line(file, line),
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


def _line(file, number):
    """A line of a file. A tool's neighbour may have the name of what reads it."""
    try:
        from linecache import getline

        return getline(file, number).strip() or None
    except Exception:
        return None
