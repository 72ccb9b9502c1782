"""Asks first, and then works on its own."""

from _ask import answers, ask, form

CONFIG = {"task": "after_input"}


def main():
    content = answers().get("user_name", {}).get("content") or {}
    if "name" not in content:
        return ask(user_name=form("What is your name?", name={"type": "string"}))
    return f"Hello, {content['name']}!"
