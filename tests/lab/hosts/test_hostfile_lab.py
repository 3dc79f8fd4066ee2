"""``fairlead run hostfile:...`` as the launcher of a Kubeflow MPIJob calls it: pods are lab hosts with an sshd each.

As pods do, they share no files, log in as an ordinary user, and have no privilege. The launcher is another machine,
which knows the workers by the names of the job's service only.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import managed_runs
import pytest
from managed_runs import COMMAND, Command
from mpi_libraries import BUILT, LIBRARIES, Mpi

from fairlead import lab as labs

from .test_ssh_lab import PORT, start_sshd

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.skipif(os.geteuid() != 0, reason="sshd in a lab host logs in others than itself"),
    pytest.mark.skipif(shutil.which("sshd", path="/usr/sbin") is None, reason="openssh-server is not installed"),
]
LAUNCHER = "n0"
# MPICH 4.0 alone may never return from MPI_Finalize between hosts. Programs here do not use the standard ABI.
ENDING = [mpi for mpi in LIBRARIES if mpi.name not in ("mpich4", "mpich5abi")]
USUAL = {"openmpi4", "mpich5"}  # one of each family; the others belong to the long suites
SITE = """
[ssh]
user = "ann"
port = {port}
identity = "user"
config = "/dev/null"
options = ["UserKnownHostsFile={keys}/known_hosts", "StrictHostKeyChecking=yes", "LogLevel=ERROR"]
"""


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("keys")
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name], check=True)
    (directory / "known_hosts").write_text(f"* {(directory / 'host.pub').read_text()}")
    (directory / "hostfile.toml").write_text(SITE.format(port=PORT, keys=directory))
    return directory


# What the operator makes of an MPIJob whose workers have a slot: the hostfile's lines, and the launcher's environment.
SLOTS = {"openmpi": " slots=1", "mpich": ":1"}
VARIABLES = {
    "openmpi": {
        "OMPI_MCA_orte_default_hostfile": "{hostfile}",
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_set_default_slots": "1",
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
    },
    "mpich": {"HYDRA_HOST_FILE": "{hostfile}", "HYDRA_LAUNCH_EXTRA_ARGS": "-o ConnectionAttempts=10"},
}


@pytest.fixture(scope="module")
def hostfiles(lab: labs.Lab, keys: Path) -> Iterator[dict[str, Path]]:
    """By MPI family, while the workers' sshds run."""
    workers = {f"{name}.pi.default.svc": lab.plan.host_by_name[name].address for name in ("h0", "h1", "h2")}
    paths = {family: keys / f"hostfile.{family}" for family in SLOTS}
    for family, path in paths.items():
        path.write_text("".join(f"{name}{SLOTS[family]}\n" for name in workers))
    (keys / "hosts").write_text("".join(f"{address} {name}\n" for name, address in workers.items()))
    # A cluster's DNS says at once that it does not know a name.
    (keys / "resolv.conf").write_text("nameserver 127.0.0.1\n")
    for name in ("hosts", "resolv.conf"):
        subprocess.run(lab.enter_command(LAUNCHER, ["mount", "--bind", str(keys / name), f"/etc/{name}"]), check=True)
    with ExitStack() as stack:
        for name in ("h0", "h1", "h2"):
            start_sshd(stack, lab, keys, name, lab.plan.host_by_name[name].address)
        yield paths


@pytest.fixture
def environment(keys: Path) -> Iterator[dict[str, str]]:
    """The launcher's, without the operator's part; with a cache whose path is short enough for ssh."""
    cache = Path(f"/tmp/fl-hostfile-{os.getpid()}")
    yield {**os.environ, "FAIRLEAD_SITE": str(keys / "hostfile.toml"), "XDG_CACHE_HOME": str(cache)}
    for path in (cache / "fairlead" / "ssh").glob("*"):
        words = ["ssh", "-F", "/dev/null", "-o", f"ControlPath={path}", "-O", "exit", "x"]
        subprocess.run(words, capture_output=True, check=False)
    shutil.rmtree(cache, ignore_errors=True)


