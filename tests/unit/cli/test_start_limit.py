"""``fairlead run --start-limit``: nothing but the program's own end ends a run, unless this is given."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from fairlead.cli.main import command
from fairlead.cluster.jobs import startup
from fairlead.cluster.jobs.startup import StartupTimeout

# An mpirun that starts no rank for a while, and ends.
MPIRUN = '#!/bin/sh\n[ "$1" != --version ] || { echo "mpirun (Open MPI) 4.1.4"; exit; }\nsleep 4\nexit 6\n'
CLUSTER = """
[cluster]
name = "slow"
executor = "local"
interface = "lo"
mpirun = "{mpirun}"
[[hosts]]
name = "localhost"
address = "127.0.0.1"
"""


@pytest.fixture(autouse=True)
def _soon_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "TIMEOUT_S", 0.3)
    monkeypatch.setattr(startup, "POLL_S", 0.05)


def run(tmp_path: Path, *options: str) -> Result:
    mpirun, cluster = tmp_path / "mpirun", tmp_path / "slow.toml"
    mpirun.write_text(MPIRUN)
    mpirun.chmod(0o755)
    cluster.write_text(CLUSTER.format(mpirun=mpirun))
    words = ["run", str(cluster), "--results", str(tmp_path / "results"), "--no-agents", *options, "--", "true"]
    return CliRunner().invoke(command, words, prog_name="fairlead", standalone_mode=False)


def test_a_program_without_ranks_is_left_alone_and_told(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert (done.exception, done.return_value) == (None, 6), done.output
    late = "fairlead: no rank was seen on localhost within 0.3 s; the program is left alone\n"
    assert done.stderr.count(late) == 1


def test_the_option_sets_a_limit(tmp_path: Path) -> None:
    done = run(tmp_path, "--start-limit", "0.5")
    assert isinstance(done.exception, StartupTimeout)
    assert str(done.exception).startswith("no rank was seen on localhost within 0.5 s; the job was ended")


def test_within_its_limit_a_program_may_end(tmp_path: Path) -> None:
    done = run(tmp_path, "--start-limit", "60")
    assert (done.exception, done.return_value) == (None, 6), done.output


@pytest.mark.parametrize("option", ["--start-limit", "--grace"])
@pytest.mark.parametrize("seconds", ["nan", "inf"])
def test_a_limit_is_a_finite_number(tmp_path: Path, option: str, seconds: str) -> None:
    done = run(tmp_path, option, seconds)
    assert isinstance(done.exception, click.BadParameter)
    assert done.exception.message == f"'{seconds}' is not a finite number"
