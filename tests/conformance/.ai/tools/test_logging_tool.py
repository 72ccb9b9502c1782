"""Says what it does while it does it."""

import time

import toolroom


def main():
    for step in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        toolroom.log("info", step)
        time.sleep(0.05)
    return "done"
