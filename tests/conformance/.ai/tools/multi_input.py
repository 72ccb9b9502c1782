"""Asks two things at once."""

from _ask import answers, ask, form

CONFIG = {"task": "optional"}


def main():
    if not {"first", "second"} <= set(answers()):
        return ask(first=form("First?", name={"type": "string"}), second=form("Second?", name={"type": "string"}))
    return "both answered"
