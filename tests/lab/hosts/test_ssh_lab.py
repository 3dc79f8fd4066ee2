"""The ssh executor against real sshds inside lab hosts, which share neither home directories nor /tmp."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import managed_runs
import pytest
from bench.faults.ssh_hosts import BRIDGE

from fairlead import __version__, native, programs
from fairlead import lab as labs
from fairlead.cluster.cluster_file import load_cluster, parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.doctor.examine import examine
from fairlead.cluster.doctor.findings import Severity
from fairlead.cluster.executors import executor_of, ssh
from fairlead.cluster.guardian.install import install, plan_installation
from fairlead.cluster.jobs.launch import prepare, run, start
from fairlead.cluster.remote.deploy import deploy
from fairlead.cluster.remote.execute import attempt, on_all, run_on
from fairlead.errors import HostError
from fairlead.manage.clean import clean
from fairlead.programs import own_files

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.skipif(os.geteuid() != 0, reason="sshd in a lab host logs in as root"),
    pytest.mark.skipif(shutil.which("sshd", path="/usr/sbin") is None, reason="openssh-server is not installed"),
]
SOURCE = Path(__file__).parents[2] / "mpi" / "launch" / "sources" / "ring.c"
PORT = 2222
LIMIT_S = 40.0

SSHD = """
Port {port}
ListenAddress {address}
HostKey {keys}/host
AuthorizedKeysFile /run/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
"""
CLUSTER = """
[cluster]
name = "over-ssh"
executor = "ssh"
interface = "eth0"
mpirun = "mpirun.openmpi"

