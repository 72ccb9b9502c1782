"""Asks for the client's folders."""

from _ask import answers, ask, roots


def main():
    if "client_roots" not in answers():
        return ask(client_roots=roots())
    return "roots: " + ", ".join(root["uri"] for root in answers()["client_roots"].get("roots", []))
