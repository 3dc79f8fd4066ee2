"""Hosts that are LXC containers: commands, launchers, managed runs, neighbours; here, and on a server by ssh."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import managed_runs
import mpi_libraries
import pytest
from lxc_containers import Containers
from managed_runs import start
from mpi_libraries import Mpi

from fairlead import native
from fairlead.analysis.evaluations import dataset
from fairlead.cluster.cluster_file import load_cluster, parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.doctor.examine import examine
from fairlead.cluster.doctor.findings import Severity
from fairlead.cluster.executors import executor_of
from fairlead.cluster.jobs.launch import prepare, run
from fairlead.cluster.remote.deploy import deploy
from fairlead.cluster.remote.execute import attempt, on_all, run_on
from fairlead.errors import HostError
from fairlead.store import Store

pytestmark = [pytest.mark.lxc, pytest.mark.mpi, pytest.mark.slow]
SOURCE = Path(__file__).parents[1] / "mpi" / "launch" / "sources" / "ring.c"
PROGRAMS = native.directory() / "mpi" / "openmpi" / "bin"
LIMIT_S = 60.0


@pytest.fixture(scope="module")
def file(containers: Containers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cluster") / "containers.cluster.toml"
    path.write_text(containers.text())
    return path


@pytest.fixture(scope="module")
def cluster(file: Path) -> Cluster:
    return load_cluster(file)


def gateway(containers: Containers) -> str:
    """This machine's address on the containers' bridge."""
    return containers.addresses[0].rpartition(".")[0] + ".1"


def check_commands(cluster: Cluster) -> None:
    executor = executor_of(cluster)
    names = on_all([host.name for host in cluster.hosts], lambda host: run_on(executor, host, ["hostname"]).strip())
    assert names == {"n1": "c1", "n2": "c2", "n3": "c3", "n4": "c4"}
    assert run_on(executor, "n1", ["printf", "%s|", "a b", "$HOME", "'"]) == "a b|$HOME|'|"
    assert run_on(executor, "n2", ["sh", "-c", 'echo "$X"; cat'], env={"X": "1 2"}, stdin=b"in") == "1 2\nin"
    assert run_on(executor, "n2", ["sh", "-c", 'pwd; echo "$HOME"']) == "/root\n/root\n"
    assert run_on(executor, "n2", ["pwd"], env={"X": "1"}) == "/root\n"
    assert attempt(executor, "n1", ["sh", "-c", "exit 7"]).returncode == 7
    assert "XDG_CACHE_HOME" not in run_on(executor, "n1", ["env"])  # of this machine's user, not of the container's


def test_commands_run_there_with_their_words_and_streams(cluster: Cluster) -> None:
    check_commands(cluster)


def test_a_container_that_does_not_run_is_told(containers: Containers) -> None:
    stopped = parse_cluster(containers.text().replace('reach = "c3"', 'reach = "c9"'))
    with pytest.raises(HostError, match="n3: lxc-attach could not reach the host: ") as told:
        attempt(executor_of(stopped), "n3", ["true"])
    assert "-n c9 --clear-env -- true` must work, as root" in told.value.hint


@pytest.fixture(scope="module", params=mpi_libraries.EVERY)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    found: Mpi = request.param
    return found.need()


def ring(cluster: Cluster, mpi: Mpi, tmp_path: Path) -> str:
    """Path of the test's MPI program in every container."""
    path = mpi.compile(SOURCE, tmp_path / "ring")
    placed = {deploy(executor_of(cluster), host.name, {"ring": path})["ring"] for host in cluster.hosts}
    assert len(placed) == 1
    return placed.pop()


