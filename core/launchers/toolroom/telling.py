"""What a tool says while it works."""

import os

import toolroom

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


def _send(frame):
    if toolroom._channel is not None and os.getpid() == toolroom._owner:
        toolroom._write(toolroom._encode(frame))
