"""Asks whatever the client can be asked."""

from _ask import answers, ask, form, sample


def main():
    if not answers():
        return ask(name=form("What is your name?", name={"type": "string"}), word=sample("Say a word"))
    return "answered: " + ", ".join(answers())
