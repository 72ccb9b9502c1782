"""Calls a Python tool as a function; started by Toolroom, see the package toolroom.

The work is in a module of its own because Python keeps the compiled form of modules
and not of scripts. It is kept even where tools shall leave none: this directory is
Toolroom's own.
"""

import sys

if __name__ == "__main__":
    here = __file__.rpartition("/")[0] or __file__.rpartition("\\")[0]
    sys.path.insert(0, here)
    if sys.version_info < (3, 6):
        import too_old
    wish, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    import toolroom

    sys.dont_write_bytecode = wish
    while here in sys.path:
        sys.path.remove(here)
    toolroom._serve()
