"""``fairlead simulate`` is the simulator, with its arguments, help and exit codes."""

import json
import subprocess
import sys
from pathlib import Path

FAIRLEAD = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]


def simulate(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*FAIRLEAD, "simulate", *words], cwd=cwd, capture_output=True, text=True, check=False)


def test_an_example_runs_by_name(tmp_path: Path) -> None:
    done = simulate("run", "--unmanaged", "--seed", "3", "examples/simulation/mesh8.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["seed"], outcome["managed"]) == (3, False)


def test_help_is_the_simulators(tmp_path: Path) -> None:
    for words in (["--help"], ["-h"]):
        done = simulate(*words, cwd=tmp_path)
        assert (done.returncode, "Usage: fairlead simulate [OPTIONS] SUBCOMMAND" in done.stdout) == (0, True)
    assert "Usage: fairlead simulate run [OPTIONS] SCENARIO" in simulate("run", "--help", cwd=tmp_path).stdout


def test_exit_codes_are_the_simulators(tmp_path: Path) -> None:
    done = simulate("run", "nosuch.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "fairlead-sim: nosuch.json: cannot be read\n")
    assert simulate(cwd=tmp_path).returncode == 2
