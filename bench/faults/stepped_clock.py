"""Agents whose clock can be stepped while they run: hosts of a lab share the machine's clock.

A stand-in for the agent passes its input on and adds the command `step_clock` when it is told to.
"""

import json
import shutil
import socket
import sys
from pathlib import Path

from fairlead import native
from fairlead.protocol import commands

NAME = "clocks"
STAND_IN = """#!{python} -IS
import os, select, socket, subprocess, sys
if len(sys.argv) > 1:
    os.execv({real!r}, [{real!r}, *sys.argv[1:]])
path = os.path.join({directory!r}, socket.gethostname())
if os.path.exists(path):
    os.unlink(path)
control = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
control.bind(path)
agent = subprocess.Popen([{real!r}], stdin=subprocess.PIPE)
whole = True
while True:
    ready = select.select([0, control] if whole else [0], [], [])[0]
    data = os.read(0, 65536) if 0 in ready else control.recv(4096)
    if not data:
        break
    whole = data.endswith(b"\\n")
    try:
        agent.stdin.write(data)
        agent.stdin.flush()
    except BrokenPipeError:
        break
try:
    agent.stdin.close()
except BrokenPipeError:
    pass
os.unlink(path)
sys.exit(agent.wait())
"""


def stage(directory: Path) -> dict[str, str]:
    """Native programs with the stand-in, in a directory that hosts see; returns the environment that selects them."""
    staged = directory / "native"
    if not staged.exists():
        real = str(native.program("fairlead-agent").resolve())
        (directory / NAME).mkdir()
        shutil.copytree(native.directory(), staged, symlinks=True)
        agent = staged / "bin" / "fairlead-agent"
        agent.unlink()
        agent.write_text(STAND_IN.format(python=sys.executable, real=real, directory=str(directory / NAME)))
        agent.chmod(0o755)
    return {native.ENVIRONMENT_VARIABLE: str(staged)}


def step(directory: Path, host: str, offset_s: float) -> None:
    """Have the clock of a host's agent jump by so much.

    Raises:
        OSError: no agent with the stand-in runs there.
    """
    line = json.dumps({**commands.StepClock(offset_s=offset_s).to_json(), "id": 0}) + "\n"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as control:
        control.sendto(line.encode(), str(directory / NAME / host))
