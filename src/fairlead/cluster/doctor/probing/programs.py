"""Fairlead's own programs on this host, and what they share with others."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from fairlead.cluster.doctor.probing.system import content_of, output_of


def infiniband() -> list[dict[str, Any]]:
    """Devices that verbs could use: name, driver (EFA is one of them), and whether a port is in use and this user may
    open it."""
    base = Path("/sys/class/infiniband")
    devices = sorted(base.iterdir()) if base.is_dir() else []
    opened = {
        content_of(path / "ibdev")
        for path in Path("/sys/class/infiniband_verbs").glob("uverbs*")
        if os.access(Path("/dev/infiniband") / path.name, os.R_OK | os.W_OK)
    }
    return [
        {
            "name": path.name,
            "driver": (path / "device/driver").resolve().name,
            "usable": path.name in opened
            and any("ACTIVE" in (content_of(state) or "") for state in path.glob("ports/*/state")),
        }
        for path in devices
    ]


def guardian(argv: list[str]) -> dict[str, Any]:
    """What ``fairlead-guardian --check`` says about the route plane here, or {"error": reason}."""
    check = [*argv, "--check"]
    _, text = output_of(check, timeout_s=20)
    try:
        said = json.loads(text)
    except ValueError:
        return {"error": f"`{' '.join(check)}` does not work: {text}"}
    return said if isinstance(said, dict) else {"error": f"`{' '.join(check)}` printed {text}"}


def executable(paths: list[str]) -> dict[str, bool]:
    """Of those files that are there: whether this user may execute them."""
    return {path: os.access(path, os.X_OK) for path in paths if Path(path).is_file()}


def version(argv: list[str]) -> dict[str, str]:
    """What ``--version`` prints, or {"error": reason}."""
    code, text = output_of([*argv, "--version"])
    return {"version": text} if code == 0 else {"error": f"{argv[0]} does not run: {text}"}


def port_ranges(path: str) -> list[list[int]]:
    """First and last of each range in a setting of the kernel's: "32768 60999", or "80,8000-8010"."""
    words = re.sub(r"(\d+)\s+(\d+)", r"\1-\2", content_of(path) or "").split(",")
    return [[int(part) for part in (word.split("-") * 2)[:2]] for word in words if word]


def running_jobs(sockets: str) -> list[str]:
    """Jobs whose guardians live: each holds an abstract socket of its job's name, per network namespace (unix(7))."""
    return sorted(set(re.findall(r"@fairlead-guardian-(\w+)", sockets)))
