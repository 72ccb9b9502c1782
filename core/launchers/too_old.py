"""Says that this Python cannot call tools, in words that any Python can read and write."""

import json
import os
import sys

found = ".".join(str(part) for part in sys.version_info[:3])
place = sys.executable or "python"
if isinstance(place, bytes):
    place = place.decode("utf-8", "replace")
message = "%s is Python %s, and to call a function takes Python 3.6 or newer" % (place, found)
frame = json.dumps({"error": {"type": "UnsupportedPython", "message": message, "unfit": True}})
os.write(int(os.environ.get("TOOLROOM_CHANNEL", 1)), (frame + "\n").encode("ascii"))
sys.exit(1)
