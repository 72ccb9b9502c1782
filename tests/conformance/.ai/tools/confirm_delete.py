"""Asks before it deletes."""

from _ask import answers, ask, form

CONFIG = {"task": "optional"}


def main(filename: str = "file"):
    if "confirm" not in answers():
        return ask(confirm=form(f"Delete {filename}?", confirm={"type": "boolean"}))
    accepted = answers()["confirm"].get("action") == "accept"
    return f"{'deleted' if accepted else 'kept'} {filename}"
