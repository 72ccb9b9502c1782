"""Ends without an answer."""

import os

CONFIG = {"task": "optional"}


def main():
    os.abort()
