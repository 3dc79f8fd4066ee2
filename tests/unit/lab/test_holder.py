"""What the holder of a lab tells of tools that fail."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairlead.lab import holder
from fairlead.lab.holder import Builder, HolderError


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Builder]:
    """A builder whose `ip` fails before it has read anything."""
    tool = tmp_path / "ip"
    tool.write_text("#!/bin/sh\necho 'RTNETLINK answers: No buffer space available' >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setattr(holder, "_setns", lambda descriptor: None)
    job: Any = {"tools": {"ip": str(tool)}}
    builder = Builder(job)
    yield builder
    for descriptor in builder.base:
        os.close(descriptor)


def test_a_tool_that_ends_before_it_has_read_a_large_batch_tells_why(failing: Builder) -> None:
    lines = ["link add name a type veth"] * 40_000  # more than a pipe holds
    with pytest.raises(HolderError, match=r"^ip failed in the lab: RTNETLINK answers: No buffer space available\n"):
        failing._run_all({"": [("ip", lines)]})
