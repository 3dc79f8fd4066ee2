"""An agent of host 0 of two on this machine; the other host has none."""

import json
import os
import secrets
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def lone_agent(program: Path, *, ends_with: int = 0, **config: Any) -> "Iterator[subprocess.Popen[str]]":
    """Started with its configuration, which ``config`` adds to, and ended by the end of its input.

    Args:
        ends_with: its exit code; minus the signal by which a test ends it.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    whole = {
        "type": "config",
        "job": secrets.token_hex(4),
        "secret": secrets.token_hex(32),
        "self": 0,
        "hosts": [{"name": f"h{i}", "address": f"127.0.0.{i + 1}", "port": port} for i in (0, 1)],
        "guardian": None,
        "uid": os.getuid(),
        "manage": None,
        **config,
    }
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(whole) + "\n")
        process.stdin.flush()
        yield process
        process.stdin.close()
        assert process.wait(10) == ends_with
