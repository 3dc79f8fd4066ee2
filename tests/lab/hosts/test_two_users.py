"""Ordinary users whose managed runs are on the same hosts at once: none sees, disturbs or ends another's.

The hosts are reached by ssh and share home directories. h0 is where the users call `fairlead`.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from bench.faults.ssh_hosts import SSHD_PATH
from managed_runs import (
    LIMIT_S,
    PROGRAM,
    REROUTED,
    Command,
    catches,
    finish,
    kernel_state,
    mesh,
    nothing_left,
    processes,
    rerouted_routes,
    traffic,
    wait_for,
)

from fairlead import lab as labs
from fairlead import native

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="sshd in a lab host logs in as other users"),
    pytest.mark.skipif(not SSHD_PATH.exists(), reason="openssh-server is not installed"),
]
HOSTS = ("h0", "h1", "h2")
PORT = 2222
PORTS = (19600, 19603)
"""Few, so that the runs often draw the same."""
USERS = {"ann": 1234, "ben": 1235}
# Accounts of this host's own (sshd admits nobody whom /etc/shadow locks); a guardian with its capability, and one that
# sudo gives it to, both as docs/guides/run.md says.
OWN = """
set -e
mount -t tmpfs run /run && mkdir /run/sshd
sed '/^ann:/d;/^ben:/d' /etc/passwd >/run/passwd && sed '/^ann:/d;/^ben:/d' /etc/shadow >/run/shadow
chmod 0640 /run/shadow
echo 'ann:*:1234:1234::{homes}/ann:/bin/sh' >>/run/passwd
echo 'ben:*:1235:1235::{homes}/ben:/bin/sh' >>/run/passwd
mount --bind /run/passwd /etc/passwd && mount --bind /run/shadow /etc/shadow
install -m 0755 {guardian} /run/capable && setcap cap_net_admin+ep /run/capable
install -m 0755 {guardian} /run/by-sudo
[ ! -d /etc/sudoers.d ] || mount -t tmpfs -o mode=755 sudoers /etc/sudoers.d
for user in ann:1234 ben:1235; do
  echo "${{user%:*}} ALL=(root) NOPASSWD: /run/by-sudo --user ${{user#*:}}, /run/by-sudo --check, \\
    /run/by-sudo --clean, /run/by-sudo --clean *" >/run/rule
  [ ! -d /etc/sudoers.d ] || install -m 0440 /run/rule /etc/sudoers.d/${{user%:*}}
done
"""
SSHD = """
Port {port}
ListenAddress {address}
HostKey {keys}/host
AuthorizedKeysFile {keys}/%u.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
MaxStartups 100
"""
CLUSTER = """
[cluster]
name = "site"
executor = "ssh"
interface = "eth0"
mpirun = "mpirun.openmpi"
ports = [{first}, {last}]
guardian = {guardian}

