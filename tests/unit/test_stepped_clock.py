"""The stand-in for an agent whose clock the fault matrix steps: what is stepped is the agent behind it."""

import json
import os
import secrets
import socket
import subprocess
import time
from itertools import islice
from pathlib import Path

from bench.faults import stepped_clock

from fairlead import native


def test_an_agents_clock_jumps_and_it_goes_on(tmp_path: Path) -> None:
    """A step that the agent did not take would be a fault that hurts nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = {
        "type": "config",
        "job": secrets.token_hex(4),
        "secret": secrets.token_hex(32),
        "self": 0,
        "hosts": [{"name": f"h{i}", "address": f"127.0.0.{i + 1}", "port": port} for i in (0, 1)],
        "guardian": None,
        "uid": os.getuid(),
        "manage": None,
    }
    environment = stepped_clock.stage(tmp_path)
    argv = [Path(environment[native.ENVIRONMENT_VARIABLE]) / "bin" / "fairlead-agent"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(config) + "\n")
        process.stdin.flush()
        lines = map(json.loads, process.stdout)
        assert next(lines)["type"] == "ready"
        ahead_s = (event["t_s"] - time.time() for event in lines if event["type"] == "stats")
        assert abs(next(ahead_s)) < 5
        stepped_clock.step(tmp_path, socket.gethostname(), 100.0)
        assert max(islice(ahead_s, 3)) > 95
        stepped_clock.step(tmp_path, socket.gethostname(), -100.0)
        assert min(islice(ahead_s, 3)) < 5
        process.stdin.close()
        assert process.wait(10) == 0
