"""The end of a call whose tool left threads, exit handlers or open files."""

import os
import sys

from toolroom import _flush

# How long, in seconds, what a tool left running may go on after its result.
_LINGER = 2.0


def end_soon(status):
    """Give what is left a bounded time: the call is over and answered."""
    from _thread import start_new_thread
    from time import sleep

    def end():
        sleep(_LINGER)
        _flush()
        os._exit(status)

    try:
        start_new_thread(end, ())
    except RuntimeError:
        pass
    if status:
        sys.exit(status)
