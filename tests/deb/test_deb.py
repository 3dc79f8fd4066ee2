"""What the Debian package does from its installation to its removal. The tests stand in the order in which they run."""

import gzip
import json
import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from ssh_hosts import ssh_hosts

from fairlead import __version__

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from bare_tree import Tree

pytestmark = [pytest.mark.deb, pytest.mark.timeout(600)]

GUARDIAN = "/usr/bin/fairlead-guardian"
OUTSIDER = ("--reuid=1000", "--regid=1000", "--clear-groups")
MEMBER = ("--reuid=1000", "--regid=1000", "--init-groups")
# What dpkg and the user database keep of what was: copies of the last state, logs, caches.
KEPT = re.compile(
    r"/var/(log|cache)/|/var/lib/dpkg/(status|available|diversions|statoverride)|/etc/(g?shadow|group|passwd)-|/run/"
)
LAB = """
[lab]
name = "deb"
topology = "star"
hosts_per_leaf = 3
[host_link]
rate = "200mbit"
queue = "20ms"
"""
ADDRESSES = {f"h{number}": f"10.64.0.{number + 1}" for number in range(3)}


def done(result: "CompletedProcess[str]") -> str:
    assert result.returncode == 0, f"{result.args}: exit code {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def inventory(tree: "Tree") -> dict[str, str]:
    """Path -> mode, owner and group of every file in the tree, and the group database."""
    listed = done(tree.as_root("find", "/", "-xdev", "-printf", r"%p\t%M %U %G %l\n"))
    entries = dict(line.split("\t", 1) for line in listed.splitlines())
    databases = {name: (tree.root / name).read_text() for name in ("etc/group", "etc/gshadow", "etc/passwd")}
    return databases | {path: state for path, state in entries.items() if not KEPT.search(path)}


@pytest.fixture(scope="module")
def before(tree: "Tree") -> dict[str, str]:
    return inventory(tree)


@pytest.fixture(scope="module", autouse=True)
def installed(tree: "Tree", before: dict[str, str]) -> None:
    assert not any("fairlead" in path for path in before if path != "/root/fairlead.deb")
    done(tree.as_root("dpkg", "--install", "/root/fairlead.deb"))


def test_it_says_its_version(tree: "Tree") -> None:
    assert tree.output("fairlead", "--version") == f"fairlead, version {__version__}\n"


def test_everybody_runs_compiled_python(tree: "Tree") -> None:
    site = tree.root / "usr/lib/fairlead/lib"
    assert list(site.glob("python3*/site-packages/fairlead/cli/__pycache__/main.*.pyc"))
    assert tree.output("/usr/lib/fairlead/bin/python3", "-c", "import sys; print(sys.prefix)") == "/usr/lib/fairlead\n"


def test_all_of_it_can_be_imported(tree: "Tree") -> None:
    names = "numpy, scipy.optimize, scipy.stats, matplotlib.pyplot, pyarrow.parquet, pymetis, otf2, pyroute2, pydantic"
    tree.output("/usr/lib/fairlead/bin/python3", "-c", f"import {names}, jinja2, rich, fairlead.cli.main")


def test_manual_and_completion(tree: "Tree") -> None:
    page = gzip.decompress((tree.root / "usr/share/man/man1/fairlead-guardian-install.1.gz").read_bytes()).decode()
    assert ".SH SYNOPSIS\n.B fairlead guardian install [OPTIONS] [CLUSTER]\n" in page
    assert (tree.root / "usr/share/man/man8/fairlead-guardian.8.gz").exists()
    loaded = "source /usr/share/bash-completion/completions/fairlead; complete -p fairlead"
    assert "fairlead" in tree.output("bash", "-c", loaded)


