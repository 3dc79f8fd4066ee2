"""The stand-in for an agent whose clock the fault matrix steps: what is stepped is the agent behind it."""

import json
import socket
import time
from itertools import islice
from pathlib import Path

from bench.faults import stepped_clock

from fairlead import native
from lone_agent import lone_agent


def test_an_agents_clock_jumps_and_it_goes_on(tmp_path: Path) -> None:
    """A step that the agent did not take would be a fault that hurts nothing."""
    environment = stepped_clock.stage(tmp_path)
    with lone_agent(Path(environment[native.ENVIRONMENT_VARIABLE]) / "bin" / "fairlead-agent") as process:
        assert process.stdout is not None
        lines = map(json.loads, process.stdout)
        assert next(lines)["type"] == "ready"
        ahead_s = (event["t_s"] - time.time() for event in lines if event["type"] == "stats")
        assert abs(next(ahead_s)) < 5
        stepped_clock.step(tmp_path, socket.gethostname(), 100.0)
        assert max(islice(ahead_s, 3)) > 95
        stepped_clock.step(tmp_path, socket.gethostname(), -100.0)
        assert min(islice(ahead_s, 3)) < 5