[ssh]
port = {port}
identity = "key"
config = "/dev/null"
options = ["UserKnownHostsFile={keys}/known_hosts", "StrictHostKeyChecking=yes", "LogLevel=ERROR"]
"""
SECRET = re.compile("[0-9a-f]{64}")
HOST = '\n[[hosts]]\nname = "{name}"\naddress = "{address}"\nreach = "{address}"\n'
BY_SUDO = pytest.mark.skipif(shutil.which("sudo") is None, reason="sudo is not installed; `make verify` installs it")


@dataclass(frozen=True)
class User:
    """One who may log in on all hosts, and is at h0 now."""

    lab: labs.Lab
    name: str
    home: Path

    @property
    def uid(self) -> int:
        return USERS[self.name]

    def command(self, *words: object, host: str = "h0") -> list[str]:
        """The command line that runs this as the user."""
        identity = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups"]
        unset = ["-u", "FAIRLEAD_RUNTIME_DIR", "-u", "XDG_CACHE_HOME"]
        own = ["env", "-C", str(self.home), *unset, f"HOME={self.home}", f"USER={self.name}"]
        return self.lab.enter_command(host, [*identity, *own, *map(str, words)])

    def fairlead(self, *words: object) -> list[str]:
        return self.command(sys.executable, "-c", "from fairlead.cli.main import main; main()", *words)

    def does(self, *words: object) -> "subprocess.CompletedProcess[str]":
        """Run something to its end as the user."""
        return subprocess.run(self.command(*words), capture_output=True, text=True, check=False)

    def once(self, *words: object) -> "subprocess.CompletedProcess[str]":
        """Run ``fairlead`` to its end."""
        return subprocess.run(
            self.fairlead(*words), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )

    def states(self) -> list[dict[str, Any]]:
        """What ``fairlead status`` says of this user's runs."""
        found: list[dict[str, Any]] = json.loads(self.once("status", "--json").stdout)
        return found

    def jobs(self) -> dict[str, bool]:
        """Which of this user's runs are known, and whether they live."""
        return {state["job"]: state["alive"] for state in self.states()}

    def run(self, *options: object, program: list[str], results: str = "results") -> Command:
        process = subprocess.Popen(
            self.fairlead("run", "site.toml", "--results", results, *options, "--", *program),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return Command(process, self.home / results)

    def device(self, destination: str) -> str:
        """The one by which this user's packets leave h0."""
        return device_of(self.lab, destination, self.uid)

    def own(self, host: str, name: str) -> list[int]:
        """The user's processes of this name on a host."""
        return [pid for pid in processes(self.lab, host, name) if f"Uid:\t{self.uid}\t" in status_of(pid)]

    def guardians(self, host: str) -> list[int]:
        """The user's own, or those that sudo made root's."""
        by_sudo = [pid for pid in processes(self.lab, host, "by-sudo") if f"--user\0{self.uid}\0" in words_of(pid)]
        return self.own(host, "capable") + by_sudo


def status_of(pid: int) -> str:
    return _told_of(pid, "status")


def words_of(pid: int) -> str:
    return _told_of(pid, "cmdline")


def _told_of(pid: int, what: str) -> str:
    """Nothing of a process that has ended."""
    try:
        return Path(f"/proc/{pid}/{what}").read_text()
    except OSError:
        return ""


def inner(pid: int) -> str:
    """A process as those see it who are in the lab."""
    (numbers,) = (line for line in status_of(pid).splitlines() if line.startswith("NSpid:"))
    return numbers.split()[-1]


def device_of(lab: labs.Lab, destination: str, uid: int) -> str:
    ask = ["ip", "-json", "route", "get", lab.plan.host_by_name[destination].address, "uid", str(uid)]
    shown = subprocess.run(lab.enter_command("h0", ask), capture_output=True, text=True, check=True).stdout
    return str(json.loads(shown)[0]["dev"])


@pytest.fixture(scope="module")
def site(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[labs.Lab, Path]]:
    """A lab with an sshd on every host, and the directory with the users' homes."""
    homes = tmp_path_factory.mktemp("homes")
    keys = homes / "keys"
    keys.mkdir()
    for name in ("host", *USERS):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", keys / name], check=True)
    (keys / "known_hosts").write_text(f"* {(keys / 'host.pub').read_text()}")
    for name, uid in USERS.items():
        (homes / name).mkdir(mode=0o700)
        shutil.move(keys / name, homes / name / "key")
        for path in (homes / name, homes / name / "key"):
            os.chown(path, uid, uid)
    homes.chmod(0o755)
    with mesh("two-users", homes) as lab, ExitStack() as stack:
        for host in HOSTS:
            own = OWN.format(homes=homes, guardian=native.program("fairlead-guardian"))
            subprocess.run(lab.enter_command(host, ["sh", "-c", own]), check=True)
            config = keys / f"sshd_config.{host}"
            config.write_text(SSHD.format(port=PORT, address=lab.plan.host_by_name[host].address, keys=keys))
            server = subprocess.Popen(
                lab.enter_command(host, [str(SSHD_PATH), "-D", "-e", "-f", str(config)]), stderr=subprocess.DEVNULL
            )
            stack.callback(server.wait)
            stack.callback(server.terminate)
        for host in HOSTS:
            listening = lab.enter_command(host, ["ss", "-Hltn"])
            wait_for(lambda: f":{PORT}" in subprocess.check_output(listening, text=True), f"sshd of {host}")  # noqa: B023
        yield lab, homes


@pytest.fixture
def users(site: tuple[labs.Lab, Path], request: pytest.FixtureRequest) -> Iterator[tuple[User, User]]:
    """Ann and Ben, each with a cluster file; the parameter is the guardian in it."""
    lab, homes = site
    for name, uid in USERS.items():
        words = json.dumps(request.param).replace("UID", str(uid))
        text = CLUSTER.format(guardian=words, port=PORT, keys=homes / "keys", first=PORTS[0], last=PORTS[1]) + "".join(
            HOST.format(name=host, address=lab.plan.host_by_name[host].address) for host in HOSTS
        )
        path = homes / name / "site.toml"
        path.write_text(text)
        os.chown(path, uid, uid)
    yield User(lab, "ann", homes / "ann"), User(lab, "ben", homes / "ben")
    wait_for(lambda: nothing_left(lab), "the end of everything on the hosts", 10)
    for name in USERS:
        shutil.rmtree(homes / name / "results", ignore_errors=True)


CAPABLE = "/run/capable"
SUDO = ["sudo", "-n", "/run/by-sudo", "--user", "UID"]
GUARDIANS = pytest.mark.parametrize(
    "users", [pytest.param(CAPABLE, id="capability"), pytest.param(SUDO, id="sudo", marks=BY_SUDO)], indirect=True
)
SEEDS = {"ann": 1, "ben": 2}


def start(stack: ExitStack, *owners: User, options: tuple[str, ...] = ()) -> list[Command]:
    """A run of each, rerouted from h0 to h1 over h2, once it is."""
    commands = [
        stack.enter_context(owner.run(*REROUTED, *options, program=traffic(seed=SEEDS[owner.name]))) for owner in owners
    ]
    for command in commands:
        command.wait_to_hear("h0→h1 rerouted over h2")
    return commands


@GUARDIANS
def test_each_has_his_own_and_nobody_elses(users: tuple[User, User]) -> None:
    ann, ben = users
    lab = ann.lab
    with ExitStack() as stack:
        commands = start(stack, ann, ben)
        devices = [owner.device("h1") for owner in users]
        assert all(re.fullmatch("fl-[0-9a-f]{8}", device) for device in devices) and devices[0] != devices[1]
        assert device_of(lab, "h1", 0) == "eth0"
        jobs = [owner.jobs() for owner in users]
        assert [{f"fl-{job}": alive for job, alive in each.items()} for each in jobs] == [{d: True} for d in devices]

        assert not [
            pid for host in HOSTS for pid in processes(lab, host, "fairlead-agent") if SECRET.search(words_of(pid))
        ]
        (agent,), (guardian,) = ann.own("h0", "fairlead-agent"), ann.guardians("h0")
        own = [ann.home / "site.toml", ann.home / "results", f"/tmp/fairlead-{ann.uid}/runs"]
        inside = [f"/proc/{inner(pid)}/{what}" for pid in (agent, guardian) for what in ("environ", "fd", "mem")]
        for secret in map(str, [*own, *inside]):
            told = ben.does("sh", "-c", 'ls -A "$1/" || cat "$1"', "sh", secret)
            assert (told.returncode, told.stdout) == (1, ""), secret
            assert "Permission denied" in told.stderr.splitlines()[-1], told.stderr
        for pid in (agent, guardian):
            refused = ben.does("sh", "-c", "kill -9 $1", "sh", str(inner(pid)))
            assert "Operation not permitted" in refused.stderr, refused

        for owner, other in ((ann, ben), (ben, ann)):
            assert owner.once("clean", "site.toml").stdout == "nothing to clean\n"
            assert owner.once("clean").stdout == "nothing to clean\n"
            assert other.device("h1") == devices[users.index(other)]
        for owner, command in zip(users, commands, strict=True):
            finish(lab, SEEDS[owner.name])
            assert command.end() == 0, command.text()
            assert any("verification passed" in line for line in command.output)
    assert nothing_left(lab)
    assert [owner.jobs() for owner in users] == [{}, {}]


@GUARDIANS
def test_one_that_is_killed_with_all_it_has_leaves_the_other_alone(users: tuple[User, User]) -> None:
    ann, ben = users
    lab = ann.lab
    with ExitStack() as stack:
        hers, his = start(stack, ann, ben)
        (job,), (route,) = ann.jobs(), [route for route in rerouted_routes(lab, "h0") if ben.device("h1") in route]
        # Not by the death of what was started here: a process that changes its user does not hear of that (prctl(2)).
        (supervisor,) = (state["pid"] for state in ann.states())
        assert ann.does("kill", "-STOP", supervisor).returncode == 0  # it shall not clean
        for host in HOSTS:
            for pid in [*ann.guardians(host), *ann.own(host, "fairlead-agent")]:
                os.kill(pid, signal.SIGKILL)
        assert ann.does("kill", "-KILL", supervisor).returncode == 0
        assert hers.process.wait(LIMIT_S) == -signal.SIGKILL
        wait_for(lambda: ann.device("h1") == "eth0", "the end of reroutes that nobody watches", 2)
        assert ann.jobs() == {job: False}
        assert (ben.once("clean").stdout, ann.jobs()) == ("nothing to clean\n", {job: False})
        cleaned = ann.once("clean")
        assert cleaned.returncode == 0, cleaned.stderr
        assert cleaned.stdout.endswith(f"forgot dead run {job}\n")
        assert {f'"{job}"' in line for line in cleaned.stdout.splitlines()[:-1]} == {True}
        assert (ann.device("h1"), ann.jobs()) == ("eth0", {})
        assert not any(f"fl-{job}" in kernel_state(lab, host)["device"] for host in HOSTS)
        assert rerouted_routes(lab, "h0") == [route]
        for owner in users:
            finish(lab, SEEDS[owner.name])
        assert his.end() == 0, his.text()
        assert any("verification passed" in line for line in his.output)
    assert his.text().count("rerouted over h2") == 1 and "back on its direct path" not in his.text()


@pytest.mark.parametrize("users", [pytest.param(CAPABLE, id="capability")], indirect=True)
@pytest.mark.parametrize("owners", [("ann", "ann"), ("ann", "ben")], ids=["one-user", "two-users"])
def test_two_relay_planes_at_once(users: tuple[User, User], owners: tuple[str, str]) -> None:
    """Directories and sockets of the ranks, ports of the agents, records: each run has its own."""
    lab = users[0].lab
    first, second = (next(user for user in users if user.name == name) for name in owners)
    with ExitStack() as stack:
        commands = [
            stack.enter_context(
                owner.run("--plane", "relay", *REROUTED, program=traffic(seed=seed), results=f"results/{seed}")
            )
            for seed, owner in ((1, first), (2, second))
        ]
        for command in commands:
            command.wait_to_hear("h0→h1 rerouted over h2")
        for host in HOSTS:
            shown = users[0].lab.enter_command(host, ["stat", "-c", "%a %u", *places(lab, host)])
            modes = subprocess.run(shown, capture_output=True, text=True, check=True).stdout.splitlines()
            assert sorted(modes) == sorted(f"700 {owner.uid}" for owner in (first, second))
        wait_for(lambda: all(ranks(lab, host) == 2 for host in HOSTS), "the programs' start")
        time.sleep(3)  # for messages to be relayed
        for seed, command in ((1, commands[0]), (2, commands[1])):
            finish(lab, seed)
            assert command.end() == 0, command.text()
            assert any("verification passed" in line for line in command.output)
            told = {event.data["host"]: event.data["relay"] for event in command.events("stats")}
            assert told["h0"]["ranks"]["relayed"] > 0
            assert told["h2"]["passed"] >= told["h0"]["ranks"]["relayed"]
    wait_for(lambda: not any(places(lab, host) for host in HOSTS), "the end of the ranks' directories", 5)


def ranks(lab: labs.Lab, host: str) -> int:
    """How many there take the word to end: MPI has started."""
    return sum(catches(pid, signal.SIGUSR1) for pid in processes(lab, host, PROGRAM))


def places(lab: labs.Lab, host: str) -> list[str]:
    """Where ranks meet agents."""
    look = lab.enter_command(host, ["find", "/dev/shm", "-maxdepth", "1", "-name", "fairlead-relay-*"])
    return sorted(subprocess.run(look, capture_output=True, text=True, check=True).stdout.split())
