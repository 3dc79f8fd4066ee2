"""Characterizing 16 hosts on three topologies, and 64: how long it takes, and how well it finds true bottlenecks."""

import time
from collections.abc import Iterator
from pathlib import Path

from bench import laboratory
from bench.figures import AT_LEAST, AT_MOST, Figure
from bench.session import Session
from fairlead.characterize.score import score, truth_of

TARGET_S = {16: 30.0, 64: 90.0}
"""By number of hosts."""
TARGET_SCORE = 0.95
SIZES_B = (64, 1024, 8192, 65536)
TOPOLOGIES = {
    "star16": Path(__file__).with_name("star16.toml"),
    "leaf-spine16": laboratory.EXAMPLES / "leaf-spine16.toml",
    "mesh16": laboratory.MESH16,
    "leaf-spine64": Path(__file__).with_name("leaf-spine64.toml"),
}


def measure(session: Session) -> Iterator[Figure]:
    """Figures ``characterisation.TOPOLOGY.{time,precision,recall}``."""
    for name, description in TOPOLOGIES.items():
        if session.quick and name != "star16":
            continue
        session.say(name)
        with laboratory.network(session, description) as net:
            begin_s = time.monotonic()
            found = net.characterize(SIZES_B)
            time_s = time.monotonic() - begin_s
            agreement = score(found.sensitivity.dense(), truth_of(net.lab.shared_bottlenecks(), found.hosts))
        session.record(topology=name, time_s=time_s, score=vars(agreement), run=found.run)
        cells = f"{agreement.found} found, {agreement.missed} missed, {agreement.invented} invented"
        prefix = f"characterisation.{name}"
        yield Figure(
            f"{prefix}.time", time_s, "s", 1, TARGET_S[len(found.hosts)], AT_MOST, note="agents' start included"
        )
        yield Figure(f"{prefix}.precision", agreement.precision, "1", 1, TARGET_SCORE, AT_LEAST, note=cells)
        yield Figure(f"{prefix}.recall", agreement.recall, "1", 1, TARGET_SCORE, AT_LEAST, note=cells)
