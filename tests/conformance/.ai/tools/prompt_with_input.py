"""Makes a prompt from what the user says."""

from _ask import answers, ask, form


def main():
    if "user_context" not in answers():
        return ask(user_context=form("What context should the prompt use?", context={"type": "string"}))
    context = (answers()["user_context"].get("content") or {}).get("context")
    return {"messages": [{"role": "user", "content": {"type": "text", "text": f"Use this context: {context}"}}]}
