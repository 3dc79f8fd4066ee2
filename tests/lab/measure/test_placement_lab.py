"""Placements on the hosts of a lab: each rank runs where it was placed, with every MPI; its own files do the same."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from managed_runs import COMMAND, LIMIT_S, star

from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.jobs.launch import prepare
from fairlead.lab import Lab
from fairlead.placement.json_form import Expected, Placement, host_list, rankfile

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
SOURCE = Path(__file__).parents[2] / "mpi" / "launch" / "sources" / "ring.c"
BUILT = Path(__file__).parents[3] / "build" / "mpi"  # by scripts/install-mpi.sh
MPIS = {
    "openmpi4": ("mpicc.openmpi", "mpirun.openmpi"),
    "openmpi5": (f"{BUILT}/openmpi5/bin/mpicc", f"{BUILT}/openmpi5/bin/mpirun"),
    "mpich5": (f"{BUILT}/mpich5/bin/mpicc", f"{BUILT}/mpich5/bin/mpirun"),
}
HOSTS = ["h2", "h0", "h1", "h0", "h2", "h1"]  # none of them in one piece


@pytest.fixture(scope="module")
def lab(private_runtime: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with star("placed", tmp_path_factory.getbasetemp()) as found:
        yield found


@pytest.fixture(params=list(MPIS))
def mpi(request: pytest.FixtureRequest) -> tuple[str, str]:
    for tool in MPIS[request.param]:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed: `make test` installs it")
    return MPIS[request.param]


def compiled(compiler: str, directory: Path) -> str:
    program = directory / "ring"
    subprocess.run([compiler, "-o", program, SOURCE], check=True)
    return str(program)


def told(words: list[str]) -> list[str]:
    """On which host each rank says it is."""
    done = subprocess.run(words, input="end\n", capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("rank ")]
    assert [int(line[1]) for line in lines] == list(range(len(lines)))
    return [line[3] for line in lines]


def test_each_rank_runs_where_it_was_placed(lab: Lab, mpi: tuple[str, str], tmp_path: Path) -> None:
    compiler, mpirun = mpi
    cluster, stored = tmp_path / "c.toml", tmp_path / "placed.json"
    cluster.write_text(lab.cluster_file_text().replace("slots = 1", "slots = 2"))
    nothing = Expected(messages=1, bytes_B=1)
    stored.write_text(
        Placement(
            program=["ring"],
            cluster=lab.name,
            characterization=None,
            profiled=False,
            hosts_before=["h0", "h0", "h1", "h1", "h2", "h2"],
            before=nothing,
            host_of_rank=HOSTS,
            after=nothing,
        ).to_json()
    )
    options = ["--no-agents", "--results", str(tmp_path / "results"), "--placement", str(stored)]
    program = compiled(compiler, tmp_path)
    assert told([*COMMAND, "run", str(cluster), "--mpirun", mpirun, *options, "--", program]) == HOSTS


def without(words: list[str], *, option: str, values: int) -> list[str]:
    at = words.index(option)
    return words[:at] + words[at + 1 + values :]


@pytest.mark.slow
def test_the_launchers_own_files_do_the_same(lab: Lab, mpi: tuple[str, str], tmp_path: Path) -> None:
    """As the user's own launch line has them, in place of what fairlead says of hosts."""
    compiler, mpirun = mpi
    cluster = parse_cluster(lab.cluster_file_text()).with_mpirun(mpirun)
    (tmp_path / "rankfile").write_text(rankfile(HOSTS))
    (tmp_path / "hosts").write_text(host_list(HOSTS))
    launcher, job = prepare(
        cluster, [compiled(compiler, tmp_path)], len(HOSTS), job_id=os.urandom(4).hex(), hosts=HOSTS
    )
    words = launcher.command(job)
    if launcher.family == "mpich":
        words = without(words, option="-hosts", values=1)
        words[1:1] = ["-f", str(tmp_path / "hosts")]
    else:
        for option in ("--host", "--map-by", "--bind-to"):
            words = without(words, option=option, values=1)
        file = tmp_path / "rankfile"
        words[1:1] = {
            "openmpi4": ["--rankfile", str(file)],
            "openmpi5": ["--host", "h0:2,h1:2,h2:2", "--map-by", f"rankfile:file={file}"],
        }[launcher.name]
    assert told(executor_of(cluster).command("h0", words)) == HOSTS
