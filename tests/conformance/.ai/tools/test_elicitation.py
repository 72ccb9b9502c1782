"""Asks the user."""

import json

from _ask import answers, ask, form


def main(message: str):
    if "user" not in answers():
        text = {"type": "string"}
        return ask(user=form(message, username={**text, "description": "User's response"}, email={**text, "description": "User's email address"}))
    answer = answers()["user"]
    return f"User response: <action: {answer['action']}, content: {json.dumps(answer.get('content'))}>"
