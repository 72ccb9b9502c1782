"""Asks three things at once."""

from _ask import answers, ask, form, roots, said, sample, state


def main():
    given = answers()
    if state() is None or not {"user_name", "greeting", "client_roots"} <= set(given):
        return ask(
            "asked for three",
            user_name=form("What is your name?", name={"type": "string"}),
            greeting=sample("Generate a greeting", 50),
            client_roots=roots(),
        )
    name = (given["user_name"].get("content") or {}).get("name")
    return f"{said(given['greeting'])} {name}, you have {len(given['client_roots'].get('roots', []))} roots"
