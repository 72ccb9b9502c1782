"""Greets someone by name."""


def main(name: str = "World", times: int = 1) -> dict:
    """Greets someone by name.

    Args:
        name: Who to greet.
        times: How often.
    """
    return {"greeting": " ".join([f"Hello, {name}!"] * times)}
