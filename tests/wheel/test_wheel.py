"""What the wheel does on a Debian without MPI, compiler and privileges."""

import json
import re
from typing import TYPE_CHECKING

import pytest

from fairlead import __version__

if TYPE_CHECKING:
    from bare_tree import Tree

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]

NATIVE = "venv/lib/python3*/site-packages/fairlead/_native"


def test_the_tree_has_no_compiler_and_no_mpi_of_its_own(tree: "Tree") -> None:
    for program in ("cc", "gcc", "g++", "clang", "make", "cmake", "mpirun", "mpicc"):
        assert not [at for at in ("usr/bin", "usr/local/bin") if (tree.root / at / program).exists()], program
    libraries = list((tree.root / "usr/lib/x86_64-linux-gnu").glob("lib*"))
    assert libraries
    for name in ("libmpi", "libsodium", "libnftables"):
        assert not [each for each in libraries if each.name.startswith(f"{name}.")], name
    assert tree.output("id", "-u") == "1000\n"


def test_it_says_its_version(tree: "Tree") -> None:
    assert tree.output("fairlead", "--version") == f"fairlead, version {__version__}\n"


@pytest.mark.parametrize("program", ["agent", "guardian", "sim"])
def test_native_programs_run(tree: "Tree", program: str) -> None:
    said = tree.output("sh", "-c", f"{NATIVE}/bin/fairlead-{program} --version")
    assert __version__ in said


def test_the_guardian_tells_what_it_lacks(tree: "Tree") -> None:
    done = tree.run("sh", "-c", f"{NATIVE}/bin/fairlead-guardian --check")
    assert done.returncode == 1
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["cap_net_admin"]["ok"] is False
    assert "Operation not permitted" in checks["nftables"]["detail"]


def test_the_demos_files_can_be_had(tree: "Tree") -> None:
    assert tree.output("fairlead", "demo", "--write", "demo").split() == ["demo/demo.toml", "demo/mesh8.toml"]
    assert 'name = "mesh8"' in (tree.home / "demo/mesh8.toml").read_text()


def test_the_examples_come_with_it(tree: "Tree") -> None:
    assert "54 rows" in tree.output("fairlead", "evaluate", "plan", "evaluate/small")
    outcome = json.loads(tree.output("fairlead", "simulate", "run", "examples/simulation/mesh8.json"))
    assert outcome["managed"] is True


@pytest.fixture(scope="module")
def lab(tree: "Tree") -> str:
    """The cluster file of a lab of 8 hosts, slow enough for any machine."""
    tree.output("fairlead", "lab", "up", "examples/mesh8.toml", "--scale", "0.1")
    return "mesh8.cluster.toml"


def test_the_doctor_looks_at_a_lab(tree: "Tree", lab: str) -> None:
    done = tree.run("fairlead", "doctor", lab, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    findings = {each["check"]: each["severity"] for each in json.loads(done.stdout)}
    assert "error" not in findings.values()
    assert findings["route_plane"] == "ok"


def test_a_managed_run_over_the_relay_plane(tree: "Tree", lab: str) -> None:
    reroute = ["--plane", "relay", "--no-detection", "--reroute", "h0:h2:h4", "--reroute", "h2:h0:h4"]
    done = tree.run("fairlead", "run", lab, "-n", "8", "--results", "rerouted", *reroute, "--", "cg", "--class", "S")
    assert done.returncode == 0, done.stdout + done.stderr
    verdict = json.loads(next(line for line in reversed(done.stdout.splitlines()) if line.startswith("{")))
    assert verdict["verified"] is True
    assert "h0→h2 rerouted over h4: by hand" in done.stderr
    relayed = re.search(r", (\d+) messages relayed", done.stderr)
    assert relayed is not None and int(relayed[1]) > 100


def test_its_report(tree: "Tree", lab: str) -> None:
    said = tree.output("fairlead", "report", "rerouted")
    assert "Traffic of 2 host pairs was rerouted 2 times" in said
    page = (tree.home / "rerouted/report.html").read_text()
    assert "<svg" in page and "h4" in page


def test_a_measurement(tree: "Tree", lab: str) -> None:
    said = tree.output(
        "fairlead", "measure", lab, "mpi-latency", "--sizes", "64,1024", "--exactly", "2", "--results", "measured"
    )
    assert re.search(r"Precision: mpi-latency: \d of 2 medians", said)
    assert (tree.home / "measured/benchmarks.html").exists()


def test_the_lab_ends(tree: "Tree", lab: str) -> None:
    tree.output("fairlead", "lab", "down", "mesh8")
    assert "mesh8" not in tree.output("fairlead", "lab", "show")


def test_the_demo(tree: "Tree") -> None:
    said = tree.output("fairlead", "demo", "--results", "demonstrated", limit_s=400)
    without, rerouted = said.split("2 of 3: ")[1].split("3 of 3: ")
    for part in (without, rerouted):
        flowed = part.index("bit/s\n")
        came = part.index("cross-traffic begins on leaf0–leaf1\n")
        assert flowed < came < part.index(" is congested: ")
        assert part.count("█") > 30
    assert " rerouted over " not in without
    assert rerouted.index("cross-traffic begins") < rerouted.index(" rerouted over ") < rerouted.rindex("bit/s\n")
    assert re.search(r"with \d+ reroutes?: −?\d+\s% of the lost time recovered\n", said)
    assert said.rstrip().endswith("report: demonstrated/report.html")
    page = (tree.home / "demonstrated/report.html").read_text()
    assert "Time line of reroutes" in page and "Communication time by host pair" in page
