"""Asks the user to choose, in every way there is."""

import json

from _ask import answers, ask, form

PLAIN = ["option1", "option2", "option3"]


def titled(kind):
    return [{"const": f"value{n}", "title": f"{word} {kind}"} for n, word in enumerate(("First", "Second", "Third"), 1)]


def main():
    if "user" not in answers():
        fields = {
            "untitledSingle": {"type": "string", "enum": PLAIN},
            "titledSingle": {"type": "string", "oneOf": titled("Option")},
            "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
        }
        return ask(user=form("Please choose", required=False, **fields))
    answer = answers()["user"]
    return f"Elicitation completed: action={answer['action']}, content={json.dumps(answer.get('content'))}"
