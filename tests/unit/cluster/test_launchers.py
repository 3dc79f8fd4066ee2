"""Launchers: which one an mpirun needs, and the command line each builds, compared as strings."""

import importlib
import shlex
import subprocess
from pathlib import Path

import pytest

from fairlead.cluster import launchers
from fairlead.cluster.addresses import LauncherAddress
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job, make_job, place_ranks
from fairlead.cluster.launchers.base import Launcher, get, register
from fairlead.cluster.launchers.detect import Mpi, detect, parse_version
from fairlead.errors import ConfigError, HostError, MissingToolError
from fairlead.ip import covering_network

# Captured from the programs themselves.
OPEN_MPI_4 = "mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n"
OPEN_MPI_41_RPM = "mpirun (Open MPI) 4.1.1\n\nReport bugs to http://www.open-mpi.org/community/help/\n"
OPEN_MPI_5 = "mpirun (Open MPI) 5.0.11\n\nReport bugs to https://www.open-mpi.org/community/help/\n\n"
MPICH_4 = """HYDRA build details:
    Version:                                 4.0.2
    Release Date:                            Thu Apr  7 12:34:45 CDT 2022
    CC:                              gcc -Wdate-time -D_FORTIFY_SOURCE=2 -g -O2
    Configure options:                       '--with-hwloc-prefix=/usr' '--with-device=ch4:ucx' 'FFLAGS=-O2'
    Process Manager:                         pmi
"""
MPICH_5 = """HYDRA build details:
    Version:                                 5.0.2
    Release Date:                            Fri Sep 25 20:45:26 UTC 2026
    CC:                              cc
    Configure options:                       --with-device=ch4:ucx,ofi --with-pm=hydra:gforker
"""

INTEL_2021 = """Intel(R) MPI Library for Linux* OS, Version 2021.19.0 Build 20260929 (id: 1821d9b)
Copyright 2003-2026, Intel Corporation.
"""


@pytest.mark.parametrize(
    ("text", "mpi", "launcher"),
    [
        (OPEN_MPI_4, Mpi("openmpi", "4.1.4"), "openmpi4"),
        (OPEN_MPI_41_RPM, Mpi("openmpi", "4.1.1"), "openmpi4"),
        (OPEN_MPI_5, Mpi("openmpi", "5.0.11"), "openmpi5"),
        (MPICH_4, Mpi("mpich", "4.0.2", "ch4:ucx"), "mpich4"),
        (MPICH_5, Mpi("mpich", "5.0.2", "ch4:ucx,ofi"), "mpich5"),
        (INTEL_2021, Mpi("intelmpi", "2021.19.0"), "intelmpi2021"),
    ],
)
def test_versions_are_recognized(text: str, mpi: Mpi, launcher: str) -> None:
    assert parse_version(text) == mpi
    assert mpi.launcher == launcher
    assert launcher in launchers.names()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "Intel(R) MPI Library for Linux* OS, Version 2018 Update 4 Build 20180823 (id: 18555)\n",
            "mpirun is Intel MPI 2018; fairlead launches",
        ),
        ("HP-MPI 02.03.01\n", "'HP-MPI 02.03.01', which is not a known MPI"),
        ("", "'\\(nothing\\)'"),
        ("mpirun (Open MPI) 3.1.6\n", "mpirun is Open MPI 3.1.6; fairlead launches"),
    ],
)
def test_others_are_refused_with_the_way_out(text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=f'(?s){reason}.*`fairlead run --own-mpirun`; in a plan, launcher = "custom"'):
        parse_version(text)


@pytest.mark.parametrize("name", ["no-such-mpirun", "/no/such/mpirun"])
def test_missing_mpirun(name: str) -> None:
    with pytest.raises(MissingToolError) as told:
        detect(None, "this machine", name)
    assert told.value.message == f"this machine: {name} was not found"
    assert told.value.hint.startswith("install an MPI (Debian: apt install openmpi-bin; ")
    assert "or load its module" in told.value.hint


def test_an_mpirun_that_cannot_be_executed_is_not_taken_for_a_missing_one(tmp_path: Path) -> None:
    plain = tmp_path / "mpirun"
    plain.write_text("#!/bin/sh\n")
    for path in (plain, tmp_path):
        with pytest.raises(MissingToolError) as told:
            detect(None, "this machine", str(path))
        assert told.value.message == f"this machine: {path} cannot be executed: Permission denied"
        assert "--mpirun DIRECTORY/bin/mpirun" in told.value.hint


