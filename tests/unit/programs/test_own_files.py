"""``--bring``: which files can be brought, and the command that names their copies. The "ssh" and mpirun are shells."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fairlead.cli.main import command
from fairlead.errors import ConfigError, HostError, NoProgramError
from fairlead.programs import own_files
from fairlead.store import Store

SSH = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\necho "$2" >>{directory}/calls\nHOME={home} exec sh -c "$3"\n'
MPIRUN = """#!/bin/sh
[ "$1" != --version ] || { echo "mpirun (Open MPI) 4.1.4"; exit; }
for word; do echo "$word"; done >"$0.words"
"""
CLUSTER = """
[cluster]
name = "unprepared"
executor = "ssh"
interface = "lo"
mpirun = "{mpirun}"
[ssh]
shared_files = {shared}
[[hosts]]
name = "a"
address = "10.0.0.1"
[[hosts]]
name = "b"
address = "10.0.0.2"
"""


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory that commands are called in, with a program and its input."""
    for name in ("bin", "site", "home", "other"):
        (tmp_path / name).mkdir()
    put(tmp_path / "bin/ssh", SSH.format(directory=tmp_path, home=tmp_path / "home"))
    put(tmp_path / "bin/mpirun", MPIRUN)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    site = tmp_path / "site"
    monkeypatch.chdir(site)
    put(site / "solver", "#!/bin/sh\necho solved\n")
    (site / "in.dat").write_text("1 2 3\n")
    return site


def put(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def run(tmp_path: Path, *words: str, shared: bool = False) -> Result:
    text = CLUSTER.format(mpirun=tmp_path / "bin/mpirun", shared=str(shared).lower())
    (tmp_path / "site/c.toml").write_text(text)
    line = ["run", "c.toml", "--no-agents", *words]
    return CliRunner().invoke(command, line, prog_name="fairlead", standalone_mode=False)


def started(tmp_path: Path) -> list[str]:
    """The last words that mpirun was called with: the program and its arguments."""
    words = (tmp_path / "bin/mpirun.words").read_text().splitlines()
    return words[next(k for k, word in enumerate(words) if word.startswith("FAIRLEAD_JOB=")) + 1 :]


@pytest.mark.parametrize("shared", [False, True])
def test_the_command_uses_the_copies_on_the_hosts(tmp_path: Path, shared: bool) -> None:
    words = ("--bring", "solver", "--bring", "./in.dat", "--", "./solver", "--mode", "fast", "in.dat")
    done = run(tmp_path, *words, shared=shared)
    assert (done.exception, done.return_value) == (None, 0), done.output
    program, *rest, data = started(tmp_path)
    assert rest == ["--mode", "fast"]
    assert Path(program).is_relative_to(tmp_path / "home/.cache/fairlead/brought")
    assert Path(program).read_text() == "#!/bin/sh\necho solved\n"
    assert (Path(data).name, Path(data).read_text()) == ("in.dat", "1 2 3\n")
    assert "fairlead: copied solver to a" in done.stderr
    assert set((tmp_path / "calls").read_text().split()) == {"a", "b"}
    with Store.read(tmp_path / "site/results") as store:  # recorded as it was given
        (recorded,) = store.runs("run")
        assert (recorded.plan, recorded.labels["program"]) == (["./solver", "--mode", "fast", "in.dat"], "solver")
    again = run(tmp_path, *words, shared=shared)
    assert again.return_value == 0
    assert "copied" not in again.stderr
    assert started(tmp_path) == [program, *rest, data]


def test_without_it_a_program_that_hosts_do_not_have_is_an_error(tmp_path: Path) -> None:
    assert isinstance(run(tmp_path, "--", "./no-such-solver").exception, NoProgramError)
    assert not (tmp_path / "home/.cache/fairlead/brought").exists()


def test_a_launch_line_of_ones_own_names_them_too(tmp_path: Path) -> None:
    line = [str(tmp_path / "bin/mpirun"), "FAIRLEAD_JOB=", "-n", "2", "./solver"]
    done = run(tmp_path, "--own-mpirun", "--bring", "./solver", "--", *line)
    assert (done.exception, done.return_value) == (None, 0), done.output
    *_, program = started(tmp_path)
    assert Path(program).is_relative_to(tmp_path / "home/.cache/fairlead/brought")


def test_what_runs_here_cannot_be_a_copy_on_the_hosts(tmp_path: Path) -> None:
    done = run(tmp_path, "--own-mpirun", "--bring", "./solver", "--", "./solver", "mpirun")
    assert isinstance(done.exception, ConfigError)
    assert done.exception.message == (
        "--bring solver: with --own-mpirun this program runs here, and the copies are on the hosts"
    )


def test_only_whole_words_that_are_the_files_path_are_replaced(tmp_path: Path) -> None:
    absolute = str(tmp_path / "site/solver")
    done = run(tmp_path, "--bring", absolute, "--", "solver", "--log=solver", "other/solver", "./solver")
    assert done.return_value == 0, done.output
    program, *rest = started(tmp_path)
    assert rest == ["--log=solver", "other/solver", program]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("nothing", r"^--bring nothing: no such file$"),
        ("folder", r"^--bring folder: is not a regular file\n"),
        ("pipe", r"^--bring pipe: is not a regular file\n"),
        ("back\\slash", r"^--bring 'back\\\\slash': files of such names cannot be brought\n"),
        ("SHA256SUMS", r"^--bring 'SHA256SUMS': files of such names cannot be brought\n"),
        ("in.dat", r"(?s)^--bring in.dat: no word of the command names this file.*--bring in.dat -- ./in.dat$"),
    ],
)
def test_what_cannot_be_brought_is_told_before_any_host_is_asked(
    site: Path, tmp_path: Path, file: str, said: str
) -> None:
    (site / "folder").mkdir()
    os.mkfifo(site / "pipe")
    for name in ("back\\slash", "SHA256SUMS"):
        (site / name).touch()
    named = [] if file == "in.dat" else [file]
    with pytest.raises(ConfigError, match=said):
        own_files.check([Path(file)], ["./solver", *named])
    assert isinstance(run(tmp_path, "--bring", file, "--", "./solver", *named).exception, ConfigError)
    assert not (tmp_path / "calls").exists()


def test_a_host_without_room_is_told_and_nothing_is_started(tmp_path: Path) -> None:
    assert run(tmp_path, "--", "/bin/true").return_value == 0  # hosts have what mpirun needs to reach them
    (tmp_path / "bin/mpirun.words").unlink()
    put(tmp_path / "bin/tar", '#!/bin/sh\ncat >/dev/null\necho "tar: solver: No space left on device" >&2\nexit 2\n')
    done = run(tmp_path, "--bring", "solver", "--", "./solver")
    assert isinstance(done.exception, HostError)
    assert str(done.exception).startswith("a: there is no room for solver in ~/.cache/fairlead: no space left on")
    assert "(also failed: b)" in str(done.exception)
    assert not (tmp_path / "bin/mpirun.words").exists()
