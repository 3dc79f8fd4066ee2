"""The first minutes of somebody with an account on a cluster: what is the same whatever starts the program there.

No compiler, no root: four hosts, one home directory, and others who load the trunk between two of the hosts.
"""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ssh_hosts import SshHosts

LAB = """
[lab]
name = "site"
topology = "mesh"
leafs = 4
hosts_per_leaf = 1
neighbours_per_leaf = 1
scale = 0.2
[host_link]
rate = "1gbit"
queue = "10ms"
burst = "32KiB"
[trunk]
rate = "200mbit"
queue = "20ms"
burst = "16KiB"
"""
ADDRESSES = {f"h{number}": f"10.64.{number}.1" for number in range(4)}
ROOTS_FAIRLEAD = "/home/user/venv/bin/fairlead"
BIN = "/home/user/walk/bin"
PROGRAM = ("cg", "--class", "A", "--iterations", "45")
RESULTS = "walked"
_ONSET_S = 12.0
_STREAMS = ("streams", "--between", "leaf0", "leaf1", "--streams", "1", "--background")


def step(site: "SshHosts", *command: str) -> str:
    """What a command of the user's says, standard error after standard output; it must succeed."""
    done = site.as_user(*command, path=f"{BIN}:/usr/bin:/bin")
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def install(site: "SshHosts") -> None:
    """The wheel and an MPI library, in a virtual environment, where there is neither a compiler nor such a library."""
    assert site.as_user("sh", "-c", "command -v cc gcc g++ clang make mpirun; id -u").stdout == "1000\n"
    step(site, "python3", "-m", "venv", "walk")
    step(site, "pip", "install", "--quiet", "--no-index", "--find-links", "packages", "fairlead[demo]")


def look(site: "SshHosts", *doctor: str) -> None:
    """Call the doctor, by a command that prints its findings as JSON: nothing is wrong with the hosts."""
    findings = json.loads(site.as_user(*doctor, path=f"{BIN}:/usr/bin:/bin").stdout)
    errors = [each for each in findings if each["severity"] == "error"]
    assert errors == [], errors
    planes = {each["severity"] for each in findings if each["check"] == "route_plane"}
    assert planes == {"warning"}  # what only an administrator could give, and what the relay plane does not need


@contextmanager
def beside_others(site: "SshHosts") -> Iterator[None]:
    """Within, and for long enough to see the paths while they are free, others do not load the trunk; then they do."""
    others = threading.Timer(_ONSET_S, site.as_root, ["lab", "congest", site.lab, *_STREAMS])
    others.start()
    try:
        yield
    finally:
        others.cancel()
        others.join()


def assert_traffic_moved(said: str) -> None:
    """By what the run said: the program verified its result, while agents carried its messages around the trunk."""
    verdict = json.loads(next(line for line in reversed(said.splitlines()) if line.startswith("{")))
    assert verdict["verified"] is True
    assert "plane: relay, by the agents" in said, said
    assert re.search(r"h0→h1 rerouted over h[23]: |h1→h0 rerouted over h[23]: ", said), said
    relayed = re.search(r", (\d+) messages relayed", said)
    assert relayed is not None and int(relayed[1]) > 100, said


def assert_reported(site: "SshHosts") -> None:
    """The report of the results tells of the reroutes, in the terminal and on its page."""
    assert re.search(r"Traffic of \d+ host pairs? was rerouted", step(site, "fairlead", "report", RESULTS))
    page = (site.tree.home / RESULTS / "report.html").read_text()
    assert "<svg" in page and "Time line of reroutes" in page