def test_an_mpirun_without_its_libraries_is_told_with_the_library(tmp_path: Path) -> None:
    """The loader ends with the code that a shell has for programs that are not there."""
    said = "mpirun: error while loading shared libraries: libopen-rte.so.40: cannot open shared object file"
    program = tmp_path / "mpirun"
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 127\n")
    program.chmod(0o755)
    with pytest.raises(ConfigError) as told:
        detect(None, "this machine", str(program))
    assert told.value.message == f"{program} does not run: the loader does not find libopen-rte.so.40"
    assert told.value.hint.startswith("load this MPI's module, or name the directory of its libraries in LD_LIBRARY_")


def test_an_mpirun_that_does_not_answer_here_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file system may be gone, or it waits for something else; hosts have the same time."""
    program = tmp_path / "mpirun"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(importlib.import_module(parse_version.__module__), "ANSWER_S", 0.3)
    with pytest.raises(HostError, match=rf"this machine: `{program} --version` did not end within 0\.3 s"):
        detect(None, "this machine", str(program))


def test_a_machine_without_a_shell_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingToolError, match=r"^sh is not on this machine\n  PATH is /nowhere"):
        detect(None, "this machine", "mpirun")


def job(**changes: object) -> Job:
    base = {
        "id": "1f3a9c02",
        "argv": ("./prog", "-x", "a b"),
        "hosts": ("h0", "h0", "h1"),
        "interfaces": ("eth0",),
        "network": "10.64.0.0/16",
        "env": {"OMP_NUM_THREADS": "2"},
        "rsh_agent": "/lab/agent",
    }
    return Job(**(base | changes))  # type: ignore[arg-type]


EXPECTED = {
    "openmpi4": "mpirun --mca plm_rsh_agent /lab/agent --mca oob_tcp_if_include eth0 -np 3 --host h0,h0,h1"
    " --map-by seq --mca pml ob1 --mca btl tcp,vader,self --mca btl_tcp_if_include eth0"
    " -x OMP_NUM_THREADS=2 -x FAIRLEAD_JOB=1f3a9c02 ./prog -x 'a b'",
    "openmpi5": "mpirun --prtemca plm_ssh_agent /lab/agent --prtemca prte_if_include eth0 -np 3 --host h0:2,h1:1"
    " --map-by slot --mca pml ob1 --mca btl tcp,sm,self --mca btl_tcp_if_include eth0"
    " -x OMP_NUM_THREADS=2 -x FAIRLEAD_JOB=1f3a9c02 ./prog -x 'a b'",
    "mpich4": "mpirun -launcher ssh -launcher-exec /lab/agent -iface eth0 -hosts h0:2,h1:1"
    " -genv UCX_TLS tcp,sm,self -genv FI_PROVIDER tcp -genv UCX_NET_DEVICES eth0 -genv FI_TCP_IFACE eth0"
    " -genv OMP_NUM_THREADS 2 -genv FAIRLEAD_JOB 1f3a9c02 -n 3 ./prog -x 'a b'",
    "intelmpi2021": "mpirun -launcher ssh -launcher-exec /lab/agent -iface eth0 -ppn 2 -hosts h0,h1"
    " -genv I_MPI_FABRICS shm:ofi -genv I_MPI_OFI_PROVIDER tcp -genv FI_TCP_IFACE eth0"
    " -genv OMP_NUM_THREADS 2 -genv FAIRLEAD_JOB 1f3a9c02 -n 3 ./prog -x 'a b'",
    "custom": "./prog -x 'a b'",
}
EXPECTED["mpich5"] = EXPECTED["mpich4"]

SHARED = {
    "openmpi4": "--bind-to none --mca mpi_yield_when_idle 1",
    "openmpi5": "--bind-to none --mca mpi_yield_when_idle 1",
    "mpich4": "-bind-to none",
    "mpich5": "-bind-to none",
    "intelmpi2021": "-genv I_MPI_PIN off",
    "custom": "./prog",
}
WDIR = {
    "openmpi4": "--wdir /w",
    "openmpi5": "--wdir /w",
    "mpich4": "-wdir /w",
    "mpich5": "-wdir /w",
    "intelmpi2021": "-wdir /w",
    "custom": "./prog",
}
INTERLEAVED = {
    "openmpi4": "-np 3 --host h0,h1,h0 --map-by seq",
    "openmpi5": "-np 3 --host h0,h1,h0 --map-by seq --bind-to none",
    "mpich4": "-hosts h0:1,h1:1,h0:1",
    "mpich5": "-hosts h0:1,h1:1,h0:1",
    "intelmpi2021": "-host h0 -n 1 ./prog -x 'a b' : -host h1 -n 1 ./prog -x 'a b' : -host h0 -n 1 ./prog -x 'a b'",
    "custom": "./prog",
}
TWO_INTERFACES = {
    "openmpi4": "--mca btl_tcp_if_include 10.64.0.0/16",
    "openmpi5": "--prtemca prte_if_include 10.64.0.0/16",
    "mpich4": "-genv UCX_NET_DEVICES eth0,ens3",
    "mpich5": "-genv UCX_NET_DEVICES eth0,ens3",
    "intelmpi2021": "-genv I_MPI_OFI_PROVIDER tcp",
    "custom": "./prog",
}

# Where the library chooses what carries messages: nothing names a transport, nor an interface but the daemons'.
NATIVE = {
    "openmpi4": "mpirun --mca plm_rsh_agent /lab/agent --mca oob_tcp_if_include eth0 -np 3 --host h0,h0,h1"
    " --map-by seq -x OMP_NUM_THREADS=2 -x FAIRLEAD_JOB=1f3a9c02 ./prog -x 'a b'",
    "openmpi5": "mpirun --prtemca plm_ssh_agent /lab/agent --prtemca prte_if_include eth0 -np 3 --host h0:2,h1:1"
    " --map-by slot -x OMP_NUM_THREADS=2 -x FAIRLEAD_JOB=1f3a9c02 ./prog -x 'a b'",
    "mpich4": "mpirun -launcher ssh -launcher-exec /lab/agent -iface eth0 -hosts h0:2,h1:1"
    " -genv OMP_NUM_THREADS 2 -genv FAIRLEAD_JOB 1f3a9c02 -n 3 ./prog -x 'a b'",
    "intelmpi2021": "mpirun -launcher ssh -launcher-exec /lab/agent -iface eth0 -ppn 2 -hosts h0,h1"
    " -genv OMP_NUM_THREADS 2 -genv FAIRLEAD_JOB 1f3a9c02 -n 3 ./prog -x 'a b'",
    "custom": "./prog -x 'a b'",
}
NATIVE["mpich5"] = NATIVE["mpich4"]

# Where mpirun's machine is none of the hosts.
APART = {
    "openmpi4": "mpirun --mca plm_rsh_no_tree_spawn 1 --mca plm_rsh_pass_environ_mca_params 0 -np 3",
    "openmpi5": "mpirun --prtemca plm_ssh_agent /lab/agent --prtemca plm_ssh_no_tree_spawn 1 -np 3",
    "mpich4": "mpirun -launcher ssh -launcher-exec /lab/agent -localhost 10.64.0.254 -hosts h0:2,h1:1",
    "mpich5": "mpirun -launcher ssh -launcher-exec /lab/agent -localhost 10.64.0.254 -hosts h0:2,h1:1",
    "intelmpi2021": "mpirun -launcher ssh -launcher-exec /lab/agent -iface br0 -ppn 2 -hosts h0,h1",
    "custom": "./prog",
}


# Where mpirun is in a batch job that has not all of the hosts.
ALONE = {
    "openmpi4": {"OMPI_MCA_plm": "rsh", "OMPI_MCA_ras": "^slurm"},
    "openmpi5": {"PRTE_MCA_plm": "ssh", "PRTE_MCA_ras": "^slurm"},
    "mpich4": {},  # what -launcher and -hosts say stands above the batch job
    "mpich5": {},
    "intelmpi2021": {"I_MPI_JOB_RESPECT_PROCESS_PLACEMENT": "off"},
}


@pytest.fixture(params=launchers.names())
def launcher(request: pytest.FixtureRequest) -> Launcher:
    return get(request.param)()


def line(launcher: Launcher, what: Job) -> str:
    return shlex.join(launcher.command(what))


def test_command_line(launcher: Launcher) -> None:
    assert line(launcher, job()) == EXPECTED[launcher.name]


@pytest.mark.parametrize("name", ["openmpi4", "openmpi5"])
def test_open_mpi_would_have_no_hosts_for_a_second_program(name: str) -> None:
    several = job(argv=("./one", ":", "-np", "2", "./other"))
    with pytest.raises(ConfigError, match=r"starts several programs.*\n.*--own-mpirun -- mpirun -np 1 --host"):
        get(name)().command(several)


def test_the_library_may_choose_what_carries_messages(launcher: Launcher) -> None:
    assert line(launcher, job(transport="native")) == NATIVE[launcher.name]
    assert SHARED[launcher.name] in line(launcher, job(transport="native", cores_shared=True))
    assert make_job(CLUSTER, ["./p"], 2, job_id="0").transport == "tcp"
    assert make_job(CLUSTER.with_transport("native"), ["./p"], 2, job_id="0").transport == "native"


@pytest.mark.parametrize("name", ["openmpi4", "openmpi5"])
def test_open_mpi_may_count_messages_only_where_the_job_wants_it(name: str) -> None:
    plain = line(get(name)(), job())
    counting = line(get(name)(), job(env={"OMPI_MCA_pml_monitoring_enable": "2"}))
    assert " --mca pml ob1 " in plain
    assert " --mca pml ob1,monitoring " in counting


def test_shared_cores_are_neither_bound_nor_spun_on(launcher: Launcher) -> None:
    assert SHARED[launcher.name] in line(launcher, job(cores_shared=True))


def test_working_directory(launcher: Launcher) -> None:
    assert WDIR[launcher.name] in line(launcher, job(cwd="/w"))


def test_mpirun_on_a_machine_that_is_no_host(launcher: Launcher) -> None:
    apart = job(launcher_address=LauncherAddress("10.64.0.254", "br0"))
    assert line(launcher, apart).startswith(APART[launcher.name])
    # Open MPI 4 hands the agent that its command line names to daemons that do not have it, and they end.
    agent = {"OMPI_MCA_plm_rsh_agent": "/lab/agent"} if launcher.name == "openmpi4" else {}
    assert {name: value for name, value in launcher.environment(apart).items() if "agent" in name} == agent


@pytest.mark.parametrize("name", ALONE)
def test_in_a_batch_job_without_some_of_the_hosts_the_agent_reaches_all(name: str) -> None:
    launcher, alone = get(name)(), job(by_agent_alone=True)
    assert launcher.environment(alone) == ALONE[name]
    assert line(launcher, alone) == EXPECTED[name]
    assert launcher.environment(job()) == {}


def test_ranks_of_a_host_need_not_be_neighbours(launcher: Launcher) -> None:
    assert INTERLEAVED[launcher.name] in line(launcher, job(hosts=("h0", "h1", "h0")))


@pytest.mark.parametrize("name", ["openmpi4", "openmpi5"])
def test_no_word_is_longer_than_the_kernel_takes(name: str) -> None:
    """A host's name stands there once a rank; mpirun puts several lists together."""
    hosts = tuple(f"node{number:04}" for _ in range(128) for number in range(150))  # one after the other
    words = get(name)().command(job(hosts=hosts, argv=("true",)))
    assert max(map(len, words)) <= 100_000
    lists = [words[at + 1] for at, word in enumerate(words) if word == "--host"]
    assert len(lists) == 2
    assert tuple(",".join(lists).split(",")) == hosts
    assert subprocess.run(["true", *words], check=False).returncode == 0


