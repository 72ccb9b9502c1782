"""Runs a text as the script whose file it stands for: as __main__, to the interpreter's end."""

import os
import sys

from toolroom import _compiled


def run(request):
    path = request["tool_path"]
    # What is running still needs its own names.
    launcher = sys.modules["__main__"]
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__file__ = path
    main.__launcher__ = launcher
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
