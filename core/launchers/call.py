"""Calls a Python tool as a function; started by Toolroom, see the package toolroom.

All work is in a module, because Python keeps the compiled form of modules and not of
scripts. It is kept even where tools shall leave none: this directory is Toolroom's own.
"""

if __name__ == "__main__":
    import sys

    # The folder: what comes before "/call.py".
    sys.path.insert(0, __file__[:-8])
    wish, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        import toolroom
    except Exception:
        import mend
        import toolroom
    toolroom._serve(wish)
