"""Asks the client's model."""

from _ask import answers, ask, said, sample


def main(prompt: str):
    if "answer" not in answers():
        return ask(answer=sample(prompt))
    return "LLM response: " + said(answers()["answer"])