def test_interfaces_that_differ_by_host(launcher: Launcher) -> None:
    assert TWO_INTERFACES[launcher.name] in line(launcher, job(interfaces=("eth0", "ens3")))


def test_options_come_before_the_program(launcher: Launcher) -> None:
    words = launcher.command(job(options=("--mca", "btl_tcp_links", "4")))
    expected = 0 if launcher.name == "custom" else 1
    assert words.count("btl_tcp_links") == expected
    if expected:
        assert words.index("btl_tcp_links") < words.index("./prog")


def test_root_is_allowed_only_where_we_are_root() -> None:
    for name in ("openmpi4", "openmpi5"):
        assert get(name)("mpirun", as_root=True).command(job())[1] == "--allow-run-as-root"
        assert "--allow-run-as-root" not in get(name)("mpirun").command(job())


def test_environment_of_a_line_of_ones_own_goes_to_mpirun() -> None:
    assert get("custom")().environment(job()) == {"OMP_NUM_THREADS": "2", "FAIRLEAD_JOB": "1f3a9c02"}
    assert get("openmpi4")().environment(job()) == {}


def test_registry_refuses_duplicates_and_unknown_names() -> None:
    with pytest.raises(ValueError, match="registered twice"):
        register("openmpi4")(get("openmpi5"))
    with pytest.raises(ConfigError, match="launcher 'srun' is unknown"):
        get("srun")


