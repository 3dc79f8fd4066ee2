"""Readers of what `fairlead` says may go away before it ends."""

import os
import subprocess
import sys

import pytest

CODE = """
import sys
from fairlead.cli import main
main._main = lambda: sys.{stream}.write("nobody reads this")
main.main()
sys.exit(3)
"""


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_nobody_reads_does_not_change_the_exit_code(stream: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as closed:
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | {stream: closed}
        code = CODE.format(stream=stream)
        env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}  # as most have it
        done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False, env=env, **streams)  # type: ignore[call-overload]
    assert done.returncode == 3
