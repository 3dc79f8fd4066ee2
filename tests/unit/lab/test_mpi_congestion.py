"""MPI traffic as congestion: the command line of its program."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fairlead.config import parse
from fairlead.lab.congestion.description import MpiTraffic
from fairlead.lab.congestion.mpi import MpiCongestion
from fairlead.lab.description import Description
from fairlead.lab.resolve import resolve_lab

STAR = """
[lab]
name = "x"
topology = "star"
hosts_per_leaf = 1
neighbours_per_leaf = 2
[host_link]
rate = "1gbit"
"""


@pytest.mark.parametrize(
    ("message", "scale", "size_B"), [("1MB", 1.0, "1000000"), ("1MB", 0.1, "100000"), ("256B", 0.05, "32")]
)
def test_scaled_messages_keep_room_for_their_mark(
    message: str, scale: float, size_B: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("fairlead.native.mpi_program", lambda family, name: Path("/opt") / name)
    monkeypatch.setattr("fairlead.lab.idle.library", lambda: Path("/opt/idle.so"))
    plan = resolve_lab(parse(STAR, Description, source="x"), scale=scale)
    lab = SimpleNamespace(plan=plan, agent_script=Path("/opt/agent"), record={"user_namespace": True})
    traffic = MpiTraffic(kind="mpi", message=message)
    words = MpiCongestion(lab, traffic)._command()
    assert words[words.index("--bytes") + 1] == size_B, "random-traffic takes 32 B and more"
