"""Files brought to a host that has a file system of its own: here another HOME on this machine."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fairlead import native, programs
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.doctor.session import ProbeSession
from fairlead.cluster.executors.base import Executor, with_environment
from fairlead.cluster.job import Job
from fairlead.cluster.remote import parcel
from fairlead.cluster.remote.deploy import deploy, deploy_everywhere
from fairlead.cluster.remote.execute import on_all
from fairlead.errors import ConfigError, HostError, MissingToolError

LOCAL = Cluster("c", "local", (Host("far", "127.0.0.1"),))


class Elsewhere(Executor):
    """Runs here, with another home directory."""

    name = "elsewhere"
    passes_signals = True
    shares_files = False
    home = Path()

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        return with_environment(argv, {"HOME": str(self.home), **(env or {})}, cwd)

    def rsh_agent(self) -> Path | None:
        return None


@pytest.fixture
def far(tmp_path: Path) -> Elsewhere:
    executor = Elsewhere(LOCAL)
    executor.home = tmp_path / "home"
    executor.home.mkdir()
    return executor


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "prog"
    path.write_text("#!/bin/sh\necho prog 1.2.3\n")
    path.chmod(0o755)
    return path


@pytest.mark.userns
def test_hosts_that_share_a_home_and_a_process_id_do_not_get_in_each_others_way(
    far: Elsewhere, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on hosts that have just booted; slowed down so that they copy at the same time."""
    alone = ["unshare", "--user", "--map-root-user", "--pid", "--fork"]
    slow = program.parent / "bin" / "tar"
    slow.parent.mkdir()
    slow.write_text('#!/bin/sh\nsleep 0.5\nexec /usr/bin/tar "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    usual = Elsewhere.command
    monkeypatch.setattr(Elsewhere, "command", lambda *given, **named: [*alone, *usual(*given, **named)])
    hosts = [f"h{k}" for k in range(4)]
    placed = on_all(hosts, lambda host: deploy(far, host, {"prog": program})["prog"])
    assert len(set(placed.values())) == 1
    path = Path(placed["h0"])
    assert path.read_bytes() == program.read_bytes()
    assert [each.name for each in (far.home / ".cache/fairlead").iterdir()] == [path.parent.name]
    assert sorted(each.name for each in path.parent.iterdir()) == ["SHA256SUMS", "prog"]


def test_files_arrive_executable_under_the_hash_of_their_content(far: Elsewhere, program: Path) -> None:
    placed = Path(deploy(far, "far", {"prog": program})["prog"])
    assert placed.read_bytes() == program.read_bytes()
    assert os.access(placed, os.X_OK)
    assert placed.parent.parent == far.home / ".cache/fairlead"
    assert len(placed.parent.name) == 64
    assert [path.name for path in (far.home / ".cache/fairlead").iterdir()] == [placed.parent.name]


def test_a_second_time_copies_nothing(far: Elsewhere, program: Path) -> None:
    first = Path(deploy(far, "far", {"prog": program})["prog"])
    before = first.stat()
    assert Path(deploy(far, "far", {"prog": program})["prog"]) == first
    after = first.stat()
    assert (before.st_ino, before.st_ctime_ns) == (after.st_ino, after.st_ctime_ns)


def test_damage_is_noticed_and_repaired(far: Elsewhere, program: Path) -> None:
    placed = Path(deploy(far, "far", {"prog": program})["prog"])
    placed.write_text("not what was sent")
    assert Path(deploy(far, "far", {"prog": program})["prog"]) == placed
    assert placed.read_bytes() == program.read_bytes()
    assert sorted(path.name for path in placed.parent.iterdir()) == ["SHA256SUMS", "prog"]


def test_other_content_lives_elsewhere(far: Elsewhere, program: Path) -> None:
    first = deploy(far, "far", {"prog": program})["prog"]
    program.write_text("#!/bin/sh\necho prog 2\n")
    second = deploy(far, "far", {"prog": program})["prog"]
    assert first != second
    assert Path(first).is_file()


def test_copies_that_were_broken_off_go_with_the_next_one(far: Elsewhere, program: Path) -> None:
    cache = far.home / ".cache/fairlead"
    broken_off, in_progress, foreign = (cache / name for name in (f".{64 * 'a'}.Ab3dEf", f".{64 * 'b'}.xyz123", ".own"))
    for path in (broken_off, in_progress, foreign):
        path.mkdir(parents=True)
        (path / "prog").touch()
    for path in (broken_off, foreign):
        os.utime(path, (0, 0))
    placed = Path(deploy(far, "far", {"prog": program})["prog"])
    assert sorted(cache.iterdir()) == sorted([placed.parent, in_progress, foreign])


def test_a_copy_that_is_told_to_end_leaves_nothing(far: Elsewhere) -> None:
    command = far.command("far", ["sh", "-c", parcel._PUT, 64 * "a", "."])
    with subprocess.Popen(command, stdin=subprocess.PIPE) as copying:
        while not list(far.home.glob(".cache/fairlead/.a*")):
            time.sleep(0.01)
        copying.terminate()
    assert copying.returncode == 1
    assert list((far.home / ".cache/fairlead").iterdir()) == []


def test_shared_files_are_not_copied(far: Elsewhere, program: Path) -> None:
    far.shares_files = True
    assert deploy(far, "far", {"prog": program}) == {"prog": str(program)}
    assert not (far.home / ".cache").exists()


@pytest.fixture
def two_homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """Two hosts that do not see this machine's files, with home directories of different paths."""

    class Homes(Elsewhere):
        def command(
            self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
        ) -> list[str]:
            home = tmp_path / host
            home.mkdir(exist_ok=True)
            return with_environment(argv, {"HOME": str(home), **(env or {})}, cwd)

    hosts = (Host("far", "127.0.0.1"), Host("further", "127.0.0.2"))
    cluster = Cluster("c", "elsewhere", hosts, source="c.toml")
    for module in ("cluster.remote.deploy", "programs.linkage"):
        monkeypatch.setattr(f"fairlead.{module}.executor_of", lambda cluster: Homes(cluster))
    return cluster


def test_what_must_be_at_one_path_is_or_it_is_told(two_homes: Cluster, program: Path) -> None:
    at = deploy_everywhere(two_homes, ["far", "far"], {"prog": program})["prog"]
    assert Path(at).read_bytes() == program.read_bytes()
    with pytest.raises(ConfigError, match=r"c.toml: home directories differ between hosts, so prog cannot be at one"):
        deploy_everywhere(two_homes, ["far", "further"], {"prog": program})


def test_a_bundled_program_goes_where_ranks_run_and_no_other_does(
    two_homes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = tmp_path / "mpi" / "openmpi" / "bin" / "cg"
    built.parent.mkdir(parents=True)
    built.write_text("a program")
    built.chmod(0o755)
    monkeypatch.setenv(native.ENVIRONMENT_VARIABLE, str(tmp_path))
    job = Job("1", ("cg", "--class", "S"), ("further", "further"))
    name, *words = programs.brought(two_homes, job, "openmpi").argv
    assert words == ["--class", "S"]
    assert Path(name).read_text() == "a program"
    assert Path(name).is_relative_to(tmp_path / "further")
    assert not (tmp_path / "far").exists()
    own = Job("1", (str(built),), ("far",))
    assert programs.brought(two_homes, own, "openmpi") is own
    assert not list((tmp_path / "far").iterdir())


def test_a_home_without_room_or_rights_is_told(far: Elsewhere, program: Path) -> None:
    (far.home / ".cache").write_text("a file where a directory should be")
    with pytest.raises(HostError, match="far: `sh` ended with exit code"):
        deploy(far, "far", {"prog": program})


def test_missing_here(far: Elsewhere, tmp_path: Path) -> None:
    with pytest.raises(MissingToolError, match="is not on this machine"):
        deploy(far, "far", {"x": tmp_path / "x"})


class Talkative(Elsewhere):
    """Its shell greets before it does what it is told."""

    greeting = "Welcome to node 7"

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        words = super().command(host, argv, env, cwd)
        return ["sh", "-c", f"""printf '{self.greeting}\\n'; exec "$@\"""", "sh", *words]


def test_a_shell_that_greets_is_named(tmp_path: Path, program: Path) -> None:
    talkative = Talkative(LOCAL)
    talkative.home = tmp_path / "home"
    talkative.home.mkdir()
    said = "far: printed 'Welcome to node 7' instead of an answer"
    with pytest.raises(HostError, match=said) as told:
        deploy(talkative, "far", {"prog": program})
    assert "only in interactive shells" in told.value.hint
    with ProbeSession(talkative, "far", {}) as session, pytest.raises(HostError, match=said):
        session.facts()


def test_a_greeting_in_another_encoding_is_no_reason_for_a_traceback(tmp_path: Path, program: Path) -> None:
    talkative = Talkative(LOCAL)
    talkative.home = tmp_path / "home"
    talkative.home.mkdir()
    talkative.greeting = r"Gr\374ezi"
    with pytest.raises(HostError, match="far: printed 'Gr\ufffdezi' instead of an answer"):
        deploy(talkative, "far", {"prog": program})


class Bare(Elsewhere):
    """It has no Python."""

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        return ["sh", "-c", 'exec "$@"', "sh", *super().command(host, [f"no-such-{argv[0]}", *argv[1:]], env, cwd)]


def test_a_host_without_python_is_told_which_one_the_doctor_needs() -> None:
    bare = Bare(LOCAL)
    bare.home = Path("/nowhere")
    with pytest.raises(HostError, match="far: python3 was not found") as told, ProbeSession(bare, "far", {}) as session:
        session.facts()
    assert told.value.hint == "install python3 (3.7 or later) on it; only doctor needs it"
