"""Runs a text as the script whose file it stands for: as __main__, to the interpreter's end."""

import os
import sys

from toolroom import _compiled

# What is running still needs its own names.
_launcher = None


def run(request):
    global _launcher
    path = request["tool_path"]
    _launcher = sys.modules["__main__"]
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__file__ = path
    sys.argv = [path] + request["argv"]
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, os.path.dirname(path))
    code = _compiled(path, request["source"])
    try:
        exec(code, main.__dict__)
    except Exception as error:
        from traceback import print_exception

        print_exception(type(error), error, error.__traceback__.tb_next)
        sys.exit(1)
