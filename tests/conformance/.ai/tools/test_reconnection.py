"""Takes a moment, in which a connection may break."""

import time


def main():
    time.sleep(0.2)
    return "still here"