@pytest.fixture
def debians_name() -> Iterator[Path]:
    """A directory with MPICH 5's library by Debian's name for it: bundled programs would take Debian's MPICH 4.0."""
    with TemporaryDirectory(dir="/var/tmp") as directory:  # /tmp is each host's own
        shared = Path(directory)
        shared.chmod(0o755)
        (shared / "libmpich.so.12").symlink_to(BUILT / "mpich5" / "lib" / "libmpi.so.12")
        (shared / "mpich").symlink_to(BUILT / "mpich5" / "lib" / "mpich")
        yield shared


def start(lab: labs.Lab, environment: dict[str, str], directory: Path, *words: str) -> Command:
    """Start ``fairlead`` on the launcher, in a directory of its own."""
    process = subprocess.Popen(
        lab.enter_command(LAUNCHER, ["env", f"--chdir={directory}", *COMMAND, *words]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    return Command(process, directory)


@pytest.mark.parametrize(
    "mpi",
    [pytest.param(mpi, marks=[] if mpi.name in USUAL else pytest.mark.slow, id=mpi.name) for mpi in ENDING],
)
def test_an_mpijobs_launcher_has_the_messages_of_a_pair_relayed(
    lab: labs.Lab,
    hostfiles: dict[str, Path],
    environment: dict[str, str],
    debians_name: Path,
    tmp_path: Path,
    mpi: Mpi,
) -> None:
    hostfile = hostfiles[mpi.need().family]
    variables = {name: value.format(hostfile=hostfile) for name, value in VARIABLES[mpi.family].items()}
    if mpi.family == "mpich":
        variables["LD_LIBRARY_PATH"] = str(debians_name)
    options = ["--plane", "relay", "--no-detection", "--reroute", "h0:h1:h2", "--results", str(tmp_path)]
    words = ["run", f"hostfile:{hostfile}", "--mpirun", mpi.mpirun, *options, "--", *managed_runs.traffic(2)]
    with start(lab, environment | variables, tmp_path, *words) as command:
        assert command.end() == 0, command.text()
    assert command.heard("h0→h1 rerouted over h2"), command.text()
    assert any("verification passed" in line for line in command.output)
    said = {event.data["host"]: event.data["relay"] for event in command.events("stats")}
    told = {host: {**counts, **counts["ranks"]} for host, counts in said.items()}
    assert told["h0"]["relayed"] > 0
    assert told["h2"]["passed"] >= told["h0"]["relayed"]
    (described,) = tmp_path.glob("hostfile-*.cluster.toml")
    assert 'reach = "h0.pi.default.svc"' in described.read_text()
    assert not any(managed_runs.kernel_state(lab, host) for host in ("h0", "h1", "h2"))
    managed_runs.wait_for(lambda: managed_runs.nothing_left(lab), "the end of all that was started", 10)


def test_the_doctor_takes_a_hostfile(
    lab: labs.Lab, hostfiles: dict[str, Path], environment: dict[str, str], tmp_path: Path
) -> None:
    words = ["doctor", f"hostfile:{hostfiles['openmpi']}", "--mpirun", "mpirun.openmpi", "--plane", "relay", "--json"]
    with start(lab, environment, tmp_path, *words) as command:
        command.end()
    found = json.loads("".join(command.output))
    assert [item for item in found if item["severity"] == "error"] == []
    (plane,) = [item for item in found if item["check"] == "route_plane"]  # without privilege there is none
    assert (plane["severity"], plane["hosts"]) == ("note", ["h0", "h1", "h2"])
    assert "cap_net_admin" in plane["text"]
    said = {item["check"]: item["text"] for item in found if item["severity"] == "ok"}
    assert said["reachable"] == "reached by executor ssh"
    assert said["paths"] == "all 6 directed paths work, TCP and UDP"
