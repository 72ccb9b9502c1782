"""Asks twice, one after the other."""

from _ask import answers, ask, form, state


def main():
    given = answers()
    if state() is None or "step1" not in given and "step2" not in given:
        return ask("round 1", step1=form("Step 1: What is your name?", name={"type": "string"}))
    if "step1" in given:
        name = (given["step1"].get("content") or {}).get("name", "")
        return ask("round 2: " + name, step2=form("Step 2: What is your favorite color?", color={"type": "string"}))
    color = (given["step2"].get("content") or {}).get("color")
    return f"{state()[9:]} likes {color}"
