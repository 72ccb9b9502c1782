"""Asks the client's model for a capital."""

from _ask import answers, ask, said, sample


def main():
    if "capital_question" not in answers():
        return ask(capital_question=sample("What is the capital of France?"))
    return said(answers()["capital_question"])
