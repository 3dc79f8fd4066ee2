"""What the holder of a lab tells of tools that fail."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
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


def test_a_directory_whose_name_is_no_text_is_mounted_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    mounted: list[tuple[object, ...]] = []

    def mount(*arguments: object) -> int:
        mounted.append(arguments)
        return len(mounted) - 1

    monkeypatch.setattr(holder, "_libc", SimpleNamespace(mount=mount))
    name = os.fsdecode(b"/tmp/caf\xe9")
    holder._mount("/proc/self/fd/3", name, None, holder.MS_BIND)
    assert mounted[0][1] == b"/tmp/caf\xe9"
    with pytest.raises(OSError, match=r"mount\(/proc/self/fd/3, /tmp/caf"):  # is told, too
        holder._mount("/proc/self/fd/3", name, None, holder.MS_BIND)
