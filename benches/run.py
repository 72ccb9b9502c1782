"""`scripts/bench run`: what a call costs over the bare interpreter."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

import measure

BIG = 100_000_000
# What a call imports that imports nothing itself.
IMPORTS = "import _imp, _json, _thread, atexit, marshal, os, sys"


def project(root):
    """A project with an environment, a trivial function and a tool that prints much."""
    tools = os.path.join(root, ".ai/tools")
    os.makedirs(tools)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", os.path.join(root, ".venv")], check=True)
    with open(os.path.join(tools, "trivial.py"), "w", encoding="utf-8") as file:
        file.write('"""Does nothing."""\ndef main(): return {"ok": True}\n')
    with open(os.path.join(tools, "big.sh"), "w", encoding="utf-8") as file:
        file.write("exec cat big.txt\n")
    # In pieces: what this process holds counts as the memory of all it starts.
    piece = b"The quick brown fox jumps over the lazy dog, who lets it.\n" * 1000
    with open(os.path.join(root, "big.txt"), "wb") as file:
        for _ in range(BIG // len(piece)):
            file.write(piece)


def big(toolroom, options):
    """A hundred megabytes of text, shown and kept, against cat to a reader."""
    commands = {
        "100 MB by cat to a pipe reader": ["sh", "-c", "cat big.txt | cat > /dev/null"],
        "100 MB by cat through a pipe to a file": ["sh", "-c", "cat big.txt | cat > copy.txt"],
        "100 MB on a tool's stdout, shown": [toolroom, "run", "big"],
        "100 MB on a tool's stdout, kept in a file": [toolroom, "run", "big", "--json"],
    }
    costs = measure.interleaved({name: (command, options) for name, command in commands.items()}, rounds=8)
    bare = next(iter(costs.values()))
    for name, cost in costs.items():
        measure.row(name, cost, f"{cost.wall / bare.wall:.2f}x the time of cat (at most 1.3x), under 32 MB")


def main():
    toolroom = os.path.abspath(sys.argv[1])
    many = os.path.join(os.path.dirname(toolroom), "examples/many")
    root = os.path.realpath(tempfile.mkdtemp(prefix="toolroom-bench-"))
    try:
        home = os.path.join(root, "home")
        os.makedirs(home)
        place = os.path.join(root, "project")
        os.makedirs(place)
        project(place)
        env = {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin"}
        options = {"cwd": place, "env": env}
        python = os.path.join(place, ".venv/bin/python3")
        commands = {
            "bare python3 -c pass": ([python, "-c", "pass"], options),
            "bare python3 with the launcher's imports": ([python, "-c", IMPORTS], options),
            "bare python3 -c 'import json'": ([python, "-c", "import json"], options),
            "toolroom run trivial": ([toolroom, "run", "trivial"], options),
        }
        print("run: a trivial Python function; medians, [best]")
        costs = measure.interleaved(commands, rounds=40)
        bare = costs["bare python3 -c pass"]
        same = costs["bare python3 with the launcher's imports"]
        for name, cost in costs.items():
            measure.row(name, cost, f"{measure.over(cost, bare)}, {(cost.wall - bare.wall) * 1000:+7.2f} ms wall over bare")
        over = measure.over(costs["toolroom run trivial"], same)
        print(f"{'over the bare interpreter, same imports':<44}   {over} (at most 4 ms)")
        big(toolroom, options)

        before = set(os.listdir("/tmp"))
        answer = subprocess.run([many, toolroom, place, "trivial", "1000", "50"], env=env, check=True, capture_output=True, text=True).stdout
        found = dict(line.split() for line in answer.splitlines())
        time.sleep(0.2)
        left = [name for name in set(os.listdir("/tmp")) - before if "toolroom" in name]
        bare_seconds, our_seconds = float(found["bare_seconds"]), float(found["our_seconds"])
        print(f"1,000 calls, 50 at a time: {our_seconds:.2f} s, a bare spawn loop {bare_seconds:.2f} s: {bare_seconds / our_seconds * 100:.0f} % of its throughput (at least 90 %)")
        print(f"left behind: {found['descriptors_left']} descriptors, {found['children_left']} processes, {len(left)} temporary files (all 0)")
        bare_ms, warm_ms = float(found["bare_spawn_median_ms"]), float(found["prewarmed_median_ms"])
        print(f"prewarmed call: {warm_ms:.1f} ms at median, bare spawn {bare_ms:.1f} ms: {warm_ms / bare_ms:.2f} of it (under 0.5)")
    finally:
        shutil.rmtree(root)


main()
