"""The first minutes of somebody with an account on a cluster: from the wheel to a report of moved traffic.

No compiler, no root: four hosts by ssh, one home directory, and others who load the trunk between two of them.
"""

import json
import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from ssh_hosts import SshHosts, ssh_hosts

if TYPE_CHECKING:
    from bare_tree import Tree

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]

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
ONSET_S = 12.0
BIN = "/home/user/walk/bin"


@pytest.fixture
def site(tree: "Tree") -> Iterator[SshHosts]:
    with ssh_hosts(tree, "/home/user/venv/bin/fairlead", "site", LAB, ADDRESSES) as hosts:
        yield hosts


def test_from_the_wheel_to_a_report_of_moved_traffic(tree: "Tree", site: SshHosts) -> None:
    def step(*command: str) -> str:
        done = site.as_user(*command, path=f"{BIN}:/usr/bin:/bin")
        assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    step("python3", "-m", "venv", "walk")
    step("pip", "install", "--quiet", "--no-index", "--find-links", "packages", "fairlead[demo]")
    cluster = site.write_cluster("site.toml", f"{BIN}/mpirun")
    findings = json.loads(site.as_user("fairlead", "doctor", cluster, "--json", path=f"{BIN}:/usr/bin:/bin").stdout)
    assert [each for each in findings if each["severity"] == "error"] == []
    planes = {each["severity"] for each in findings if each["check"] == "route_plane"}
    assert planes == {"warning"}  # what only an administrator could give, and what the relay plane does not need

    streams = ["streams", "--between", "leaf0", "leaf1", "--streams", "1", "--background"]
    others = threading.Timer(ONSET_S, site.as_root, ["lab", "congest", "site", *streams])
    others.start()
    try:
        said = step("fairlead", "run", cluster, "--results", "walked", "--", "cg", "--class", "A", "--iterations", "45")
    finally:
        others.cancel()
        others.join()
    verdict = json.loads(next(line for line in reversed(said.splitlines()) if line.startswith("{")))
    assert verdict["verified"] is True
    assert "plane: relay, by the agents" in said
    assert re.search(r"h0→h1 rerouted over h[23]: ", said) or re.search(r"h1→h0 rerouted over h[23]: ", said)
    relayed = re.search(r", (\d+) messages relayed", said)
    assert relayed is not None and int(relayed[1]) > 100

    assert re.search(r"Traffic of \d+ host pairs? was rerouted", step("fairlead", "report", "walked"))
    page = (tree.home / "walked/report.html").read_text()
    assert "<svg" in page and "Time line of reroutes" in page
