"""Needs a client that can sample."""

from _ask import answers, ask, said, sample


def main():
    if "answer" not in answers():
        return ask(answer=sample("Are you there?"))
    return said(answers()["answer"])
