"""`scripts/bench provision`: judging and making environments, against uv."""

import glob
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
MANY = 500


def many(uv, place, env):
    """An environment of five hundred distributions, as an installer would leave them: each with
    metadata, a description, a list of files, and requirements with markers and extras."""
    os.makedirs(os.path.join(place, ".ai/tools"))
    subprocess.run([uv, "venv", "-q", ".venv"], cwd=place, env=env, check=True)
    library = glob.glob(os.path.join(place, ".venv/lib/python*/site-packages"))[0]
    for number in range(MANY):
        name = f"package-{number:03}"
        needs = [other for other in (number + 1, number + 7, number + 61) if other < MANY]
        lines = [
            "Metadata-Version: 2.4", f"Name: {name}", "Version: 2.4.1", "Summary: One of many.", "Author: Somebody",
            "License-Expression: MIT", "Requires-Python: >=3.9",
            *[f"Classifier: Topic :: Number {topic}" for topic in range(20)],
            *[f"Requires-Dist: package-{other:03}>=2.0,<3" for other in needs],
            'Requires-Dist: colorama>=0.4; sys_platform == "win32"',
            'Requires-Dist: pytest>=7; extra == "test"', "Provides-Extra: test", "", "A long description.\n" * 200,
        ]
        folder = os.path.join(library, f"package_{number:03}-2.4.1.dist-info")
        os.makedirs(folder)
        texts = {
            "METADATA": "\n".join(lines), "INSTALLER": "uv", "WHEEL": "Wheel-Version: 1.0\n",
            "RECORD": "\n".join(f"package_{number:03}/{part}.py,sha256=x,100" for part in range(30)),
        }
        for file, text in texts.items():
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.write(text)
    with open(os.path.join(place, "requirements.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"package-{number:03}>=2\n" for number in range(0, MANY, 10))


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

        large = os.path.join(root, "large")
        many(uv, large, env)
        options = {"cwd": large, "env": env}
        commands = {f"toolroom setup --plan, {MANY} packages": ([toolroom, "setup", "--plan", "--json"], options)}
        subprocess.run([toolroom, "setup", "--yes"], cwd=large, env=env, check=True, **quiet)
        commands[f"toolroom setup, nothing to do, {MANY} packages"] = ([toolroom, "setup", "--json"], options)
        commands[f"uv pip install --dry-run, {MANY} packages"] = ([uv, "pip", "install", "--dry-run", "--offline", "-r", "requirements.txt"], options)
        for name, cost in measure.interleaved(commands, rounds=20).items():
            measure.row(name, cost, "(at most 40 ms CPU)" if name.startswith("toolroom") else "")

        fresh = os.path.join(root, "fresh")
        os.makedirs(os.path.join(fresh, ".ai/tools"))
        with open(os.path.join(fresh, "requirements.txt"), "w", encoding="utf-8") as file:
            file.write("six\n")
        subprocess.run([uv, "venv", "-q", "warm"], cwd=fresh, env=env, check=True)
        subprocess.run([uv, "pip", "install", "-q", "--python", "warm", "six"], cwd=fresh, env=env, check=True)
        shutil.rmtree(os.path.join(fresh, "warm"))
        ours, theirs = [], []
        for _ in range(15):
            shutil.rmtree(os.path.join(fresh, ".venv"), ignore_errors=True)
            theirs.append(measure.run_once(["sh", "-c", f"{uv} venv -q .venv && {uv} pip install -q --offline -r requirements.txt"], cwd=fresh, env=env))
            shutil.rmtree(os.path.join(fresh, ".venv"), ignore_errors=True)
            shutil.rmtree(os.path.join(home, ".local/state/toolroom"), ignore_errors=True)
            ours.append(measure.run_once([toolroom, "setup", "--yes", "--offline"], cwd=fresh, env=env))
        ours, theirs = measure.median(ours), measure.median(theirs)
        measure.row("uv venv and uv pip install, by hand", theirs)
        measure.row("toolroom setup of a new environment", ours, f"{measure.over(ours, theirs)} over uv (at most 10 ms)")
    finally:
        shutil.rmtree(root, ignore_errors=True)


main()
