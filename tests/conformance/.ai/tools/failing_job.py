"""Fails after a second."""

import time

CONFIG = {"task": "required"}


def main():
    time.sleep(1)
    raise RuntimeError("the job failed")
