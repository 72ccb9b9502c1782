"""`scripts/bench catalog`: ten thousand tools, cold and warm, against CPython's own parser."""

import ast
import os
import re
import shutil
import statistics
import sys
import tempfile
import time

import measure

TOOLS = 10_000
TEXT = '''"""Tool number {n}: fetches a page and counts what it finds there."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

__version__ = "1.{n}.0"
__tool_type__ = "python"
__executor_id__ = "python_runtime"
__category__ = "group{group}"

CONFIG = {{
    "timeout": 30,
    "env": {{"PYTHONUNBUFFERED": "1", "LEVEL": "info"}},
    "args": ["--quiet", "--number", "{n}"],
}}

PATTERN = re.compile(r"[a-z]+{n}")


def load(path: Path) -> dict:
    """Reads a document."""
    with path.open() as file:
        return json.load(file)


def matches(text: str, limit: int = 10) -> list[str]:
    found = []
    for line in text.splitlines():
        if PATTERN.search(line):
            found.append(line.strip())
        if len(found) >= limit:
            break
    return found


def main(path: str, limit: int = 10, verbose: bool = False, tags: list[str] | None = None) -> dict:
    """Counts what matches.

    Args:
        path: The file to look at.
        limit: How many matches at most.
        verbose: Say more.
        tags: Only lines with one of these.
    """
    document = load(Path(path))
    result = {{"total": 0, "lines": []}}
    for key, value in document.items():
        lines = matches(str(value), limit)
        if tags and not any(tag in key for tag in tags):
            continue
        result["total"] += len(lines)
        result["lines"].extend(lines)
    if verbose:
        print(json.dumps(result), os.getcwd())
    return result
'''

# What core/extractors/python.yaml asks for.
WANTED = {
    "__version__", "__tool_type__", "__executor_id__", "__category__", "__title__", "__tool_description__", "__description__",
    "CONFIG", "ENV_CONFIG", "CONFIG_SCHEMA", "PARAMETERS", "INPUT_SCHEMA", "OUTPUT_SCHEMA", "ANNOTATIONS",
    "__requires__", "REQUIRES", "EXTENSIONS", "EXTRACTION_RULES",
}
SCRIPT = re.compile(r"^# /// script$\s(?P<content>(^#(| .*)$\s)+)^# ///$", re.MULTILINE)


KINDS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
ARGUMENT = re.compile(r"^    (\w+)(?: \(.*?\))?: (.*)$", re.MULTILINE)


def schema_of(annotation):
    """An annotation as JSON Schema."""
    if isinstance(annotation, ast.Name):
        return {"type": KINDS[annotation.id]} if annotation.id in KINDS else {}
    if isinstance(annotation, ast.Subscript) and getattr(annotation.value, "id", None) == "list":
        return {"type": "array", "items": schema_of(annotation.slice)}
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return {"anyOf": [schema_of(annotation.left), schema_of(annotation.right)]}
    if isinstance(annotation, ast.Constant) and annotation.value is None:
        return {"type": "null"}
    return {}


def signature_of(node):
    """A function's parameters as JSON Schema, described by its docstring."""
    documentation = ast.get_docstring(node) or ""
    described = dict(ARGUMENT.findall(documentation))
    properties, required = {}, []
    arguments = node.args.args
    first_default = len(arguments) - len(node.args.defaults)
    for number, argument in enumerate(arguments):
        schema = schema_of(argument.annotation) if argument.annotation else {}
        if argument.arg in described:
            schema["description"] = described[argument.arg]
        if number >= first_default:
            schema["default"] = ast.literal_eval(node.args.defaults[number - first_default])
        else:
            required.append(argument.arg)
        properties[argument.arg] = schema
    return {"type": "object", "properties": properties, "required": required}


def with_ast(paths):
    """What the catalog does, with CPython's parser: literals and where they are, docstring, signature, inline metadata."""
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        tree = ast.parse(text, path)
        found = {"docstring": ast.get_docstring(tree), "script": SCRIPT.search(text)}
        for node in tree.body:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name) and target.id in WANTED:
                        found[target.id] = (ast.literal_eval(node.value), node.value.lineno, node.value.col_offset)
            elif isinstance(node, ast.FunctionDef) and node.name == "main":
                found["input_schema"] = signature_of(node)
                found["output_schema"] = schema_of(node.returns) if node.returns else None


def main():
    toolroom = os.path.abspath(sys.argv[1])
    root = tempfile.mkdtemp(prefix="toolroom-bench-")
    try:
        project = os.path.join(root, "project")
        paths = []
        for n in range(TOOLS):
            folder = os.path.join(project, ".ai/tools", f"group{n % 100}")
            os.makedirs(folder, exist_ok=True)
            paths.append(os.path.join(folder, f"tool{n}.py"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(TEXT.format(n=n, group=n % 100))
        env = {"HOME": os.path.join(root, "home"), "PATH": os.environ["PATH"]}
        os.makedirs(env["HOME"])
        options = {"cwd": project, "env": env}
        time.sleep(0.2)

        print(f"catalog: {TOOLS} Python tools of {TEXT.count(chr(10))} lines, {os.cpu_count()} cores")
        version = measure.run([toolroom, "--version"], **options)
        measure.row("toolroom --version", version, "(at most 3 ms CPU)")
        show = measure.run([toolroom, "show", "group7/tool7", "--json"], **options)
        measure.row("show of one tool", show, "(at most 5 ms CPU)")

        cold = []
        for _ in range(5):
            shutil.rmtree(os.path.join(env["HOME"], ".cache"), ignore_errors=True)
            cold.append(measure.run_once([toolroom, "list", "--json"], **options))
        cold = measure.median(cold)
        measure.row("list, cold", cold, "(under 1 s CPU per core, under 150 MB)")
        warm = measure.run([toolroom, "list", "--json"], rounds=10, **options)
        measure.row("list, warm", warm, f"{cold.cpu / warm.cpu:.1f}x less CPU than cold (at least 10x)")
        search = measure.run([toolroom, "search", "count", "page", "--json"], rounds=5, **options)
        measure.row("search, warm", search)

        # One process, one thread, the files read and understood; less what starting and
        # finding the files costs.
        extract = os.path.join(os.path.dirname(toolroom), "examples/extract")
        tools = os.path.join(project, ".ai/tools")
        ours, python = [], []
        for _ in range(5):
            # Both have read the files before, in the same process.
            passes = [measure.run_once([extract, tools, rounds], **options).cpu for rounds in "16"]
            ours.append((passes[1] - passes[0]) / 5)
            before = measure.own_cpu()
            with_ast(paths)
            python.append(measure.own_cpu() - before)
        ratio = min(python) / min(ours)
        for name, taken in {"CPython ast": python, "our extraction": ours}.items():
            print(f"{name + ', same job, one process':<44} {statistics.median(taken) * 1000:8.2f} [{min(taken) * 1000:7.2f}] ms CPU")
        ours, python = statistics.median(ours), statistics.median(python)
        print(f"{'':<44} {python / ours:8.1f}x [{ratio:.1f}x] faster per core (at least 12x)")
        listed = cold.cpu - warm.cpu
        print(f"{'as part of list, cold less warm':<44} {listed * 1000:8.2f} ms CPU {python / listed:8.1f}x")
    finally:
        shutil.rmtree(root)


main()
