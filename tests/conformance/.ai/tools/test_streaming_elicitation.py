"""Tells how far it is, and then asks."""

import toolroom
from _ask import answers, ask, form


def main():
    toolroom.progress(1, 2)
    if "name" not in answers():
        return ask(name=form("What is your name?", name={"type": "string"}))
    return "done"
