"""`scripts/order`: which functions a short command calls, by what valgrind sees of it."""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

# A pattern that would bring in so many bytes of other functions names its own exactly.
MOST_OTHERS = 4 << 10

HELLO = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"order","version":"1"}}}'
SESSION = [
    HELLO,
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}',
]

# What comes first lies closest together.
COMMANDS = [
    ["run", "trivial"],
    ["exec", "python", "--", "-c", "pass"],
    ["run", "add", "--a", "1"],
    ["run", "greet"],
    ["env", "python", "--json"],
    ["--version"],
    ["show", "add"],
    ["list"],
    ["list", "--json"],
    ["runs"],
    ["search", "add"],
    ["setup", "--plan"],
    ["mcp", "serve"],
]

TOOLS = {
    "trivial.py": '"""Does nothing."""\ndef main(): return {"ok": True}\n',
    "add.py": '"""Adds."""\ndef main(a: int, b: int = 2) -> int:\n    return a + b\n',
    "greet.sh": "echo hello\n",
    "ask.yaml": "tool_type: http\nexecutor_id: http_client\ndescription: Asks.\nconfig: {url: 'http://localhost/'}\n",
}


def called(toolroom, place, command):
    """The symbols that a command and the processes it copies itself into have called."""
    outputs = os.path.join(place, "calls")
    os.makedirs(outputs)
    watch = ["valgrind", "--quiet", "--tool=callgrind", "--demangle=no", "--compress-strings=no", "--dump-before=*CommandExt*exec*"]
    watch.append(f"--callgrind-out-file={outputs}/%p")
    session = "\n".join(SESSION) + "\n" if command[:2] == ["mcp", "serve"] else ""
    options = {"cwd": os.path.join(place, "project"), "env": {"HOME": place, "PATH": os.environ["PATH"]}}
    process = subprocess.Popen([*watch, toolroom, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **options)
    process.stdin.write(session)
    process.stdin.flush()
    if session:
        # The end of its input ends a server, also one that has not answered yet.
        for line in process.stdout:
            if '"id":3' in line:
                break
    process.communicate()
    found = set()
    for name in os.listdir(outputs):
        with open(os.path.join(outputs, name), encoding="utf-8", errors="replace") as file:
            found.update(line[3:].split("'")[0].strip() for line in file if line.startswith("fn="))
    shutil.rmtree(outputs)
    print(f"{len(found):6} functions: toolroom {' '.join(command)}", file=sys.stderr)
    return found


def symbols(toolroom):
    """The size of every function there is."""
    lines = subprocess.run(["nm", "-S", toolroom], check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {row[3]: int(row[1], 16) for row in rows if len(row) == 4 and row[2] in "tTwW"}


def members():
    """Which member of the C library's archive has a function."""
    archive = subprocess.run(["cc", "-print-file-name=libc.a"], check=True, capture_output=True, text=True).stdout.strip()
    lines = subprocess.run(["nm", "-A", "--defined-only", archive], check=True, capture_output=True, text=True).stdout.splitlines()
    found = {}
    for line in lines:
        where, _, rest = line.rpartition(":")
        kind, name = rest.split()[-2:]
        if kind in "tTwWi":
            found.setdefault(name, "libc.a:" + where.rsplit(":", 1)[-1])
    return found


def pattern(symbol):
    """A symbol without what another compiler, or another build, would call otherwise."""
    symbol = re.sub(r"17h[0-9a-f]{16}E", "17h*E", symbol)
    symbol = re.sub(r"Cs[0-9A-Za-z]+_", "Cs*_", symbol) if symbol.startswith("_R") else symbol
    return re.sub(r"\.llvm\.\d+$", "*", symbol)


def listed(order, sizes):
    """What stands in the list for each of these symbols."""
    whole, wanted = collections.Counter(), collections.Counter()
    for symbol, size in sizes.items():
        whole[pattern(symbol)] += size
    for symbol in order:
        wanted[pattern(symbol)] += sizes.get(symbol, 0)
    archive = members()
    for symbol in order:
        short = pattern(symbol)
        if symbol.startswith(("_R", "_Z")):
            yield symbol if whole[short] - wanted[short] > MOST_OTHERS else short
        elif symbol in archive:
            yield archive[symbol]
        elif symbol in sizes:
            yield symbol


def main():
    toolroom, target = os.path.abspath(sys.argv[1]), sys.argv[2]
    place = os.path.realpath(tempfile.mkdtemp(prefix="toolroom-order-"))
    try:
        project = os.path.join(place, "project")
        tools = os.path.join(project, ".ai/tools")
        os.makedirs(tools)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", os.path.join(project, ".venv")], check=True)
        for name, text in TOOLS.items():
            with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
                file.write(text)
        # The first call writes what the next ones find.
        subprocess.run([toolroom, "run", "trivial"], cwd=project, env={"HOME": place, "PATH": os.environ["PATH"]}, check=True, capture_output=True)
        order = {}
        for command in COMMANDS:
            order.update(dict.fromkeys(sorted(called(toolroom, place, command))))
    finally:
        shutil.rmtree(place)
    lines = list(dict.fromkeys(listed(order, symbols(toolroom))))
    with open(target, "w", encoding="utf-8") as file:
        file.write("# Functions that short commands call, in the order in which they are laid out.\n")
        file.write("# Written by scripts/order.\n")
        file.writelines(line + "\n" for line in lines)
    print(f"{len(lines):6} lines in {target}", file=sys.stderr)


main()