CLUSTER = Cluster(
    "c",
    "local",
    (
        Host("a", "10.0.0.1", slots=2),
        Host("r", "10.0.0.9", role="relay"),
        Host("b", "10.0.1.2", slots=1),
    ),
)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [(1, "a"), (2, "a a"), (3, "a a b"), (4, "a a a b"), (6, "a a a a b b"), (7, "a a a a a b b")],
)
def test_slots_are_filled_then_gone_round_again(ranks: int, expected: str) -> None:
    assert " ".join(place_ranks(CLUSTER, ranks)) == expected


@pytest.mark.parametrize("ranks", [0, 2**20 + 1, 10**12])
def test_ranks_that_no_cluster_has_are_refused(ranks: int) -> None:
    with pytest.raises(ConfigError, match=f"{ranks} ranks cannot run\n  give a number of ranks .* from 1 to {2**20}"):
        place_ranks(CLUSTER, ranks)


def test_job_knows_interface_network_and_whether_cores_are_shared() -> None:
    made = make_job(CLUSTER, ["./p"], 3, job_id="00000000")
    assert (made.interfaces, made.network, made.cores_shared) == (("eth0",), "10.0.0.0/23", False)
    assert make_job(CLUSTER, ["./p"], 4, job_id="00000000").cores_shared
    assert made.ranks_on() == {"a": 2, "b": 1}


