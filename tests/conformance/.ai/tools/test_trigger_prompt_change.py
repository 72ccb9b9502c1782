"""Adds a prompt to the project, or takes it away."""

from pathlib import Path


def main(project_path: str):
    prompt = Path(project_path) / ".ai/prompts/added.md"
    if prompt.exists():
        prompt.unlink()
    else:
        prompt.write_text("This was added.\n")
    return "changed"
