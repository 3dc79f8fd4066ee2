"""Emulated clusters on one machine, for real, unmodified MPI programs.

`fairlead.lab.description.load` reads a description, `up` starts it, `find_lab` finds a running one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from fairlead.lab.lab import Lab, find_lab, is_running, left_over, running_labs, take_down
from fairlead.lab.topology import DirectedLink, LabHost, LabLink, Pair, ResolvedLab

if TYPE_CHECKING:
    from fairlead.lab.description import Description

__all__ = [
    "DirectedLink",
    "Lab",
    "LabHost",
    "LabLink",
    "Pair",
    "ResolvedLab",
    "find_lab",
    "is_running",
    "left_over",
    "running_labs",
    "take_down",
    "up",
]


def up(
    description: Description,
    *,
    name: str | None = None,
    scale: float | None = None,
    share: Iterable[Path] = (),
    user_namespace: bool | None = None,
    ledger: Path | None = None,
) -> Lab:
    """See `fairlead.lab.start.up`."""
    from fairlead.lab import start  # reading files needs pydantic, which `lab exec` does not wait for

    return start.up(description, name=name, scale=scale, share=share, user_namespace=user_namespace, ledger=ledger)
