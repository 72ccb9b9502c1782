"""Asks, and knows again what it had asked."""

from _ask import answers, ask, form, state


def main():
    if "confirm" not in answers() or state() != "asked once":
        return ask("asked once", confirm=form("Please confirm", ok={"type": "boolean"}))
    return "state-ok"
