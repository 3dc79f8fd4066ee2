"""`fairlead -v` says what is executed; without it nothing is said."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fairlead.cluster.remote import executed

MAIN = "from fairlead.cli.main import main; main()"
CLUSTER = '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'


def test_a_command_line_is_one_that_a_shell_takes_and_scripts_are_short() -> None:
    command = ["ssh", "-o", "BatchMode=yes", "--", "n1", "sh -c 'exit 3'"]
    assert shlex.split(executed.describe(command)) == command
    script = "\nown=1\n" + "for x in 1 2 3; do echo $x; done\n" * 50
    said = executed.describe(["sh", "-c", script])
    assert said.startswith("sh -c 'own=1 for x in 1 2 3; do echo $x; done for") and said.endswith("...'")
    assert "\n" not in said and len(said) < 130


@pytest.mark.parametrize("verbose", [True, False])
def test_commands_are_told_with_v(verbose: bool, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(CLUSTER)
    words = ["run", "c.toml", "-q", "--no-agents", "--own-mpirun", "--", "sh", "-c", "exit 3"]
    line = [sys.executable, "-c", MAIN, *(["-v"] if verbose else []), *words]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3
    assert ("fairlead: executes sh -c 'exit 3'\n" in done.stderr) == verbose
    assert verbose or done.stderr == ""
    assert done.stdout == ""
