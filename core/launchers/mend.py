"""Takes away the compiled form of the launcher, which could not be read.

A disk that was full, or a limit on the size of files, may leave half of a compiled module,
which Python takes for a whole one ever after.
"""

import os
from _frozen_importlib_external import cache_from_source

_folder = os.path.dirname(os.path.abspath(__file__))
os.unlink(cache_from_source(os.path.join(_folder, "toolroom", "__init__.py")))
