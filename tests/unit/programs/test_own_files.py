"""``--bring``: which files can be brought, and the command that names their copies. The "ssh" and mpirun are shells."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fairlead.cli.main import command
from fairlead.cluster.description import Cluster, Host, Ssh
from fairlead.errors import ConfigError, FileError, HostError, NoProgramError
from fairlead.programs import own_files
from fairlead.store import Store

from .site import make_site, put

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
    (tmp_path / "other").mkdir()
    return make_site(tmp_path, monkeypatch)


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


def test_files_that_the_launcher_reads_here_stay_as_they_are(tmp_path: Path, site: Path) -> None:
    """Here as an MPICH's mpirun has it; the first word of the program is only for `started`."""
    (site / "hosts").write_text("a\nb\n")
    mpirun = str(tmp_path / "bin/mpirun")
    line = [mpirun, "-f", "hosts", "-n", "2", "FAIRLEAD_JOB=", "./solver", "-f", "hosts", "in.dat"]
    done = run(tmp_path, "--own-mpirun", "--bring", "hosts", "--bring", "solver", "--", *line)
    assert (done.exception, done.return_value) == (None, 0), done.output
    assert (tmp_path / "bin/mpirun.words").read_text().splitlines()[:4] == ["-f", "hosts", "-n", "2"]
    program, option, hosts, data = started(tmp_path)
    assert (option, data) == ("-f", "in.dat")
    assert [Path(each).parents[1] for each in (program, hosts)] == [tmp_path / "home/.cache/fairlead/brought"] * 2
    assert Path(hosts).read_text() == "a\nb\n"


@pytest.mark.parametrize(
    "line",
    ["mpirun --hostfile in.dat -n 2 ./solver", "mpiexec -f in.dat ./solver", "in.d/mpirun -machinefile in.dat solver"],
)
def test_a_file_that_no_rank_would_read_is_not_brought(line: str) -> None:
    with pytest.raises(ConfigError, match=r"^--bring in.dat: only the launcher's own words name this file, and "):
        own_files.check([Path("in.dat")], line.split(), own_mpirun=True)


def test_what_may_be_the_launchers_is_refused_until_it_is_clear(tmp_path: Path) -> None:
    def check(line: str, *files: str) -> None:
        own_files.check([Path(file) for file in files], line.split(), own_mpirun=True)

    unclear = "mpirun --weird 3 ./solver in.dat"
    with pytest.raises(ConfigError) as told:
        check(unclear, "in.dat")
    assert told.value.message.startswith("--bring in.dat: it is not clear whether ranks read this file, or ")
    assert told.value.message.endswith("fairlead does not know the launcher's option --weird")
    assert told.value.hint.startswith("bring the program as well; or, if the option takes a value, write its long form")
    check(unclear, "in.dat", "solver")  # each of the ways out
    check("mpirun --weird=3 ./solver in.dat", "in.dat")
    check("mpirun --weird -n 3 ./solver in.dat", "in.dat")
    with pytest.raises(ConfigError, match=r"^--bring in\.dat: it is not clear"):
        check("mpirun --weird in.dat ./solver in.dat", "in.dat", "solver")
    done = run(tmp_path, "--own-mpirun", "--bring", "in.dat", "--", *unclear.split())
    assert isinstance(done.exception, ConfigError)
    assert not (tmp_path / "calls").exists()


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


def test_each_file_is_named_by_a_command_of_a_plan(tmp_path: Path) -> None:
    commands = [("cg", "--class", "S"), (str(tmp_path / "site/solver"), "in.dat")]
    own_files.check_plan([Path("./solver"), Path("in.dat")], commands)
    with pytest.raises(ConfigError) as told:
        own_files.check_plan([Path("solver"), Path("in.dat")], commands[:1])
    assert told.value.message == (
        "--bring solver: no command of the plan names this file, so nothing would use the copy"
    )
    assert told.value.hint == 'name it there as well, for example: command = ["./solver"]'
    with pytest.raises(ConfigError, match=r"^--bring nothing: no such file$"):
        own_files.check_plan([Path("nothing")], [("./nothing",)])


def test_a_file_that_changes_while_a_plan_runs_is_told(site: Path) -> None:
    hosts = (Host("a", "10.0.0.1", reach="a"), Host("b", "10.0.0.2", reach="b"))
    cluster = Cluster("c", "ssh", hosts, ssh=Ssh(shared_files=True), source="c.toml")
    told: list[str] = []
    files = own_files.identities([Path("solver"), Path("in.dat")])
    found = own_files.copies(cluster, files, ["a", "b"], told.append)
    assert told == ["copied solver to a", "copied in.dat to a"]
    assert {file: Path(path).parent.name for file, path in found.items()} == files
    assert own_files.copies(cluster, files, ["a", "b"], told.append) == found
    assert len(told) == 2
    (site / "in.dat").write_text("4 5 6\n")
    with pytest.raises(FileError, match=r"^--bring in\.dat: the file has changed since this command began\n"):
        own_files.copies(cluster, files, ["a", "b"], told.append)
    (site / "in.dat").unlink()
    with pytest.raises(FileError, match=r"in\.dat: cannot be brought to hosts: "):
        own_files.identities(files)
    assert own_files.copies(cluster, {}, ["a", "b"], told.append) == {}
