"""Whether libfairlead can be loaded into a program: the host's own loader and directory are asked."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors.local import LocalExecutor
from fairlead.cluster.job import Job
from fairlead.errors import HostError
from fairlead.programs import trial

CLUSTER = Cluster("c", "local", (Host("h0", "127.0.0.1", interface="lo"), Host("h1", "127.0.0.1", interface="lo")))


def job(program: str = "/bin/sh", ranks: int = 2, **env: str) -> Job:
    return Job("0123abcd", (program,), tuple(f"h{rank % 2}" for rank in range(ranks)), env=env)


def test_nothing_hinders_a_library_that_the_loader_takes() -> None:
    assert trial.hindrance(CLUSTER, job(), []) is None
    assert trial.hindrance(CLUSTER, job("sh"), []) is None  # found as the shell finds it
    assert trial.hindrance(CLUSTER, job(LD_PRELOAD="/nowhere/libown.so"), []) is None  # it is told elsewhere


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "cannot open shared object file"), ("#!/bin/sh\n" * 99, "invalid ELF header"), ("", "file too short")],
)
def test_what_the_loader_does_not_take_is_told_in_its_words(content: str | None, why: str, tmp_path: Path) -> None:
    library = tmp_path / "libfairlead.so"
    if content is not None:
        library.write_text(content)
    found = trial.hindrance(CLUSTER, job(), [str(library)])
    assert found is not None
    assert found.startswith("h0: ERROR: ld.so: object ")
    assert f"{library}' from LD_PRELOAD cannot be preloaded ({why}): ignored." in found


def test_rings_take_a_small_part_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "RING_KIB", 1 << 40)
    found = trial.hindrance(CLUSTER, job(ranks=6), [])
    assert found is not None
    assert found.startswith("h0: /dev/shm has only ")
    assert found.endswith(f" KiB free, and rings want {16 * 3 * (1 << 40)} to be")


def test_a_place_that_cannot_be_written_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(trial, "_TRY", trial._TRY.replace("/dev/shm", f"{tmp_path}/none"))
    assert trial.hindrance(CLUSTER, job(), []) == f"h0: {tmp_path}/none is no directory that can be written to"


@pytest.mark.parametrize("mode", [0o4755, 0o2755])
def test_into_what_runs_as_somebody_else_nothing_is_preloaded(tmp_path: Path, mode: int) -> None:
    program = Path(shutil.copy("/bin/sh", tmp_path / "program"))
    program.chmod(mode)
    assert trial.hindrance(CLUSTER, job(str(program)), []) == "h0: the program has set-user-ID or set-group-ID"


def test_what_no_loader_of_glibc_takes(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    assert trial.hindrance(CLUSTER, job(str(script)), []) == "h0: no loader of glibc takes the program"


def test_a_program_that_names_another_loader_has_another_c_library(tmp_path: Path) -> None:
    """An older one would end it: the host's loader does not know."""
    content = Path("/bin/sh").read_bytes()
    (usual,) = re.findall(rb"\0(/lib\w*/ld-[\w.-]+)\0", content)
    other = usual.replace(b"ld-", b"my-")
    program = tmp_path / "program"
    program.write_bytes(content.replace(usual, other))
    program.chmod(0o755)
    found = trial.hindrance(CLUSTER, job(str(program)), [])
    assert found == f"h0: the program has a loader of its own, {other.decode()}"


def test_one_host_of_several_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usual = LocalExecutor.command

    def apart(
        self: LocalExecutor,
        host: str,
        argv: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
    ) -> list[str]:
        return usual(self, host, [word.replace("HOST", host) for word in argv], env, cwd)

    monkeypatch.setattr(LocalExecutor, "command", apart)
    (tmp_path / "h0").symlink_to("/bin/sh")
    (tmp_path / "h1").write_text("")
    found = trial.hindrance(CLUSTER, job(f"{tmp_path}/HOST"), [])
    assert found == "h1: no loader of glibc takes the program"


def test_a_shell_that_greets_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_TRY", "echo Welcome!")
    with pytest.raises(HostError, match="h0: printed 'Welcome!' instead of an answer"):
        trial.hindrance(CLUSTER, job(), [])
