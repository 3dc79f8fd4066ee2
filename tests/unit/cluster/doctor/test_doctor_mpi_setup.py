"""Checks of how MPI is set up, and the texts from which the probe knows it."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from fairlead.cluster.doctor.findings import judge
from fairlead.cluster.doctor.probing import libraries

from .doctor_facts import (
    MPICH_4,
    NAMES,
    NOTE,
    OPEN_MPI,
    WARNING,
    Case,
    Change,
    check_case,
    healthy,
    named,
    one,
    several,
)
from .doctor_facts import setting as set_to

MPICH_SHOWS = "gcc -Wl,-z,relro -I/usr/include/x86_64-linux-gnu/mpich -L/usr/lib/x86_64-linux-gnu -lmpich"
OPEN_MPI_SHOWS = "gcc -I/usr/lib/x86_64-linux-gnu/openmpi/include -L/usr/lib/x86_64-linux-gnu/openmpi/lib -lmpi"
INTEL_SHOWS = "gcc -I/opt/intel/oneapi/mpi/2021.11/include -L/opt/intel/oneapi/mpi/2021.11/lib -lmpifort -lmpi"
PARAMETERS = """\
# comments
btl_tcp_if_include = eth7   # the old network
btl = self,vader

btl = self,tcp
nonsense
"""
HOME = "/home/alice/.openmpi/mca-params.conf"


def parameter(name: str, value: str, where: str = HOME) -> Change:
    return set_to("facts", "mpi", "parameters", value=[{"name": name, "value": value, "where": where}])


def both_libraries(data: dict[str, Any]) -> None:
    mpi = data["facts"]["mpi"]
    mpi["compiler"] = {"path": "/usr/bin/mpicc", "family": "mpich"}
    mpi["launchers"] = {"mpirun.mpich": {"path": "/usr/bin/mpirun.mpich", "output": MPICH_4}, "mpirun.openmpi": None}


CASES: list[Case] = [
    (
        "wrong_mpi",
        WARNING,
        set_to("facts", "mpi", "compiler", value={"path": "/usr/bin/mpicc", "family": "mpich"}),
        "mpirun is Open MPI 4.1.4, but /usr/bin/mpicc builds for MPICH: mpirun would start such a program as many",
        "build with mpicc.openmpi, or install MPICH's mpirun",
    ),
    (
        "wrong_mpi",
        WARNING,
        both_libraries,
        "each with one rank, rank 0",
        "run such programs with --mpirun /usr/bin/mpirun.mpich, or build with mpicc.openmpi",
    ),
    (
        "mpirun_path",
        WARNING,
        set_to("facts", "tools", "mpirun", "path", value="/opt/openmpi/bin/mpirun"),
        "/usr/bin/mpirun on h0, h2; /opt/openmpi/bin/mpirun on h1",
        'mpirun = "/usr/bin/mpirun" under [cluster]',
    ),
    (
        "mpi_daemon",
        WARNING,
        several(
            set_to("facts", "mpi", "daemons", value=[]),
            set_to("facts", "tools", "mpirun", "real", value="/opt/openmpi/bin/orterun"),
        ),
        "orted of Open MPI 4.1.4 is not in PATH: mpirun on another host ends with 'orted: command not found'",
        'mpirun = "/opt/openmpi/bin/mpirun" under [cluster]',
    ),
    (
        "mpi_parameters",
        WARNING,
        parameter("btl_tcp_if_include", "eth7"),
        f"btl_tcp_if_include = eth7 ({HOME}): there is no interface eth7",
        f"sed -i 's/^ *btl_tcp_if_include *=.*/btl_tcp_if_include = eth0/' {HOME}",
    ),
    (
        "mpi_parameters",
        WARNING,
        parameter("btl_tcp_if_include", "lo", "OMPI_MCA_btl_tcp_if_include"),
        "your own launch lines would use lo, not eth0",
        "unset OMPI_MCA_btl_tcp_if_include",
    ),
    (
        "mpi_parameters",
        WARNING,
        parameter("btl_tcp_if_exclude", "docker0"),
        "it replaces the default, which excludes lo",
        f"sed -i '/^ *btl_tcp_if_exclude *=/d' {HOME}",
    ),
    ("mpi_parameters", WARNING, parameter("btl", "self,vader"), "it excludes tcp", "sed -i '/^ *btl *=/d'"),
    ("mpi_parameters", WARNING, parameter("btl", "^tcp"), "it excludes tcp", "sed -i '/^ *btl *=/d'"),
    (
        "own_name_address",
        NOTE,
        set_to("facts", "mpi", "own_name", value=["127.0.1.1"]),
        "its own name h1 resolves to 127.0.1.1",
        "echo '10.64.0.2 h1' >> /etc/hosts",
    ),
    (
        "own_name_address",
        WARNING,
        set_to("facts", "mpi", "own_name", value=[]),
        "its own name h1 does not resolve",
        "echo '10.64.0.2 h1' >> /etc/hosts",
    ),
]
TRIED = {case[0] for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=named(CASES))
def test_one_fault_is_found_and_named(case: Case) -> None:
    check_case(case)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("btl_tcp_if_include", "10.64.0.0/24"),
        ("btl_tcp_if_exclude", "lo,docker0"),
        ("btl", "^openib"),
        ("btl", "tcp,self"),
    ],
)
def test_parameters_that_keep_nobody_off_the_network(name: str, value: str) -> None:
    assert not [item for item in judge(healthy(parameter(name, value))) if item.check == "mpi_parameters"]


def test_programs_of_intel_mpi_run_with_mpich() -> None:
    def change(data: dict[str, Any]) -> None:
        data["facts"]["tools"]["mpirun"]["output"] = MPICH_4
        data["facts"]["mpi"]["compiler"]["family"] = "mpich"

    assert not [item for item in judge(healthy(change, on=NAMES)) if item.check == "wrong_mpi"]


def test_an_absolute_path_needs_no_daemon_in_path() -> None:
    change = set_to("facts", "mpi", "daemons", value=[])

    def moved(data: dict[str, Any]) -> None:
        change(data)
        data["facts"]["tools"]["/opt/bin/mpirun"] = {"path": "/opt/bin/mpirun", "output": OPEN_MPI}

    facts = healthy(moved, on=NAMES, mpirun="/opt/bin/mpirun")
    assert not [item for item in judge(facts) if item.check in ("mpi_daemon", "mpirun_path")]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_localhost_keeps_its_line_where_the_own_name_stands_in_it(address: str, tmp_path: Path) -> None:
    found = one(judge(healthy(set_to("facts", "mpi", "own_name", value=[address]))), "own_name_address")
    command, _, way_out = found.fix.partition("; or ")
    assert way_out == "mpiexec -localhost 10.64.0.2"
    hosts = tmp_path / "hosts"
    hosts.write_text(f"{address}\tlocalhost h1.example.org h1\n{address} h1-ipmi localhost h1\n10.0.0.1 h1\n")
    subprocess.run(["sh", "-c", command.replace("/etc/hosts", str(hosts))], check=True)
    assert hosts.read_text() == f"{address}\tlocalhost\n{address} h1-ipmi localhost\n10.0.0.1 h1\n10.64.0.2 h1\n"


def test_a_host_that_has_no_name_of_its_own_is_given_one() -> None:
    nameless = several(
        set_to("facts", "hostname", value="localhost.localdomain"), set_to("facts", "mpi", "own_name", value=["::1"])
    )
    assert one(judge(healthy(nameless)), "own_name_address").fix.startswith(
        "hostnamectl set-hostname h1 && echo '10.64.0.2 h1' >> /etc/hosts; or mpiexec"
    )


def test_a_name_that_leads_to_another_network_of_the_host() -> None:
    change = set_to("facts", "mpi", "own_name", value=["192.168.1.7"])
    assert not [item for item in judge(healthy(change)) if item.check == "own_name_address"]


@pytest.mark.parametrize(
    ("said", "family"),
    [(MPICH_SHOWS, "mpich"), (OPEN_MPI_SHOWS, "openmpi"), (INTEL_SHOWS, "mpich"), ("cc -o x", None)],
)
def test_whose_a_compiler_is(said: str, family: str | None) -> None:
    assert libraries.family_of_flags(said) == family


def test_files_of_parameters() -> None:
    assert libraries.parse_parameters(PARAMETERS) == {"btl_tcp_if_include": "eth7", "btl": "self,tcp"}


def test_variables_that_set_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMPI_MCA_btl", "self")
    monkeypatch.setenv("PRTE_MCA_if_include", "eth1")
    found = {(item["name"], item["value"], item["where"]) for item in libraries.parameters(None)}
    assert ("btl", "self", "OMPI_MCA_btl") in found
    assert ("if_include", "eth1", "PRTE_MCA_if_include") in found


def test_one_compiler_is_told_for_its_hosts_together() -> None:
    change = set_to("facts", "mpi", "compiler", value={"path": "/usr/bin/mpicc", "family": "mpich"})
    assert one(judge(healthy(change, on=NAMES)), "wrong_mpi").hosts == NAMES
