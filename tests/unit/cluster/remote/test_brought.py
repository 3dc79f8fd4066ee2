"""The user's own files on hosts: copied once, private, checked, listed and removed. The "ssh" and "srun" are shells."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairlead.cluster.description import Cluster, Host, Slurm, Ssh
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote import brought
from fairlead.cluster.remote.execute import on_all
from fairlead.errors import ConfigError, HostError

# Each host has a PATH of its own before the usual one; with {home} naming the host, it has a home directory of its own.
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
HOME={home} PATH={directory}/$2:$PATH exec sh -c "$3"
"""
SRUN = """#!/bin/sh
for word; do
  case $word in --nodelist=*) host=${{word#*=}} ;; --*) ;; *) break ;; esac
  shift
done
HOME={home} PATH={directory}/$host:$PATH exec "$@"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home directory of all hosts, which they share."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    home = tmp_path / "home"
    home.mkdir()
    reach_at(tmp_path, str(home), monkeypatch)
    return home


def reach_at(tmp_path: Path, home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "bin"
    directory.mkdir(exist_ok=True)
    for name, script in (("ssh", SSH), ("srun", SRUN)):
        put(directory / name, script.format(home=home, directory=directory))
    monkeypatch.setenv("PATH", str(directory), prepend=os.pathsep)


def put(path: Path, text: str, mode: int = 0o755) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def over_ssh(*names: str, shared: bool = False) -> Cluster:
    hosts = tuple(Host(name, f"10.0.0.{number}", reach=name) for number, name in enumerate(names, 1))
    return Cluster("c", "ssh", hosts, ssh=Ssh(shared_files=shared), source="c.toml")


def in_slurm(*names: str) -> Cluster:
    hosts = tuple(Host(name, f"10.0.0.{number}", reach=f"{name}@7") for number, name in enumerate(names, 1))
    return Cluster("c", "slurm", hosts, slurm=Slurm(shared_files=True), source="c.toml")


def copies(home: Path) -> list[Path]:
    """What is in the directory of brought files."""
    return sorted((home / ".cache/fairlead/brought").iterdir())


@pytest.fixture
def solver(tmp_path: Path) -> Path:
    return put(tmp_path / "solver", "#!/bin/sh\necho solved\n", 0o775)


@pytest.mark.parametrize("cluster", [over_ssh("a", "b", shared=True), in_slurm("a", "b")], ids=["ssh", "slurm"])
def test_a_file_is_copied_once_and_is_the_users_alone(home: Path, solver: Path, cluster: Cluster) -> None:
    first = brought.bring(cluster, ["a", "b", "a"], [solver])[solver]
    assert first.copied_to == ("a",)  # where the other host found it, too
    placed = Path(first.path)
    assert placed.is_relative_to(home / ".cache/fairlead/brought")
    assert (placed.name, len(placed.parent.name)) == ("solver", 64)
    assert subprocess.run([placed], capture_output=True, check=True).stdout == b"solved\n"
    assert [path.stat().st_mode & 0o777 for path in (placed, placed.parent, placed.parents[1])] == [0o500, 0o700, 0o700]
    before = placed.stat()
    again = brought.bring(cluster, ["b", "a"], [solver])[solver]
    assert (again.path, again.copied_to) == (first.path, ())
    assert placed.stat().st_ino == before.st_ino


def test_a_file_is_known_by_its_content(home: Path, solver: Path, tmp_path: Path) -> None:
    cluster = over_ssh("a")
    data = put(tmp_path / "in.dat", "1 2 3\n", 0o644)
    link = tmp_path / "link"
    link.symlink_to(data)
    first = brought.bring(cluster, ["a"], [solver, data, link])
    assert [Path(each.path).name for each in first.values()] == ["solver", "in.dat", "link"]
    assert Path(first[link].path).read_text() == "1 2 3\n"
    assert not Path(first[link].path).is_symlink()
    assert Path(first[data].path).stat().st_mode & 0o777 == 0o400
    solver.write_text("#!/bin/sh\necho solved better\n")
    second = brought.bring(cluster, ["a"], [solver, data])
    assert [each.copied_to for each in second.values()] == [("a",), ()]
    assert second[solver].path != first[solver].path
    assert Path(first[solver].path).exists()


def test_a_damaged_copy_is_replaced(home: Path, solver: Path) -> None:
    placed = Path(brought.bring(over_ssh("a"), ["a"], [solver])[solver].path)
    placed.chmod(0o700)
    placed.write_text("something else")
    assert brought.bring(over_ssh("a"), ["a"], [solver])[solver].copied_to == ("a",)
    assert placed.read_text() == solver.read_text()


TARS = {
    "there is no room for solver in ~/.cache/fairlead: no space left on device": (
        'cat >/dev/null; echo "tar: solver: Cannot write: No space left on device" >&2; exit 2'
    ),
    "there is no room for solver in ~/.cache/fairlead: the copy was cut short": (
        'cat >/dev/null; echo "tar: solver: Wrote only 2560 of 10240 bytes" >&2; exit 2'
    ),
    "there is no room for solver in ~/.cache/fairlead: disk quota exceeded": (
        'cat >/dev/null; echo "tar: solver: Cannot open: Disk quota exceeded" >&2; exit 2'
    ),
    "solver arrived damaged: the SHA-256 there is not the one here": (
        '/usr/bin/tar "$@" && chmod u+w "$3/solver" && echo more >>"$3/solver"'
    ),
    "`sh` ended with exit code 2: tar: no": "cat >/dev/null; echo tar: no >&2; exit 2",
}


@pytest.mark.parametrize("said", TARS)
def test_a_copy_that_fails_names_the_host_and_leaves_nothing(
    home: Path, solver: Path, tmp_path: Path, said: str
) -> None:
    put(tmp_path / "bin" / "b" / "tar", f"#!/bin/sh\n{TARS[said]}\n")
    with pytest.raises(HostError) as told:
        brought.bring(over_ssh("b"), ["b"], [solver])
    assert told.value.message == f"b: {said}"
    assert copies(home) == []


def test_hosts_whose_homes_differ_are_refused(
    home: Path, solver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reach_at(tmp_path, f"{tmp_path}/home-of-$2", monkeypatch)
    with pytest.raises(ConfigError, match=r"c.toml: home directories differ between hosts, so .*/solver cannot be at"):
        brought.bring(over_ssh("a", "b"), ["a", "b"], [solver])


def test_hosts_that_share_files_by_mistake_get_copies(
    home: Path, solver: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cluster file says so, or they are a lab's: each has its own."""
    reach_at(tmp_path, f"{tmp_path}/home-of-$2", monkeypatch)
    for name in ("a", "b"):
        assert brought.bring(over_ssh("a", "b", shared=True), [name], [solver])[solver].copied_to == (name,)
        assert [path.is_dir() for path in copies(tmp_path / f"home-of-{name}")] == [True]


