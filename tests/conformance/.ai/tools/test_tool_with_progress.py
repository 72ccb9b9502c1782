"""Tells how far it is."""

import time

import toolroom


def main():
    for done in (0, 50, 100):
        toolroom.progress(done, 100)
        time.sleep(0.06)
    return "done"
