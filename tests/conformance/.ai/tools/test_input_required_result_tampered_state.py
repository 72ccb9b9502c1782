"""Asks with a state nobody else can make."""

from _ask import answers, ask, form, state


def main():
    if "confirm" not in answers() or state() is None:
        return ask("sealed by the server", confirm=form("Please confirm", ok={"type": "boolean"}))
    return "state-ok"
