"""`scripts/bench provision`: judging and making environments, against uv."""

import os
import shutil
import subprocess
import sys
import tempfile

import measure

TOOLS = os.path.abspath("target/tools")
# Together about sixty installed distributions.
PACKAGES = [
    "requests", "rich", "click", "jinja2", "pyyaml", "attrs", "pydantic", "httpx", "pytest", "black", "isort",
    "tomlkit", "jsonschema", "sqlalchemy", "flask", "celery", "typer", "tqdm", "python-dateutil", "boto3",
]
WANTED = PACKAGES[:15]


def main():
    toolroom = os.path.abspath(sys.argv[1])
    uv = f"{TOOLS}/uv/bin/uv"
    root = os.path.realpath(tempfile.mkdtemp(prefix="toolroom-bench-"))
    try:
        home, place = os.path.join(root, "home"), os.path.join(root, "project")
        os.makedirs(home)
        os.makedirs(os.path.join(place, ".ai/tools"))
        keep = {name: value for name, value in os.environ.items() if name.endswith(("_FILE", "_INDEX_URL", "_PROXY", "_proxy", "_CERT", "CONFIG_FILE"))}
        env = {**keep, "HOME": home, "PATH": f"{TOOLS}/uv/bin:/usr/local/bin:/usr/bin:/bin"}
        options = {"cwd": place, "env": env}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([uv, "venv", "-q", ".venv"], cwd=place, env=env, check=True)
        subprocess.run([uv, "pip", "install", "-q", *PACKAGES], cwd=place, env=env, check=True)
        installed = subprocess.run([uv, "pip", "freeze"], cwd=place, env=env, check=True, capture_output=True, text=True).stdout.count("\n")
        with open(os.path.join(place, "requirements.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(WANTED) + "\n")

        print(f"provision: {installed} packages installed, {len(WANTED)} required")
        commands = {
            "toolroom setup --plan": ([toolroom, "setup", "--plan", "--json"], options),
            "uv pip install --dry-run": ([uv, "pip", "install", "--dry-run", "--offline", "-r", "requirements.txt"], options),
        }
        subprocess.run([toolroom, "setup", "--yes"], cwd=place, env=env, check=True, **quiet)
        commands["toolroom setup, nothing to do"] = ([toolroom, "setup", "--json"], options)
        costs = measure.interleaved(commands, rounds=20)
        limits = {"toolroom setup --plan": "(at most 6 ms CPU)", "toolroom setup, nothing to do": "(at most 8 ms CPU)"}
        for name, cost in costs.items():
            measure.row(name, cost, limits.get(name, ""))

        fresh = os.path.join(root, "fresh")
        os.makedirs(os.path.join(fresh, ".ai/tools"))
        with open(os.path.join(fresh, "requirements.txt"), "w", encoding="utf-8") as file:
            file.write("six\n")
        subprocess.run([uv, "venv", "-q", "warm"], cwd=fresh, env=env, check=True)
        subprocess.run([uv, "pip", "install", "-q", "--python", "warm", "six"], cwd=fresh, env=env, check=True)
        shutil.rmtree(os.path.join(fresh, "warm"))
        ours, theirs = [], []
        for _ in range(5):
            shutil.rmtree(os.path.join(fresh, ".venv"), ignore_errors=True)
            theirs.append(measure.run_once(["sh", "-c", f"{uv} venv -q .venv && {uv} pip install -q --offline -r requirements.txt"], cwd=fresh, env=env))
            shutil.rmtree(os.path.join(fresh, ".venv"), ignore_errors=True)
            shutil.rmtree(os.path.join(home, ".local/state/toolroom"), ignore_errors=True)
            ours.append(measure.run_once([toolroom, "setup", "--yes", "--offline"], cwd=fresh, env=env))
        ours, theirs = measure.median(ours), measure.median(theirs)
        measure.row("uv venv and uv pip install, by hand", theirs)
        measure.row("toolroom setup of a new environment", ours, f"{(ours.cpu - theirs.cpu) * 1000:+.1f} ms CPU over uv (at most 10 ms)")
    finally:
        shutil.rmtree(root, ignore_errors=True)


main()
