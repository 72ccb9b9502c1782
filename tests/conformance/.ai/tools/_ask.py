"""What the tools here share: how a tool asks, and what it was answered."""

import json
import os


def answers():
    """What the client answered, by key; empty on a first run."""
    return json.loads(os.environ.get("TOOLROOM_INPUT_RESPONSES", "{}"))


def state():
    """What this tool noted for itself when it asked."""
    return os.environ.get("TOOLROOM_REQUEST_STATE")


def ask(state=None, **requests):
    """Ask instead of answering; the tool is run again with the answers."""
    question = {"resultType": "input_required", "inputRequests": requests}
    if state is not None:
        question["requestState"] = state
    return question


def form(message, required=True, **properties):
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(properties)
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sample(text, tokens=100):
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}}


def roots():
    return {"method": "roots/list", "params": {}}


def said(answer):
    """The text of a sampled message."""
    content = answer.get("content", {})
    return content.get("text", "") if isinstance(content, dict) else str(content)