def check_launch(cluster: Cluster, mpi: Mpi, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("line 1\nend\n")
    hosts = ["n2", "n4", "n1"]
    for code in (0, 7):
        argv = [ring(cluster, mpi, tmp_path), "exit", str(code)]
        launcher, job = prepare(
            cluster.with_mpirun(mpi.mpirun), argv, 3, job_id=os.urandom(4).hex(), hosts=hosts, env={"GREETING": "a b"}
        )
        with (tmp_path / "in").open() as source, (tmp_path / "out").open("w") as out:
            ended = run(cluster, launcher, job, stdin=source.fileno(), stdout=out.fileno(), timeout_s=LIMIT_S)
        lines = ["sum 3", "rank 0 on c2", "rank 1 on c4", "rank 2 on c1", "greeting a b", "stdin line 1"]
        assert (tmp_path / "out").read_text().splitlines() == lines
        assert ended == code


def test_every_launcher_starts_ranks_from_outside(cluster: Cluster, mpi: Mpi, tmp_path: Path) -> None:
    check_launch(cluster, mpi, tmp_path)


def test_the_doctor_finds_nothing_wrong(cluster: Cluster, containers: Containers) -> None:
    findings = examine(cluster)
    told = [finding.text for finding in findings if finding.check == "launching"]
    assert len(told) == 1
    assert told[0].endswith(f" starts ranks from this machine; all hosts connect to {gateway(containers)}")
    assert [finding for finding in findings if finding.severity is Severity.ERROR] == []


def left(containers: Containers) -> list[str]:
    """What runs in any of the containers, but for the program and its launcher."""
    lines = [line for number in range(1, 5) for line in containers.processes(number)]
    return [line for line in lines if not line.startswith(("orted ", str(PROGRAMS)))]


REROUTED = ["-n", "4", "--no-detection", "--reroute", "n1:n2:n3"]


@pytest.mark.parametrize("plane", ["route", "relay"])
def test_messages_are_rerouted(file: Path, plane: str, containers: Containers, tmp_path: Path) -> None:
    words = [*REROUTED, "--plane", plane, "--results", tmp_path]
    with start("run", file, *words, "--", PROGRAMS / "cg", "--class", "S", results=tmp_path) as command:
        assert command.end() == 0, command.text()
    assert '"verified":true' in "".join(command.output)
    assert len(command.events("rerouted")) == 1
    told = {event.data["host"]: event.data for event in command.events("stats")}
    if plane == "relay":
        assert told["n1"]["relay"]["ranks"]["relayed"] > 0
        assert told["n3"]["relay"]["passed"] >= told["n1"]["relay"]["ranks"]["relayed"]
    assert [containers.processes(number) for number in range(1, 5)] == [[], [], [], []]


def test_a_killed_run_leaves_the_program_alone(file: Path, containers: Containers, tmp_path: Path) -> None:
    def rules() -> str:
        command = ["lxc-attach", "-P", containers.path, "-n", "c1", "--", "ip", "rule"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def runs_in_c4() -> bool:
        return any(line.startswith(f"{PROGRAMS}/cg ") for line in containers.processes(4))

    before = rules()
    words = [*REROUTED, "--results", tmp_path]
    with start("run", file, *words, "--", PROGRAMS / "cg", "--class", "B", results=tmp_path) as command:
        # Before it runs, others that look for it name it, too.
        managed_runs.wait_for(runs_in_c4, "cg in c4")
        assert rules() != before
        assert left(containers) != []
        command.process.send_signal(signal.SIGKILL)
        command.process.wait()
        managed_runs.wait_for(lambda: left(containers) == [], "the agents' end")
    assert rules() == before
    assert runs_in_c4()
    subprocess.run(["pkill", "-TERM", "-f", f"^mpirun.openmpi .*{PROGRAMS}/cg --class B"], check=True)
    managed_runs.wait_for(lambda: not any(containers.processes(number) for number in range(1, 5)), "the program's end")


PLAN = """
[evaluation]
name = "instances"
cluster = "{file}"
seed = 5

[factors]
program = ["is"]
neighbours = ["none", "1 is"]

[run]
command = ["{programs}/{{program}}", "--class", "S"]
ranks = 2
timeout_s = 60
value = "timed_section_s"

[replications]
count = 3

[neighbours]
factor = "neighbours"
levels = {{ none = [], "1 is" = ["is"] }}
hosts = [["n1", "n2"], ["n3", "n4"]]

[neighbours.programs]
is = {{ command = ["{programs}/is", "--class", "S"], ranks = 2 }}
"""


def test_instances_are_containers_of_their_own(file: Path, containers: Containers, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(file=file, programs=PROGRAMS))
    with start("evaluate", plan, "--results", tmp_path / "results", results=tmp_path / "results") as command:
        assert command.end(180) == 0, command.text()
    with Store.read(tmp_path / "results") as store:
        rows = store.runs(dataset.ROW)
        times = {row.id: store.one_series(row.id, "timed_section_s").values for row in rows}
        beside = {row.labels["neighbours"] for row in rows if store.series(row.id, "neighbour_time_s")}
    assert [row.status for row in rows] == ["ok"] * 6
    assert all(values.size == 1 and values[0] > 0 for values in times.values())
    assert beside == {"1 is"}
    assert [containers.processes(number) for number in range(1, 5)] == [[], [], [], []]


COMMAND = """
[command]
run = ["lxc-attach", "-P", "{path}", "-n", "{{reach}}", "--clear-env", "--"]
"""


@pytest.fixture(scope="module")
def by_command(containers: Containers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same containers as hosts that are reached by a command of the cluster file."""
    path = tmp_path_factory.mktemp("command") / "command.cluster.toml"
    table = COMMAND.format(path=containers.path)
    path.write_text(re.sub(r"\n\[lxc\]\npath = .*\n", table, containers.text().replace('"lxc"', '"command"')))
    return path


def test_a_command_of_the_cluster_file_reaches_hosts(by_command: Path) -> None:
    check_commands(load_cluster(by_command))


@pytest.mark.parametrize("plane", ["route", "relay"])
def test_programs_are_managed_on_hosts_that_a_command_reaches(
    by_command: Path, plane: str, containers: Containers, tmp_path: Path
) -> None:
    test_messages_are_rerouted(by_command, plane, containers, tmp_path)


SSHD = """
Port {port}
ListenAddress 127.0.0.1
HostKey {keys}/host
AuthorizedKeysFile {keys}/user.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
"""
SSH = """
[ssh]
user = "root"
port = {port}
identity = "{keys}/user"
config = "/dev/null"
options = ["UserKnownHostsFile={keys}/known_hosts", "LogLevel=ERROR"]
"""


@pytest.fixture
def on_a_server(containers: Containers, tmp_path: Path) -> Iterator[Cluster]:
    """Two of the containers here, two on a server, which is this machine again."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    port = 20000 + os.getpid() % 10000
    (tmp_path / "known_hosts").write_text(f"* {(tmp_path / 'host.pub').read_text()}")
    (tmp_path / "sshd_config").write_text(SSHD.format(port=port, keys=tmp_path))
    Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", tmp_path / "sshd_config"], stderr=subprocess.PIPE)
    try:
        text = containers.text().replace('"c3"', '"c3@127.0.0.1"').replace('"c4"', '"c4@127.0.0.1"')
        cluster = parse_cluster(text + SSH.format(port=port, keys=tmp_path))
        deadline_s = time.monotonic() + LIMIT_S
        while subprocess.run(executor_of(cluster).command("n3", ["true"]), capture_output=True).returncode:
            assert time.monotonic() < deadline_s and server.poll() is None, server.stderr
            time.sleep(0.1)
        yield cluster
    finally:
        server.terminate()
        server.wait()


def test_ranks_are_started_by_ssh_from_a_machine_that_is_no_host(
    on_a_server: Cluster, containers: Containers, tmp_path: Path
) -> None:
    """Daemons of ssh in the containers, and mpirun here, though no host is this machine."""
    for number, address in enumerate(containers.addresses, 1):
        files = {name: (tmp_path / name).read_text() for name in ("host", "user.pub")}
        config = SSHD.format(port=2222, keys="/run/keys").replace("127.0.0.1", address)
        script = "mkdir -p /run/sshd /run/keys; umask 077; cat >/run/keys/$0"
        for name, text in {**files, "sshd_config": config}.items():
            run_on(executor_of(on_a_server), f"n{number}", ["sh", "-c", script, name], stdin=text.encode())
        run_on(executor_of(on_a_server), f"n{number}", ["/usr/sbin/sshd", "-f", "/run/keys/sshd_config"])
    text = containers.text().replace('"lxc"', '"ssh"').replace("cores_shared", 'launch_from = "here"\ncores_shared')
    text = re.sub(r"\[lxc\]\npath = .*\n", SSH.format(port=2222, keys=tmp_path), text)
    for number, address in enumerate(containers.addresses, 1):
        text = text.replace(f'reach = "c{number}"', f'reach = "{address}"')
    cluster = parse_cluster(text.replace("options = [", "shared_files = false\noptions = ["))
    libraries = {mpi.name: mpi for mpi in mpi_libraries.LIBRARIES}
    for name in ("openmpi4", "openmpi5", "mpich5"):
        (tmp_path / name).mkdir()
        check_launch(cluster, libraries[name].need(), tmp_path / name)


def test_containers_on_a_server_are_reached_by_ssh(on_a_server: Cluster, tmp_path: Path) -> None:
    check_commands(on_a_server)
    libraries = {mpi.name: mpi for mpi in mpi_libraries.LIBRARIES}
    for name in ("openmpi4", "mpich5"):
        (tmp_path / name).mkdir()
        check_launch(on_a_server, libraries[name].need(), tmp_path / name)
