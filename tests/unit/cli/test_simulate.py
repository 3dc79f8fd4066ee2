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


def test_a_receive_that_is_too_small_is_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "t.trace").write_text("fairlead-trace 1\nranks 2\n0 send 1 200 3 0\n1 recv 0 100 3 0\n")
    link = {"rate_bps": 1e9, "queue_s": 0.01}
    topology = {"kind": "star", "hosts_per_leaf": 2, "neighbours_per_leaf": 0, "host_link": link}
    scenario = {"topology": topology, "agents": {"managed": False}, "programs": [{"trace": "t.trace"}]}
    (tmp_path / "s.json").write_text(json.dumps(scenario))
    done = simulate("run", "s.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "fairlead-sim: rank 1 receives at most 100 B with tag 3, and rank 0 sends 200\n"
