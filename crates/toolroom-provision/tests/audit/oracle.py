"""What `packaging` and importlib.metadata say: python -I oracle.py PACKAGING CASES

CASES holds requirement files, separated by lines of `---`. For each, walks from the
requirements through what is installed beside this interpreter, and prints the names that
are missing and those whose version is not what somebody asks for. Like the audit, it asks
nothing of what a requirement in the file wants replaced.
"""

import json
import sys
from importlib import metadata

target, path = sys.argv[1:]
site = [entry for entry in sys.path if "site-packages" in entry]
sys.path.insert(0, target)

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

installed = {}
for found in metadata.distributions(path=site):
    installed.setdefault(canonicalize_name(found.metadata["Name"]), found)


def applies(requirement, extras):
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras)


def opinion(lines):
    missing, conflicts, seen = set(), set(), set()

    def judge(requirement):
        name = canonicalize_name(requirement.name)
        if name not in installed:
            missing.add(name)
        elif not requirement.specifier.contains(installed[name].version, prereleases=True):
            conflicts.add(name)
        return name, frozenset(requirement.extras)

    direct = [Requirement(line.strip()) for line in lines if line.strip()]
    queue = [judge(requirement) for requirement in direct if applies(requirement, [""])]
    replaced = set(conflicts)
    while queue:
        name, extras = queue.pop()
        if (name, extras) in seen or name not in installed or name in replaced:
            continue
        seen.add((name, extras))
        active = {canonicalize_name(extra) for extra in extras} | set(extras) | {""}
        for line in installed[name].requires or []:
            requirement = Requirement(line)
            if applies(requirement, active):
                queue.append(judge(requirement))
    return {"missing": sorted(missing), "conflicts": sorted(conflicts)}


with open(path) as file:
    cases = file.read().split("---\n")
print(json.dumps([opinion(case.splitlines()) for case in cases]))
