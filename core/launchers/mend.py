"""Takes away what an interpreter kept of the launcher, where that cannot be read.

A disk that was full, or a limit on the size of files, may leave half of a compiled module,
which Python takes for a whole one ever after.
"""

import os
import sys

for module in [name for name in sys.modules if name.partition(".")[0] == "toolroom"]:
    del sys.modules[module]
_kept = os.path.join(os.path.dirname(os.path.abspath(__file__)), "toolroom", "__pycache__")
for _name in os.listdir(_kept) if os.path.isdir(_kept) else ():
    try:
        os.unlink(os.path.join(_kept, _name))
    except OSError:
        # What cannot be taken away is not read.
        sys.dont_write_bytecode = True