def test_open_mpi_keeps_to_the_version_of_ip_that_the_hosts_have() -> None:
    six = {"network": "fd00:64::/64"}
    for name in ("openmpi4", "openmpi5"):
        line = " ".join(get(name)().command(job(**six)))
        assert "--mca btl_tcp_if_include eth0 --mca btl_tcp_disable_family 4" in line
        two = " ".join(get(name)().command(job(**six, interfaces=("eth0", "ens3"))))
        assert "if_include" not in two, "it reads no networks of IPv6"
        assert "--mca btl_tcp_disable_family 4" in two
        assert "disable_family" not in " ".join(get(name)().command(job()))


@pytest.mark.parametrize("name", ["mpich4", "mpich5", "intelmpi2021"])
def test_hydra_refuses_hosts_with_ipv6(name: str) -> None:
    with pytest.raises(ConfigError, match="by IPv4 addresses only") as refused:
        get(name)().command(job(network="fd00:64::/64"))
    assert "use Open MPI" in str(refused.value.hint)


def test_covering_network() -> None:
    assert covering_network(["10.0.0.1"]) == "10.0.0.1/32"
    assert covering_network(["10.64.0.1", "10.64.3.2"]) == "10.64.0.0/22"
    assert covering_network(["fd00:64::1", "fd00:64:3::2"]) == "fd00:64::/46"


def test_bad_jobs_are_refused() -> None:
    with pytest.raises(ConfigError, match="0 ranks cannot run"):
        make_job(CLUSTER, ["./p"], 0, job_id="0")
    with pytest.raises(ConfigError, match="no program to run"):
        make_job(CLUSTER, [], 1, job_id="0")
    with pytest.raises(ConfigError, match="the placement has 1 ranks, but 2 were requested"):
        make_job(CLUSTER, ["./p"], 2, job_id="0", hosts=["a"])
    with pytest.raises(ConfigError, match="no host is called 'x'"):
        make_job(CLUSTER, ["./p"], 1, job_id="0", hosts=["x"])
