"""Asks the user, with a default for everything."""

import json

from _ask import answers, ask, form


def main():
    if "user" not in answers():
        fields = {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": True},
        }
        return ask(user=form("Please confirm your data", required=False, **fields))
    answer = answers()["user"]
    return f"Elicitation completed: action={answer['action']}, content={json.dumps(answer.get('content'))}"
