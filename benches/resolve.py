"""`scripts/bench resolve`: starting an interpreter through Toolroom, and through its peers."""

import os
import shutil
import subprocess
import sys
import tempfile

import measure

TOOLS = os.path.abspath("target/tools")


def peers():
    """The peers that are here, by their names."""
    path = os.pathsep.join([f"{TOOLS}/uv/bin", f"{TOOLS}/mise/node_modules/.bin", os.environ["PATH"], f"{TOOLS}/bin"])
    return {name: shutil.which(name, path=path) for name in ("uv", "mise", "direnv")}


def project(root, tools):
    """A project with an environment and so many tools."""
    os.makedirs(os.path.join(root, ".ai/tools"))
    for n in range(tools):
        with open(os.path.join(root, f".ai/tools/tool{n}.py"), "w", encoding="utf-8") as file:
            file.write(f'"""Tool {n}."""\ndef main(): ...\n')
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", os.path.join(root, ".venv")], check=True)
    with open(os.path.join(root, "mise.toml"), "w", encoding="utf-8") as file:
        file.write('[env]\n_.python.venv = ".venv"\n')
    with open(os.path.join(root, ".envrc"), "w", encoding="utf-8") as file:
        file.write("PATH_add .venv/bin\n")


def versions(root, count):
    """A home with so many installed versions, and no environment."""
    home = os.path.join(root, f"home{count}")
    for n in range(count):
        folder = os.path.join(home, f".pyenv/versions/3.{n // 100}.{n % 100}/bin")
        os.makedirs(folder)
        os.symlink("/bin/true", os.path.join(folder, "python3"))
    return home


def main():
    toolroom = os.path.abspath(sys.argv[1])
    found = peers()
    root = os.path.realpath(tempfile.mkdtemp(prefix="toolroom-bench-"))
    try:
        home = os.path.join(root, "home")
        os.makedirs(home)
        small, large = os.path.join(root, "small"), os.path.join(root, "large")
        project(small, 1)
        project(large, 1000)
        env = {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin"}
        options = {"cwd": large, "env": env}
        python = os.path.join(large, ".venv/bin/python3")
        commands = {"bare .venv/bin/python3 -c pass": ([python, "-c", "pass"], options)}
        place = os.path.join(large, ".venv")
        same = dict(env, PYTHONUNBUFFERED="1", VIRTUAL_ENV=place, PATH=f"{place}/bin:{env['PATH']}")
        commands["the same, with the variables tools get"] = ([python, "-c", "pass"], {"cwd": large, "env": same})
        commands["toolroom exec, 1,000 tools"] = ([toolroom, "exec", "python", "--", "-c", "pass"], options)
        commands["toolroom exec, 1 tool"] = ([toolroom, "exec", "python", "--", "-c", "pass"], {"cwd": small, "env": env})
        if found["uv"]:
            commands["uv run --no-project"] = ([found["uv"], "run", "--no-project", "--offline", "python", "-c", "pass"], options)
        if found["mise"]:
            trusting = dict(env, MISE_TRUSTED_CONFIG_PATHS=root, MISE_OFFLINE="1")
            commands["mise x"] = ([found["mise"], "x", "--", "python", "-c", "pass"], {"cwd": large, "env": trusting})
        if found["direnv"]:
            subprocess.run([found["direnv"], "allow", large], env=env, check=True)
            commands["direnv exec"] = ([found["direnv"], "exec", large, "python", "-c", "pass"], options)

        print("resolve: starting a project's Python; medians, [best]")
        costs = measure.interleaved(commands, rounds=40)
        bare = costs["bare .venv/bin/python3 -c pass"]
        over, least = {}, {}
        for name, cost in costs.items():
            over[name], least[name] = cost.cpu - bare.cpu, cost.least - bare.least
            measure.row(name, cost, f"{measure.over(cost, bare)}, {(cost.wall - bare.wall) * 1000:+7.2f} ms wall over bare")
        ours = over["toolroom exec, 1,000 tools"]
        rivals = {name: value for name, value in over.items() if not name.startswith(("bare", "the same", "toolroom"))}
        for name in ("uv", "mise", "direnv"):
            if not found[name]:
                print(f"{name} could not be installed here")
        if rivals:
            best = min(rivals, key=rivals.get)
            ratio = rivals[best] / max(ours, 1e-6)
            least_ratio = least[best] / max(least["toolroom exec, 1,000 tools"], 1e-6)
            print(f"overhead: {ratio:.1f}x [{least_ratio:.1f}x] less than the best peer, {best} (at least 5x); ours at most 2 ms CPU")

        json = measure.run([toolroom, "env", "python", "--json"], **options)
        measure.row("toolroom env python --json", json, "(at most 4 ms CPU)")
        for count in (1, 100, 1000, 10000):
            home = versions(root, count)
            cost = measure.run([toolroom, "env", "python", "--json"], rounds=10, cwd=home, env=dict(env, HOME=home))
            measure.row(f"the same, {count} versions installed", cost)
    finally:
        shutil.rmtree(root)


main()