@pytest.fixture
def running(home: Path, tmp_path: Path) -> Iterator[Path]:
    """A brought program that a process is."""
    program = put(tmp_path / "sleeper", "")
    program.write_bytes(Path("/bin/sleep").read_bytes())
    placed = Path(brought.bring(over_ssh("a"), ["a"], [program])[program].path)
    with subprocess.Popen([placed, "60"]) as process:
        yield placed
        process.kill()


def test_what_a_host_has_is_listed_and_removed(home: Path, solver: Path, running: Path, tmp_path: Path) -> None:
    cluster = over_ssh("a", "b")
    executor = executor_of(cluster)
    placed = Path(brought.bring(cluster, ["a"], [solver])[solver].path)
    with_output = Path(brought.bring(cluster, ["a"], [put(tmp_path / "in.dat", "1\n")])[tmp_path / "in.dat"].path)
    put(with_output.parent / "in.out", "a result")
    recent = Path(brought.bring(cluster, ["a"], [put(tmp_path / "new.dat", "2\n")])[tmp_path / "new.dat"].path)
    for path in (placed, running, with_output, recent):
        os.utime(path.parent, (0, 0))  # brought long ago
    brought.bring(cluster, ["a"], [tmp_path / "new.dat"])  # and again
    broken_off, in_progress = (placed.parent.with_name(f".{placed.parent.name}.{end}") for end in ("Ab3dEf", "xyz123"))
    for path in (broken_off, in_progress, placed.parent.with_name("foreign")):
        path.mkdir()
    os.utime(broken_off, (0, 0))
    listed = {each.path: each.used for each in brought.kept(executor, "a")}
    kept = {str(running): True, str(with_output): True, str(recent): True}
    assert listed == {str(placed): False, str(broken_off): False} | kept
    unused = [each for each in brought.kept(executor, "b") if not each.used]
    on_all(["a", "b"], lambda host: brought.remove(executor, host, unused))  # they share it: one finds nothing
    left = [path.parent.name for path in (running, with_output, recent)]
    assert [path.name for path in copies(home)] == sorted([*left, in_progress.name, "foreign"])
    assert running.exists()


def test_a_host_without_any_has_nothing_to_list(home: Path) -> None:
    executor = executor_of(over_ssh("a"))
    assert brought.kept(executor, "a") == []
    brought.remove(executor, "a", [])
    assert list(home.iterdir()) == []
