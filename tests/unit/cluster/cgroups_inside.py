"""Runs as the first process inside User Mode Linux, whose cgroup v2 has the cpu controller: `fairlead.cluster.cgroups`.

Tells by case, root and a delegated group, what the kernel has of the groups that were made and what ran in them.
"""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from fairlead.cluster import cgroups
from fairlead.errors import PrivilegeError

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from inside_uml import run, tell

TREE = Path("/sys/fs/cgroup")
# Until it is throttled: on a busy machine this kernel itself gets too little time for that at first.
BUSY = """n=0
while [ $n -lt 100 ] && grep -qx "nr_throttled 0" "$0"; do
    n=$((n + 1)); i=0
    while [ $i -lt 30000 ]; do i=$((i + 1)); done
done
cat /proc/self/cgroup"""


def case() -> dict[str, Any]:
    wanted = cgroups.names(2)
    try:
        groups = cgroups.make(wanted)
    except PrivilegeError as error:
        return {"error": error.args[0]}
    groups.cap(1 / 2)
    busy = [*groups.enter(1), "sh", "-c", BUSY, str(groups.paths[1] / "cpu.stat")]
    done = subprocess.run(busy, capture_output=True, text=True, check=True)
    left = subprocess.Popen([*groups.enter(0), "sleep", "1000"])
    while not (groups.paths[0] / "cgroup.procs").read_text():
        time.sleep(0.01)
    told = {
        "where": str(groups.paths[0].parent),
        "version": groups.version,
        "ran in": Path(done.stdout.strip()).name == wanted[1],
        "weights": [(path / "cpu.weight").read_text().strip() for path in groups.paths],
        "caps": [(path / "cpu.max").read_text().strip() for path in groups.paths],
        "was throttled": "nr_throttled 0\n" not in (groups.paths[1] / "cpu.stat").read_text(),
    }
    cgroups.remove(groups.paths)
    return told | {"ended": left.wait(), "there": [path.exists() for path in cgroups.candidates(wanted)]}


def work() -> list[dict[str, Any]]:
    run("mount", "-t", "cgroup2", "none", str(TREE))
    found = [case()]  # nobody has enabled the controller yet
    (TREE / "cgroup.subtree_control").write_text("+cpu")
    found.append(case())
    shell = TREE / "user" / "shell"
    shell.mkdir(parents=True)
    (TREE / "user" / "cgroup.subtree_control").write_text("+cpu")
    (shell / "cgroup.procs").write_text("0")
    return [*found, case()]


if __name__ == "__main__":
    tell(work)
