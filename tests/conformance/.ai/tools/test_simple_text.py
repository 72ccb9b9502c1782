"""Returns a text."""


def main():
    return "This is a simple text response for testing."