def test_the_group_and_no_others_may_execute_the_guardian(tree: "Tree") -> None:
    assert done(tree.as_root("stat", "-c", "%a %U %G", GUARDIAN)) == "754 root fairlead\n"
    assert done(tree.as_root("getcap", GUARDIAN)) == f"{GUARDIAN} cap_net_admin=ep\n"
    refused = tree.run("sh", "-c", f"{GUARDIAN} --check", credentials=OUTSIDER)
    assert (refused.returncode, "Permission denied" in refused.stderr) == (126, True)
    done(tree.as_root("gpasswd", "--add", "user", "fairlead"))
    said = json.loads(done(tree.run(GUARDIAN, "--check", credentials=MEMBER)))
    assert (said["ok"], said["version"], said["program"]) == (True, __version__, GUARDIAN)


def test_status_and_installing_know_the_packages_guardian(tree: "Tree") -> None:
    status = done(tree.run("fairlead", "guardian", "status", "--local", "--json", credentials=MEMBER))
    (host,) = json.loads(status)
    assert host["members"] == ["user"]
    (guardian,) = host["guardians"]
    assert (guardian["place"], guardian["version"]) == (GUARDIAN, __version__)
    assert (guardian["capable"], guardian["executable"]) == (True, True)
    install = done(tree.as_root("fairlead", "guardian", "install", "--local", "--user", "user"))
    assert install == "localhost: nothing to do\n"


def test_an_ordinary_users_lab(tree: "Tree") -> None:
    tree.output("fairlead", "demo", "--write", "here")
    tree.output("fairlead", "lab", "up", "here/mesh8.toml", "--scale", "0.1")
    findings = json.loads(tree.output("fairlead", "doctor", "mesh8.cluster.toml", "--json"))
    assert "error" not in {each["severity"] for each in findings}
    tree.output("fairlead", "lab", "down", "mesh8")


def test_a_member_reroutes_by_the_kernel(tree: "Tree") -> None:
    """The cluster file names no guardian."""
    with ssh_hosts(tree, "fairlead", "deb", LAB, ADDRESSES) as hosts:
        cluster = hosts.write_cluster("hosts.toml", "mpirun.openmpi")
        as_member = partial(hosts.as_user, groups="--init-groups")
        findings = json.loads(as_member("fairlead", "doctor", cluster, "--json").stdout)
        assert [each for each in findings if each["severity"] == "error"] == []
        planes = [each["severity"] for each in findings if each["check"] == "route_plane"]
        assert [severity for severity in planes if severity != "note"] == ["ok"]
        reroute = ["--plane", "route", "--no-detection", "--reroute", "h0:h1:h2"]
        ran = as_member(
            "fairlead", "run", cluster, "-n", "2", "--results", "rerouted", *reroute, "--", "cg", "--class", "S"
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "h0→h1 rerouted over h2: by hand" in ran.stderr
    verdict = json.loads(next(line for line in reversed(ran.stdout.splitlines()) if line.startswith("{")))
    assert verdict["verified"] is True


def test_installing_again_keeps_privilege_and_members(tree: "Tree") -> None:
    done(tree.as_root("dpkg", "--install", "/root/fairlead.deb"))
    assert json.loads(done(tree.run(GUARDIAN, "--check", credentials=MEMBER)))["ok"] is True


def test_removal_keeps_the_group_and_purging_leaves_nothing(tree: "Tree", before: dict[str, str]) -> None:
    done(tree.as_root("dpkg", "--remove", "fairlead"))
    assert not (tree.root / "usr/lib/fairlead").exists()
    assert not (tree.root / GUARDIAN[1:]).exists()
    assert "\nfairlead:" in (tree.root / "etc/group").read_text()
    done(tree.as_root("dpkg", "--purge", "fairlead"))
    done(tree.as_root("sh", "-c", "rm -rf /home/user/* /home/user/.[!.]* /root/.[!.]*cache"))
    after = inventory(tree)
    assert {path: state for path, state in after.items() if before.get(path) != state} == {}
    assert before.keys() - after.keys() == set()
