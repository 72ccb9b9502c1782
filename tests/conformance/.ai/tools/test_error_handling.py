"""Fails, always."""


def main():
    raise RuntimeError("This tool intentionally returns an error for testing")
