"""Takes its time."""

import time

CONFIG = {"task": "optional"}


def main(seconds: float = 1, label: str = ""):
    time.sleep(seconds)
    return f"computed {label} for {seconds} s"
