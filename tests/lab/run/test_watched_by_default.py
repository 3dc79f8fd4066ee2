"""`fairlead run` watches messages where that harms no program; all else runs as without, after one line."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from managed_runs import cluster_file, nothing_left, run
from mpi_libraries import LIBRARIES

from fairlead.lab import Lab

pytestmark = [pytest.mark.userns, pytest.mark.mpi]
OPENMPI = LIBRARIES[0]
SOURCE = Path(__file__).parent / "sources" / "told_preload.c"
SAYS = "only connections are watched, not single messages: "
NOTHING = ["child has nothing"] * 3


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return OPENMPI.need().compile(SOURCE, tmp_path / "told_preload")


def watched(lab: Lab, directory: Path, *options: str, program: list[str], **env: str) -> tuple[list[str], str, bool]:
    """What the ranks and their children have, the reason why messages are not watched, and whether they were."""
    cluster = cluster_file(lab, directory)
    with run(cluster, "-n", "3", *options, program=program, results=directory / "results", **env) as command:
        assert command.end() == 0, command.text()
    assert command.record()[0].status == "ok"
    said = [line.partition(SAYS)[2] for _, line in command.told if SAYS in line]
    assert len(said) <= 1, command.text()
    assert "cannot be preloaded" not in command.text()
    assert nothing_left(lab)
    lines = sorted(line.strip() for line in command.output if line.startswith(("rank ", "child ")))
    return lines, said[0] if said else "", bool(command.events("communication"))


def of_ranks(what: str) -> list[str]:
    return [f"rank {rank} has {what}" for rank in range(3)]


def test_a_program_of_mpi_is_watched_and_what_it_starts_is_not(lab: Lab, tmp_path: Path, program: Path) -> None:
    assert watched(lab, tmp_path, program=[str(program)]) == ([*NOTHING, *of_ranks("libfairlead")], "", True)
    for host in ("h0", "h1", "h2"):
        listed = subprocess.run(lab.enter_command(host, ["ls", "/dev/shm"]), capture_output=True, text=True, check=True)
        assert "fairlead" not in listed.stdout


@pytest.mark.parametrize("option", ["--no-monitor", "--no-detection", "--no-agents"])
def test_it_can_be_switched_off(lab: Lab, tmp_path: Path, program: Path, option: str) -> None:
    assert watched(lab, tmp_path, option, program=[str(program)]) == ([*NOTHING, *of_ranks("nothing")], "", False)


def test_a_script_is_left_alone_unless_that_is_asked_for(lab: Lab, tmp_path: Path, program: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f'#!/bin/sh\n"{program}"\n')
    script.chmod(0o755)
    why = f"{script} itself is not linked with a supported MPI library (--monitor if what it starts is)"
    assert watched(lab, tmp_path, program=[str(script)]) == ([*NOTHING, *of_ranks("nothing")], why, False)
    assert watched(lab, tmp_path, "--monitor", program=[str(script)]) == (
        [*NOTHING, *of_ranks("libfairlead")],
        "",
        True,
    )


def test_a_program_whose_sanitizer_wants_to_be_first_runs(lab: Lab, tmp_path: Path) -> None:
    program = OPENMPI.need().compile(SOURCE, tmp_path / "sanitized", "-fsanitize=address")
    lines, why, seen = watched(lab, tmp_path, program=[str(program)])
    assert lines == [*NOTHING, *of_ranks("nothing")]
    assert why == f"{program} is built with AddressSanitizer, beside which nothing should be preloaded"
    assert not seen


def test_what_the_user_preloads_stays_alone(lab: Lab, tmp_path: Path, program: Path) -> None:
    (tmp_path / "empty.c").write_text("")
    own = OPENMPI.compile(tmp_path / "empty.c", tmp_path / "libown.so", "-shared", "-fPIC")
    lines, why, seen = watched(lab, tmp_path, program=[str(program)], LD_PRELOAD=str(own))
    assert lines[3:] == of_ranks("nothing")
    assert why == f"LD_PRELOAD is set: {own} (--monitor adds libfairlead)"
    assert not seen


@contextmanager
def little_room(lab: Lab, host: str) -> Iterator[None]:
    def resize(size: str) -> None:
        subprocess.run(lab.enter_command(host, ["mount", "-o", f"remount,size={size}", "/dev/shm"]), check=True)

    resize("2m")
    try:
        yield
    finally:
        resize("50%")


def test_a_host_with_little_shared_memory_keeps_it(lab: Lab, tmp_path: Path, program: Path) -> None:
    with little_room(lab, "h1"):
        lines, why, seen = watched(lab, tmp_path, program=[str(program)])
    assert lines == [*NOTHING, *of_ranks("nothing")]
    assert why == "h1: /dev/shm has only 2048 KiB free, and rings want 4160 to be"
    assert not seen


def test_a_launch_line_of_ones_own_is_left_as_it_is(lab: Lab, tmp_path: Path, program: Path) -> None:
    cluster = cluster_file(lab, tmp_path)
    line = ["mpirun.openmpi", "--allow-run-as-root", "-n", "1", str(program)]
    with run(cluster, "--own-mpirun", program=line, results=tmp_path / "results") as command:
        assert command.end() == 0, command.text()
    assert [line.strip() for line in command.output] == ["rank 0 has nothing", "child has nothing"]
    told = f"{SAYS}your own launch line may not pass libfairlead on to all ranks (--monitor if it does)"
    assert sum(told in line for _, line in command.told) == 1, command.text()
