"""Wrong input ends with 2, whichever command was given it; what failed with 1, a program that is not there with 127."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.errors import FairleadError
from fairlead.lab import state

CLUSTER = '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
COLUMNS = '[dataset]\nname = "d"\n[factors]\nf = "f"\n[values.time_s]\ncolumn = "t"\nunit = "s"\n'


def code_of(*words: str) -> int:
    """As `fairlead.cli.main` maps it."""
    done = CliRunner().invoke(command, words, prog_name="fairlead")
    if done.exception is None or isinstance(done.exception, SystemExit):
        return done.exit_code
    assert isinstance(done.exception, FairleadError), done.exception
    return done.exception.exit_code


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Has a cluster file, run 1 in r (of a program), and evaluation d as run 1 in e."""
    path = tmp_path_factory.mktemp("codes")
    (path / "c.toml").write_text(CLUSTER)
    (path / "map.toml").write_text(COLUMNS)
    (path / "e.csv").write_text("f,t\n" + "".join(f"{f},{t}\n" for f in (1, 2) for t in (2.0, 2.1, 2.2)))
    (path / "labs").mkdir()
    (path / "full").mkdir()
    (path / "full" / "file").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        assert code_of(*["run", "c.toml", "--results", "r", "-q", "--no-agents", "--own-mpirun", "--", "true"]) == 0
        assert code_of(*["evaluate", "import", "e.csv", "--columns", "map.toml", "--results", "e"]) == 0
    return path


@pytest.mark.parametrize(
    "line",
    [
        "report nosuch",
        "report r --run 99",
        "report r --experiment 1",
        "report r --characterization 1",
        "report e --run 1",
        "report r --benchmarks",
        f"report r --run {10**30}",
        f"report r --characterization {10**30}",
        f"characterize show {10**30} --results r",
        "report e --level 95",
        "report e --list --prices nosuch.toml",
        "report e --list --output page.html",
        "report e --list --level 0.9",
        "evaluate report e --level 95",
        "evaluate report e --name nope",
        "evaluate report e --value nope",
        "evaluate report r",
        "export nosuch",
        "export r --output full",
        "characterize show --results r",
        "characterize show 1 --results r",
        "characterize diff --results nosuch",
        "measure import osu map.toml --system x",
        "profile show nosuch.otf2",
        "lab show nosuch",
        "lab down ../nosuch",
        "lab exec nosuch h0 -- true",
        "lab nic nosuch h0 0 down",
        "lab migrate nosuch vm server",
        "lab congest nosuch stop",
    ],
)
def test_wrong_input_is_2(line: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory)
    monkeypatch.setattr(state, "labs_directory", lambda: directory / "labs")
    assert code_of(*line.split()) == 2


def test_a_launch_line_that_is_not_found_is_127(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory)
    line = "run c.toml --results n -q --no-agents --own-mpirun -- nosuchprog"
    assert code_of(*line.split()) == 127


def test_what_fails_is_1(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory)
    assert code_of(*["report", "r", "--output", "/proc/none/report.html"]) == 1
