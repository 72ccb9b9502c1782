"""Keeps compiled tools in a folder of Toolroom's own."""

import os

# Tools come and go; what is still used is soon kept again.
_MOST = 1000


def keep(path, data):
    """Write a file in one step. That it cannot be kept is nobody's trouble."""
    folder = os.path.dirname(path)
    beside = "%s.%d" % (path, os.getpid())
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        names = os.listdir(folder)
        for name in names if len(names) >= _MOST else ():
            os.unlink(os.path.join(folder, name))
        with open(beside, "xb") as file:
            file.write(data)
        os.replace(beside, path)
    except OSError:
        try:
            os.unlink(beside)
        except OSError:
            pass
