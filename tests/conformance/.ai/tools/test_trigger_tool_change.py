"""Adds a tool to the project, or takes it away."""

from pathlib import Path


def main(project_path: str):
    tool = Path(project_path) / ".ai/tools/added.py"
    if tool.exists():
        tool.unlink()
    else:
        tool.write_text('"""Was added."""\n\n\ndef main():\n    return "added"\n')
    return "changed"