[ssh]
user = "root"
port = {port}
identity = "user"
config = "/dev/null"
shared_files = false
options = [
  "UserKnownHostsFile={keys}/known_hosts",
  "StrictHostKeyChecking=yes",
  "LogLevel=ERROR",
  "ProxyCommand={proxy} %h %p",
]
"""
# Home directories of their own; a guardian with its privilege, as route-plane.md says; an ordinary user ann, also where
# the machine has a user of that name (sshd admits nobody whom /etc/shadow locks).
PRIVATE = """
set -e
mount -t tmpfs home /root && mount -t tmpfs run /run && mkdir /run/sshd /run/ann
chown 1234:1234 /run/ann
sed '/^ann:/d' /etc/passwd >/run/passwd && echo 'ann:*:1234:1234::/run/ann:/bin/sh' >>/run/passwd
mount --bind /run/passwd /etc/passwd
sed '/^ann:/d' /etc/shadow >/run/shadow && chmod 0640 /run/shadow && mount --bind /run/shadow /etc/shadow
install -m 0644 {keys}/user.pub /run/authorized_keys
install -m 0755 {guardian} /run/fairlead-guardian && setcap cap_net_admin+ep /run/fairlead-guardian
"""
HOST = '\n[[hosts]]\nname = "{name}"\naddress = "{address}"\nreach = "{address}"\n'


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[labs.Lab]:
    with managed_runs.star("ssh", tmp_path_factory.getbasetemp()) as lab:
        yield lab


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("keys")
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name], check=True)
    (directory / "known_hosts").write_text(f"* {(directory / 'host.pub').read_text()}")
    return directory


@pytest.fixture(scope="module")
def cluster(text: str, keys: Path) -> Cluster:
    return parse_cluster(text, directory=keys)


@pytest.fixture(scope="module")
def text(lab: labs.Lab, keys: Path, monkeypatch_module: pytest.MonkeyPatch) -> Iterator[str]:
    """The cluster file, while sshd runs on every host."""
    relay = keys / "relay.py"
    relay.write_text(BRIDGE)
    proxy = shlex.join([*lab.enter_command("h0", ["python3", str(relay)])])
    text = CLUSTER.format(port=PORT, keys=keys, proxy=proxy)
    with ExitStack() as stack:
        for host in lab.plan.hosts:
            text += HOST.format(name=host.name, address=host.address)
            start_sshd(stack, lab, keys, host.name, host.address)
        yield text


@pytest.fixture(scope="module")
def monkeypatch_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    """A cache whose path is short enough for ssh's sockets; its connections are closed at the end."""
    cache = Path(f"/tmp/fl-ssh-{os.getpid()}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        yield patch
    for path in (cache / "fairlead" / "ssh").glob("*"):
        subprocess.run(
            ["ssh", "-F", "/dev/null", "-o", f"ControlPath={path}", "-O", "exit", "x"], capture_output=True, check=False
        )
    shutil.rmtree(cache, ignore_errors=True)


def start_sshd(stack: ExitStack, lab: labs.Lab, keys: Path, name: str, address: str) -> None:
    """An sshd on a host that gets files of its own (`PRIVATE`)."""
    config = keys / f"sshd_config.{name}"
    config.write_text(SSHD.format(port=PORT, address=address, keys=keys))
    private = PRIVATE.format(keys=keys, guardian=native.program("fairlead-guardian"))
    subprocess.run(lab.enter_command(name, ["sh", "-c", private]), check=True)
    server = subprocess.Popen(
        lab.enter_command(name, ["/usr/sbin/sshd", "-D", "-e", "-f", str(config)]), stderr=subprocess.DEVNULL
    )
    stack.callback(server.wait)
    stack.callback(server.terminate)
    deadline_s = time.monotonic() + LIMIT_S
    probe = f"import socket; socket.create_connection(('{address}', {PORT})).close()"
    while subprocess.run(
        lab.enter_command(name, ["python3", "-c", probe]), capture_output=True, check=False
    ).returncode:
        assert time.monotonic() < deadline_s, f"sshd of {name} did not come up"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def program(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Path of the test's MPI program on all hosts, to which it was brought by `deploy`."""
    path = tmp_path_factory.mktemp("build") / "ring"
    subprocess.run(["mpicc.openmpi", "-o", path, SOURCE], check=True)
    executor = executor_of(cluster)
    placed = {deploy(executor, host.name, {"ring": path})["ring"] for host in cluster.hosts}
    assert len(placed) == 1
    return placed.pop()


def test_commands_run_there_with_their_words_and_streams(cluster: Cluster) -> None:
    executor = executor_of(cluster)
    names = on_all([host.name for host in cluster.hosts], lambda host: run_on(executor, host, ["hostname"]).strip())
    assert names == {"h0": "h0", "h1": "h1", "h2": "h2"}
    assert run_on(executor, "h1", ["printf", "%s|", "a b", "$HOME", "'"]) == "a b|$HOME|'|"
    assert run_on(executor, "h1", ["sh", "-c", 'echo "$X"; cat'], env={"X": "1 2"}, stdin=b"in") == "1 2\nin"
    assert attempt(executor, "h1", ["sh", "-c", "exit 7"]).returncode == 7


@pytest.fixture
def own_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """No riding on a connection that another test opened: the sockets' paths would be too long."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/" + "x" * 90)


def test_a_wrong_key_is_told(cluster: Cluster, tmp_path: Path, own_connections: None) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other"], check=True)
    stranger = replace(cluster, ssh=replace(cluster.ssh, identity=tmp_path / "other"))
    with pytest.raises(HostError, match=r"h1: ssh could not reach the host: .*Permission denied \(publickey"):
        attempt(executor_of(stranger), "h1", ["true"])


def test_a_host_that_is_not_there(cluster: Cluster) -> None:
    lost = replace(cluster, hosts=tuple(replace(host, reach="10.64.0.99") for host in cluster.hosts))
    with pytest.raises(
        HostError, match=r"h1: ssh could not reach the host: .*\n  `ssh .* true` must work without a password"
    ):
        attempt(executor_of(lost), "h1", ["true"])


def test_agent_and_guardian_are_brought_once_and_checked(cluster: Cluster) -> None:
    executor = executor_of(cluster)
    files = {name: native.program(name) for name in ("fairlead-agent", "fairlead-guardian")}
    placed = deploy(executor, "h2", files)
    assert placed["fairlead-agent"].startswith("/root/.cache/fairlead/")
    assert not Path(placed["fairlead-agent"]).exists()  # it is not a shared file system
    assert __version__ in run_on(executor, "h2", [placed["fairlead-agent"], "--version"]).split()
    stat = ["stat", "-c", "%i %Z", placed["fairlead-agent"]]
    before = run_on(executor, "h2", stat)
    assert deploy(executor, "h2", files) == placed
    assert run_on(executor, "h2", stat) == before
    run_on(executor, "h2", ["sh", "-c", 'echo damage >>"$0"', placed["fairlead-guardian"]])
    assert deploy(executor, "h2", files) == placed
    sums = run_on(
        executor, "h2", ["sh", "-c", 'cd "$(dirname "$0")" && sha256sum -c SHA256SUMS', placed["fairlead-agent"]]
    )
    assert sums == "fairlead-agent: OK\nfairlead-guardian: OK\n"


def test_mpi_over_ssh(cluster: Cluster, program: str, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("hello\n")
    launcher, job = prepare(cluster, [program, "exit", "7"], 3, job_id=os.urandom(4).hex(), env={"GREETING": "a 'b'"})
    assert launcher.name == "openmpi4"
    with (tmp_path / "in").open() as source, (tmp_path / "out").open("w") as out:
        assert run(cluster, launcher, job, stdin=source.fileno(), stdout=out.fileno(), timeout_s=LIMIT_S) == 7
    lines = (tmp_path / "out").read_text().splitlines()
    assert lines == ["sum 3", "rank 0 on h0", "rank 1 on h1", "rank 2 on h2", "greeting a 'b'", "stdin hello"]
    assert run_on(executor_of(cluster), "h0", ["ls", "/root/.cache/fairlead/run"]) == ""  # no note of mpirun is left


def test_a_bundled_program_is_brought_to_the_hosts(cluster: Cluster, tmp_path: Path) -> None:
    launcher, job = prepare(cluster, ["cg", "--class", "S"], 2, job_id=os.urandom(4).hex())
    job = programs.brought(cluster, job, launcher.family)
    assert job.argv[0].startswith("/root/.cache/fairlead/")
    assert job.argv[0].endswith("/cg")
    with (tmp_path / "out").open("w+b") as out:
        assert run(cluster, launcher, job, stdout=out.fileno(), timeout_s=LIMIT_S) == 0
        out.seek(0)
        assert programs.verdict(out.read()).verified is True


def test_a_program_of_ones_own_is_brought_once_and_removed_by_clean(cluster: Cluster, tmp_path: Path) -> None:
    """Each host gets it; a second time nothing is copied."""
    own = tmp_path / "ring"
    subprocess.run(["mpicc.openmpi", "-o", own, SOURCE], check=True)
    launcher, job = prepare(cluster, [str(own), "exit", "7"], 3, job_id=os.urandom(4).hex())
    told: list[str] = []
    ready = own_files.with_brought(cluster, job, [own], job.hosts, told.append)
    assert told == [f"copied {own} to h0, h1, h2"]
    assert ready.argv[0].startswith("/root/.cache/fairlead/brought/")
    assert ready.argv[1:] == ("exit", "7")
    mode = ["stat", "-c", "%a", ready.argv[0], str(Path(ready.argv[0]).parent)]
    assert run_on(executor_of(cluster), "h1", mode).split() == ["500", "700"]
    assert own_files.with_brought(cluster, job, [own], job.hosts, told.append) == ready
    assert len(told) == 1
    with (tmp_path / "out").open("w") as out:
        code = run(cluster, launcher, ready, stdin=subprocess.DEVNULL, stdout=out.fileno(), timeout_s=LIMIT_S)
    assert code == 7
    assert [each for each in clean([cluster]).removed if each.what["kind"] == "brought"] == [], "brought just now"
    for host in job.hosts:
        run_on(executor_of(cluster), host, ["touch", "-d", "@0", str(Path(ready.argv[0]).parent)])
    copies = {(each.host, each.what["path"]) for each in clean([cluster]).removed if each.what["kind"] == "brought"}
    assert copies == {(host, ready.argv[0]) for host in ("h0", "h1", "h2")}
    assert run_on(executor_of(cluster), "h1", ["ls", "/root/.cache/fairlead/brought"]) == ""


def test_signals_reach_mpirun_behind_ssh(cluster: Cluster, program: str) -> None:
    launcher, job = prepare(cluster, [program, "wait"], 3, job_id=os.urandom(4).hex())
    running = start(
        cluster, launcher, job, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline_s = time.monotonic() + LIMIT_S
        while sum(len(pids) for pids in running.ranks().values()) < 3:
            assert time.monotonic() < deadline_s, "the ranks never started"
            time.sleep(0.2)
        running.signal(signal.SIGTERM)
        running.process.wait(LIMIT_S)
    finally:
        running.stop()
        running.forget()
    assert running.ranks() == {"h0": [], "h1": [], "h2": []}


def test_doctor_over_ssh(cluster: Cluster) -> None:
    findings = examine(cluster)
    assert [item for item in findings if item.severity is Severity.ERROR] == []
    said = {item.check: item.text for item in findings if item.severity is Severity.OK}
    assert said["reachable"] == "reached by executor ssh"
    assert said["agent"] == f"fairlead-agent {__version__} runs"
    assert said["paths"] == "all 6 directed paths work, TCP and UDP"


def test_doctor_tells_of_a_host_that_is_not_there(keys: Path, tmp_path: Path, own_connections: None) -> None:
    path = tmp_path / "lost.toml"
    text = CLUSTER.format(port=PORT, keys=keys, proxy="false").replace('"user"', f'"{keys}/user"')
    path.write_text(text + HOST.format(name="h1", address="10.64.0.2"))
    command = [sys.executable, "-c", "from fairlead.cli.main import main; main()", "doctor", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (found,) = [item for item in json.loads(done.stdout) if item["check"] == "reachable"]
    assert (found["severity"], found["hosts"]) == ("error", ["h1"])
    assert found["text"].startswith("ssh could not reach the host: ")


def of_ann(text: str, keys: Path, guardian: str = "") -> Path:
    """The cluster file of the ordinary user ann, who has no privilege but what a guardian has."""
    path = keys / "ann.toml"
    path.write_text(text.replace('user = "root"', 'user = "ann"').replace("[ssh]", f"{guardian}\n[ssh]", 1))
    return path


INSTALLED = 'guardian = "/run/fairlead-guardian"'
BY_A_COMMAND = 'guardian = ["env", "/run/fairlead-guardian", "--user", "1234"]'
WHERE_TO = ["--own-mpirun", "--no-detection", "--reroute", "h0:h1:h2"]


def test_an_ordinary_user_reroutes_his_traffic_by_an_installed_guardian(
    lab: labs.Lab, text: str, keys: Path, tmp_path: Path
) -> None:
    destination = lab.plan.host_by_name["h1"].address
    ask = ["sh", "-c", f"id -un; ip route get {destination}; exec sleep 60"]
    with managed_runs.run(of_ann(text, keys, INSTALLED), *WHERE_TO, program=ask, results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        assert managed_runs.rerouted_routes(lab, "h0")
        managed_runs.wait_for(lambda: len(command.output) >= 2, "the program's word on its route")
        (guardian,) = managed_runs.processes(lab, "h1", "fairlead-guardian")
        before = managed_runs.overlay(lab, "h1")
        os.kill(guardian, signal.SIGKILL)
        command.wait_to_hear("h0→h1 back on its direct path")
        # Soon there is the overlay of a new guardian.
        managed_runs.wait_for(lambda: managed_runs.overlay(lab, "h1") != before, "the clean-up by ssh", 10)
        command.process.send_signal(signal.SIGTERM)
        command.end()
    assert command.output[0] == "ann\n"
    assert f"via {lab.plan.host_by_name['h2'].address} dev fl-" in command.output[1]
    assert not any(managed_runs.kernel_state(lab, host) for host in ("h0", "h1", "h2"))
    hosts = command.record()[0].facts["hosts"]
    assert {name: int(facts["cpus"]) for name, facts in hosts.items()} == dict.fromkeys(hosts, os.cpu_count())
    assert set(hosts) == {"h0", "h1", "h2"}


# Its own copy, without the capability: here it is sudo that gives the privilege, as route-plane.md says.
SUDO = """
mount -t tmpfs -o mode=755 sudoers /etc/sudoers.d && install -m 0755 {guardian} /run/by-sudo
cat >/etc/sudoers.d/fairlead <<'END'
ann ALL=(root) NOPASSWD: /run/by-sudo --user 1234, /run/by-sudo --check, /run/by-sudo --clean, /run/by-sudo --clean *
END
chmod 0440 /etc/sudoers.d/fairlead
"""
BY_SUDO = 'guardian = ["sudo", "-n", "/run/by-sudo", "--user", "1234"]'
NEEDS_SUDO = pytest.mark.skipif(shutil.which("sudo") is None, reason="sudo is not installed; `make verify` installs it")


@pytest.fixture
def by_sudo(lab: labs.Lab, text: str, keys: Path) -> Iterator[Path]:
    """Ann's cluster file, while the hosts have a sudo rule for her."""
    in_hosts(lab, SUDO.format(guardian=native.program("fairlead-guardian")))
    yield of_ann(text, keys, BY_SUDO)
    in_hosts(lab, "umount /etc/sudoers.d && rm /run/by-sudo")


@pytest.mark.slow
@NEEDS_SUDO
def test_an_ordinary_user_reroutes_his_traffic_by_sudo(lab: labs.Lab, by_sudo: Path, tmp_path: Path) -> None:
    path = by_sudo
    said = [item for item in examine(load_cluster(path)) if item.check == "route_plane"]
    assert [(item.severity, item.hosts) for item in said if item.severity is not Severity.NOTE] == [
        (Severity.OK, ("h0", "h1", "h2"))
    ], said
    destination = lab.plan.host_by_name["h1"].address
    ask = ["sh", "-c", f"id -un; sleep 2; ip route get {destination}"]
    with managed_runs.run(path, *WHERE_TO, program=ask, results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        assert command.end() == 0, command.text()
    assert command.output[0] == "ann\n"
    assert f"via {lab.plan.host_by_name['h2'].address} dev fl-" in command.output[1]
    assert not any(managed_runs.kernel_state(lab, host) for host in ("h0", "h1", "h2"))
    for dry_run in (True, False):
        cleaned = clean([load_cluster(path)], dry_run=dry_run)
        assert (cleaned.unreachable, cleaned.removed) == ({}, [])


def stop_guardian(lab: labs.Lab, host: str) -> int:
    """Of one that sudo started; returns once it has stopped."""
    (pid,) = managed_runs.processes(lab, host, "by-sudo")
    os.kill(pid, signal.SIGSTOP)
    stat = Path(f"/proc/{pid}/stat")
    managed_runs.wait_for(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", "its stop", 5)
    return pid


NOT_KILLED = "could not be killed: its routes may remain until it goes on or is killed as root"


@pytest.mark.slow
@NEEDS_SUDO
@pytest.mark.parametrize("moment", ["at-the-end", "while-rerouted"])
def test_a_stopped_guardian_that_is_roots_is_removed_all_the_same(
    lab: labs.Lab, by_sudo: Path, tmp_path: Path, moment: str
) -> None:
    """Its agent, an ordinary user's, cannot kill it: what it kills is sudo."""
    with managed_runs.run(by_sudo, *WHERE_TO, program=["sleep", "60"], results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        stop_guardian(lab, "h0")
        if moment == "while-rerouted":
            command.wait_to_hear(f"h0 can no longer reroute traffic: the guardian does not answer, and {NOT_KILLED}")
            managed_runs.wait_for(lambda: not managed_runs.kernel_state(lab, "h0"), "the end of all it made", 10)
        command.process.send_signal(signal.SIGTERM)
        ended_s = managed_runs.wait_for(lambda: command.process.poll() is not None, "the end of the run", 20)
        command.end()
    print(f"ended after {ended_s:.1f} s")
    told = [line for _, line in command.told if "h0 can no longer reroute traffic: " in line]
    assert len(told) == 1
    if moment == "at-the-end":
        assert told[0].endswith(f"withdrawing routes: the guardian did not answer within 2000 ms, and {NOT_KILLED}")
    assert not command.heard("is still there")
    managed_runs.wait_for(lambda: managed_runs.nothing_left(lab), "the end of everything on the hosts", 5)
    assert managed_runs.processes(lab, "h0", "by-sudo") == []


@pytest.mark.slow
@NEEDS_SUDO
@pytest.mark.parametrize("end", ["goes-on", "is-killed", "is-still-stopped"])
def test_what_a_stopped_guardian_of_a_killed_run_made_goes(
    lab: labs.Lab, by_sudo: Path, tmp_path: Path, end: str
) -> None:
    with managed_runs.run(by_sudo, *WHERE_TO, program=["sleep", "60"], results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        guardian = stop_guardian(lab, "h0")
        command.process.kill()
        command.process.wait()
    managed_runs.wait_for(lambda: not managed_runs.processes(lab, "h0", "fairlead-agent"), "the agent's end", 10)
    assert managed_runs.rerouted_routes(lab, "h0")
    if end == "goes-on":
        os.kill(guardian, signal.SIGCONT)
    else:
        if end == "is-killed":
            os.kill(guardian, signal.SIGKILL)
        cleaned = managed_runs.once("clean", by_sudo)
        assert cleaned.returncode == 0, cleaned.stderr
        assert ("h0: removed " in cleaned.stdout) is (end == "is-killed")
    managed_runs.wait_for(lambda: managed_runs.nothing_left(lab), "the end of everything on the hosts", 5)
    assert managed_runs.processes(lab, "h0", "by-sudo") == []
    managed_runs.once("clean", by_sudo)  # of the note of the run, too
    assert managed_runs.once("clean", by_sudo).stdout == "nothing to clean\n"


def test_a_copied_guardian_has_no_privilege_and_that_is_told(text: str, keys: Path, tmp_path: Path) -> None:
    with managed_runs.run(of_ann(text, keys), *WHERE_TO, program=["true"], results=tmp_path) as command:
        assert command.end() == 1
    assert command.heard("3 of 3 hosts cannot reroute traffic (first: h0: the guardian does not hold the capability")


@pytest.mark.parametrize("guardian", [INSTALLED, BY_A_COMMAND])
def test_doctor_looks_at_the_installed_guardian(text: str, keys: Path, guardian: str) -> None:
    said = [item for item in examine(load_cluster(of_ann(text, keys, guardian))) if item.check == "route_plane"]
    assert [(item.severity, item.hosts) for item in said if item.severity is not Severity.NOTE] == [
        (Severity.OK, ("h0", "h1", "h2"))
    ]


def sessions(lab: labs.Lab, host: str) -> list[int]:
    """The ssh processes here that an agent of a host is spoken to by."""
    address = lab.plan.host_by_name[host].address
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if words[0] == "ssh" and f"root@{address}" in words and words[-2].endswith("fairlead-agent"):
            found.append(int(path.name))
    return found


@pytest.fixture
def cluster_file(text: str, keys: Path) -> Path:
    path = keys / "root.toml"
    path.write_text(text)
    return path


def test_an_agent_whose_session_fell_is_started_again(lab: labs.Lab, cluster_file: Path, tmp_path: Path) -> None:
    with managed_runs.run(cluster_file, *WHERE_TO, program=["sleep", "60"], results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        (before,) = managed_runs.processes(lab, "h0", "fairlead-agent")
        (session,) = sessions(lab, "h0")
        os.kill(session, signal.SIGKILL)
        command.wait_to_hear("the agent of h0 died")
        command.wait_to_hear("the agent of h0 is running again")
        (after,) = managed_runs.processes(lab, "h0", "fairlead-agent")
        assert after != before
        managed_runs.wait_for(lambda: managed_runs.rerouted_routes(lab, "h0"), "the manual reroute, made again", 20)
        command.process.send_signal(signal.SIGTERM)
        command.end()
    assert not any(managed_runs.kernel_state(lab, host) for host in ("h0", "h1", "h2"))


@pytest.mark.slow
def test_a_host_that_is_cut_off_for_a_while_has_its_agent_back(
    lab: labs.Lab, cluster_file: Path, tmp_path: Path
) -> None:
    """No connection is closed: the agent has its lease, and ssh here asks whether the host is there."""
    with managed_runs.run(cluster_file, *WHERE_TO, program=["sleep", "60"], results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        nft = lab.enter_command("h2", ["nft", "-f", "-"])
        chain = "add table inet cut\nadd chain inet cut incoming { type filter hook input priority 0; }\n"
        rule = f"add rule inet cut incoming tcp dport {PORT} drop\n"
        subprocess.run(nft, input=chain + rule, text=True, check=True)
        managed_runs.wait_for(lambda: not managed_runs.processes(lab, "h2", "fairlead-agent"), "the lease's end", 20)
        managed_runs.wait_for(lambda: not managed_runs.kernel_state(lab, "h2"), "the end of all it did", 5)
        command.wait_to_hear("h0→h1 back on its direct path")
        command.wait_to_hear("the agent of h2 died")
        subprocess.run(nft, input="delete table inet cut\n", text=True, check=True)
        command.wait_to_hear("the agent of h2 is running again")
        assert managed_runs.kernel_state(lab, "h2")["device"]
        command.process.send_signal(signal.SIGTERM)
        command.end()
    assert not any(managed_runs.kernel_state(lab, host) for host in ("h0", "h1", "h2"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_host_that_is_cut_off_holds_the_end_of_a_run_up_for_a_moment_only(
    lab: labs.Lab, cluster_file: Path, tmp_path: Path, number: signal.Signals
) -> None:
    program = ["nbody", "--payload", "200", "--steps", "10000000"]
    options = ["--plane", "relay", "--no-detection", "-n", "3"]
    with managed_runs.run(cluster_file, *options, program=program, results=tmp_path) as command:
        managed_runs.wait_for(lambda: managed_runs.processes(lab, "h2", "nbody"), "the ranks' start")
        nft = lab.enter_command("h2", ["nft", "-f", "-"])
        chain = "add table inet cut\nadd chain inet cut incoming { type filter hook input priority 0; policy drop; }\n"
        subprocess.run(nft, input=chain, text=True, check=True)
        begin_s = time.monotonic()
        command.process.send_signal(number)
        try:
            managed_runs.wait_for(
                lambda: not any(managed_runs.processes(lab, host, "nbody") for host in ("h0", "h1")),
                "the ranks' end",
                6,
            )
            command.end()
            taken_s = time.monotonic() - begin_s
        finally:
            subprocess.run(nft, input="delete table inet cut\n", text=True, check=True)
            for rank in managed_runs.processes(lab, "h2", "nbody"):
                os.kill(rank, signal.SIGKILL)
    managed_runs.wait_for(lambda: not managed_runs.processes(lab, "h2", "fairlead-agent"), "the lease's end", 20)
    (told,) = given_up(command.text())
    assert told.startswith("h2: ")
    for remains in ("its agent takes back what it did", "processes of the job may run on there", "/dev/shm/fairlead-r"):
        assert remains in told
    assert taken_s < 10.0, command.text()  # 5 s on a free machine


def given_up(text: str) -> list[str]:
    """What a run says of hosts that it does not wait for."""
    lines = [line.partition("fairlead: ")[2] for line in text.splitlines()]
    return [line for line in lines if "does not answer, and is not waited for any more" in line]


@pytest.mark.slow
def test_nor_does_one_whose_agent_ended_before(lab: labs.Lab, cluster_file: Path, tmp_path: Path) -> None:
    """What its guardian may have left is looked for at the end of a run, and an agent was being started there again."""
    with managed_runs.run(cluster_file, *WHERE_TO, program=["sleep", "60"], results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        nft = lab.enter_command("h2", ["nft", "-f", "-"])
        chain = "add table inet cut\nadd chain inet cut incoming { type filter hook input priority 0; }\n"
        rule = f"add rule inet cut incoming tcp dport {PORT} drop\n"
        subprocess.run(nft, input=chain + rule, text=True, check=True)
        try:
            command.wait_to_hear("the agent of h2 died")
            begin_s = time.monotonic()
            command.process.send_signal(signal.SIGTERM)
            command.end()
            taken_s = time.monotonic() - begin_s
        finally:
            subprocess.run(nft, input="delete table inet cut\n", text=True, check=True)
    (told,) = given_up(command.text())
    assert told.startswith("h2: ")
    assert "what its guardian left in the kernel stays until `fairlead clean`" in told
    assert taken_s < 10.0, command.text()
    assert not any(managed_runs.kernel_state(lab, host) for host in ("h0", "h1", "h2"))


@pytest.mark.slow
@pytest.mark.parametrize("host", ["h1", "h2"])  # where a rank is; that only relays
def test_the_relay_plane_is_there_again_after_all_connections_to_a_host_were_lost(
    lab: labs.Lab, cluster: Cluster, cluster_file: Path, tmp_path: Path, host: str
) -> None:
    """A reset of the network between. What keeps the ranks' directory there loses its connection, too."""

    def directories() -> list[str]:
        words = ["find", "/dev/shm", "-maxdepth", "1", "-name", "fairlead-relay-*"]
        enter = lab.enter_command(host, words)
        return subprocess.run(enter, capture_output=True, text=True, check=True).stdout.split()

    options = ["--plane", "relay", "--no-detection", "--reroute", "h0:h1:h2", "-n", "2"]
    program = ["nbody", "--payload", "200", "--steps", "10000000"]
    with managed_runs.run(cluster_file, *options, program=program, results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        (directory,) = directories()
        shared = [*ssh.options(cluster.ssh), *ssh.multiplexing(), "-O", "exit"]
        destination = ssh.destination(cluster.ssh, cluster.host(host).reach)
        subprocess.run(["ssh", *shared, destination], capture_output=True, check=True)
        (session,) = sessions(lab, host)
        os.kill(session, signal.SIGKILL)
        command.wait_to_hear(f"the agent of {host} died")
        command.wait_to_hear(f"the agent of {host} is running again")
        assert directories() == [directory]
        managed_runs.wait_for(lambda: len(command.events("rerouted")) == 2, "the manual reroute, made again", 20)
        command.process.send_signal(signal.SIGTERM)
        command.end()
    managed_runs.wait_for(lambda: not directories(), "the directory's end", 10)


# Accounts and a /usr/local/bin of a host's own. What the lab itself shows in /etc stays.
OWN_ACCOUNTS = """
set -e
mkdir /run/etc /run/work && cp /etc/hosts /run/hosts
mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc,workdir=/run/work /etc
cp /run/hosts /etc/hosts && cp /run/passwd /run/shadow /etc
mount -t tmpfs -o mode=755 local /usr/local/bin
"""
SHARED_ACCOUNTS = "umount -l /etc /usr/local/bin && rm -r /run/etc /run/work"
SUDOER = "echo 'ann ALL=(root) NOPASSWD: ALL' >/etc/sudoers.d/ann && chmod 0440 /etc/sudoers.d/ann"
GUARDIAN = "/usr/local/bin/fairlead-guardian"


@pytest.fixture
def own_accounts(lab: labs.Lab, text: str) -> Iterator[None]:
    in_hosts(lab, OWN_ACCOUNTS)
    yield
    in_hosts(lab, SHARED_ACCOUNTS)


def in_hosts(lab: labs.Lab, script: str, *words: str) -> list[str]:
    """What a script prints on each host."""
    lines = [lab.enter_command(host, ["sh", "-c", script, "sh", *words]) for host in ("h0", "h1", "h2")]
    return [subprocess.run(line, capture_output=True, text=True, check=True).stdout for line in lines]


def accounts(lab: labs.Lab) -> list[str]:
    return in_hosts(
        lab, "cat /etc/group /etc/gshadow; ls -lA /usr/local/bin; stat -c '%a %U %G' /etc/group /etc/gshadow"
    )


def guardian(*words: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", "from fairlead.cli.main import main; main()", "guardian", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def test_a_guardian_is_installed_used_and_removed(
    lab: labs.Lab, text: str, keys: Path, cluster_file: Path, tmp_path: Path, own_accounts: None
) -> None:
    before = accounts(lab)
    planned = guardian("install", cluster_file, "--user", "ann", "--dry-run")
    assert planned.stdout.splitlines()[:3] == [
        "h0 h1 h2: as root, with the guardian as standard input:",
        "  groupadd --system fairlead",
        "  gpasswd --add ann fairlead",
    ]
    assert accounts(lab) == before
    installed = guardian("install", cluster_file, "--user", "ann")
    assert installed.returncode == 0, installed.stderr
    assert installed.stdout.startswith(planned.stdout)
    assert installed.stdout.splitlines()[-3:] == [f"h{n}: installed; may reroute their traffic: ann" for n in range(3)]
    assert guardian("install", cluster_file, "--user", "ann").stdout == "h0 h1 h2: nothing to do\n"

    of_hers = of_ann(text, keys)
    for host in ("h0", "h1", "h2"):  # an earlier test's connection of hers is from before she joined
        subprocess.run(executor_of(load_cluster(of_hers)).log_out(host), capture_output=True, check=False)
    for host in json.loads(guardian("status", of_hers, "--json").stdout):
        (found,) = host["guardians"]
        assert (found["place"], found["version"], found["mode"]) == (GUARDIAN, __version__, "754 root fairlead")
        assert (host["members"], found["capable"], found["executable"]) == (["ann"], True, True)
    shown = guardian("status", of_hers).stdout
    assert "fairlead: ann" in shown and "yes" in shown
    # By a shell: setpriv itself executes with root's right to any file.
    stranger = f"setpriv --reuid=1235 --regid=1235 --clear-groups sh -c '{GUARDIAN} --check' 2>&1; echo $?"
    assert in_hosts(lab, stranger)[0].endswith("Permission denied\n126\n")

    said = [item for item in examine(load_cluster(of_hers)) if item.check == "route_plane"]
    assert [(item.severity, item.hosts) for item in said if item.severity is not Severity.NOTE] == [
        (Severity.OK, ("h0", "h1", "h2"))
    ]
    with managed_runs.run(of_hers, *WHERE_TO, program=["sleep", "60"], results=tmp_path) as command:
        command.wait_to_hear("h0→h1 rerouted over h2")
        command.process.send_signal(signal.SIGTERM)
        command.end()
    assert not any(managed_runs.kernel_state(lab, host) for host in ("h0", "h1", "h2"))

    removed = guardian("remove", cluster_file)
    assert removed.stdout.splitlines()[-3:] == [f"h{n}: removed" for n in range(3)]
    assert accounts(lab) == before
    assert guardian("remove", cluster_file).stdout == "h0 h1 h2: nothing to do\n"


@NEEDS_SUDO
def test_an_ordinary_user_installs_it_by_sudo(lab: labs.Lab, text: str, keys: Path, own_accounts: None) -> None:
    in_hosts(lab, SUDOER)
    installed = guardian("install", of_ann(text, keys))
    assert installed.returncode == 0, installed.stderr
    assert "h2: installed; may reroute their traffic: ann" in installed.stdout
    # Her next command logs in anew: it has the group that she joined.
    assert all(
        each["guardians"][0]["executable"]
        for each in json.loads(guardian("status", of_ann(text, keys), "--json").stdout)
    )


def test_who_may_not_use_sudo_is_told_what_an_administrator_runs(
    lab: labs.Lab, text: str, keys: Path, own_accounts: None
) -> None:
    refused = guardian("install", of_ann(text, keys))
    assert refused.returncode == 1
    assert "h1: this needs root, and " in refused.stderr
    lines = [line.partition("as root on h1: ")[2] for line in refused.stderr.splitlines() if "as root on h1: " in line]
    (line,) = lines
    subprocess.run(lab.enter_command("h1", ["sh", "-c", line]), check=True)
    states = json.loads(guardian("status", of_ann(text, keys), "--json").stdout)
    assert [[each["capable"] for each in state["guardians"]] for state in states] == [[], [True], []]
    assert [state["members"] for state in states] == [None, ["ann"], None]


@pytest.mark.parametrize(("option", "cause"), [("nosuid", "have no effect"), ("noexec", "programs there cannot start")])
def test_where_a_capability_does_not_count_nothing_is_installed(
    lab: labs.Lab, cluster: Cluster, cluster_file: Path, own_accounts: None, option: str, cause: str
) -> None:
    before = accounts(lab)
    plan = plan_installation(executor_of(cluster), "h1", ["ann"])
    in_hosts(lab, f"mount -o remount,{option} /usr/local/bin")
    refused = guardian("install", cluster_file, "--user", "ann")
    assert refused.returncode == 1
    assert f"h1: {GUARDIAN} would be on /usr/local/bin, which is mounted {option}: " in refused.stderr
    assert cause in refused.stderr and f"mount -o remount,{option[2:]} /usr/local/bin" in refused.stderr
    # Where that was not seen before, the installation itself finds out.
    with pytest.raises(HostError, match=r"h1: .*this failed, and nothing was changed: setpriv .* --check"):
        install(executor_of(cluster), "h1", plan)
    assert accounts(lab) == before
