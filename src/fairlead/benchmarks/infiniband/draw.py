"""What perftest measured when fairlead ran it: latency and throughput of each verb."""

from collections.abc import Sequence

from fairlead.benchmarks.infiniband.analyse import load_infiniband
from fairlead.benchmarks.page import bands
from fairlead.benchmarks.page.curves import Measured
from fairlead.benchmarks.page.section import of_curves
from fairlead.report.figures import Drawing

CAPTIONS = {
    "latency": "By perftest: half the round trip of a message over one queue pair. A block is one run of it.",
    "throughput": "By perftest: how fast messages are completed, over all queue pairs and both directions together. A "
    "block is one run of it.",
}


def drawings(found: Sequence[Measured], systems: Sequence[str]) -> list[Drawing]:
    """Bands of latency and of throughput."""
    drawn = []
    for what, latency in (("latency", True), ("throughput", False)):
        chosen = [each for each in found if each.is_latency == latency]
        if chosen:
            drawn.append(bands.draw(chosen, systems, f"infiniband-{what}", f"InfiniBand {what}", CAPTIONS[what]))
    return drawn


def alike(found: Sequence[Measured]) -> list[list[Measured]]:
    """Groups whose members can be held against each other: the same verb and test of different systems."""
    groups: dict[tuple[str, bool], list[Measured]] = {}
    for each in found:
        groups.setdefault((each.transport, each.is_latency), []).append(each)
    return list(groups.values())


SECTION = of_curves(
    load=load_infiniband,
    drawings=lambda found, report: drawings(found, report.names),
    alike=alike,
)
