"""Commands of a session that has little: no PATH, a home that nobody can write to."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead.cli.main import _told
from fairlead.store import Store

TELLS_PATH = """
import os, sys
from fairlead.cli.main import main
try:
    main()
finally:
    os.write(2, os.environ["PATH"].encode())
"""


def test_without_a_path_it_is_that_of_shells() -> None:
    done = subprocess.run([sys.executable, "-c", TELLS_PATH, "--version"], env={}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, os.defpath)


def test_a_current_directory_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(FileNotFoundError) as raised:
        Path.cwd()
    assert str(_told(raised.value)) == "the current directory does not exist any more\n  change to another one: cd ~"
    assert str(_told(FileNotFoundError(2, "No such file or directory", "x"))) == "x: No such file or directory"


def test_a_report_is_written_and_says_nothing_of_caches(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        run = store.begin_run("run", {"program": "cg", "ranks": 2})
        store.add_series(run, "time_s", 1.0, "s")
        store.finish_run(run)
    line = [sys.executable, "-c", "from fairlead.cli.main import main; main()", "report", str(tmp_path)]
    done = subprocess.run(line, env={"HOME": "/proc"}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "report.html").is_file()
