"""Greets."""


def main(name: str = "World"):
    return f"Hello, {name}!"
