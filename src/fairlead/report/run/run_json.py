"""``fairlead report --json`` of a run by itself: its figures for machines, a contract (`fairlead.contract`)."""

import math
from pathlib import Path

from pydantic import Field

from fairlead.analysis.runs import benefit as benefits
from fairlead.analysis.runs.mitigation import Mitigation
from fairlead.contract import Document, Finite, Part
from fairlead.prices import cost_json
from fairlead.prices.cost_json import Cost
from fairlead.report.run.run_report import RunReport, findings
from fairlead.store.records import Label

SCHEMA_VERSION = "1.2"
SCHEMA_FILE = Path(__file__).with_name("run.schema.json")


class HostPair(Part):
    """Messages from one host to another, where they were monitored. ``communication_s``: null where not known."""

    source: str
    destination: str
    messages: int
    size_B: int
    waited_s: Finite
    communication_s: Finite | None
    late_sender_s: Finite
    latency_s: Finite | None


class RankPair(Part):
    """A pair of ranks that spends more in transmission (t_t) than in processing (t_p)."""

    source_rank: int
    rank: int
    source: str
    destination: str
    messages: int
    size_B: int
    transmission_s: Finite
    processing_s: Finite


class Advice(Part):
    """What may help the program. ``saving_s_per_min``: null where other placements were not compared;
    ``host_of_rank``: the placement that is advised, empty where none is. Of ``all_pairs`` the longest are listed."""

    remedy: str
    reason: str
    observed_s: Finite
    cost_s_per_min: Finite
    saving_s_per_min: Finite | None
    host_of_rank: list[str]
    pairs: list[RankPair]
    all_pairs: int
    paths_left_out: int


class Benefit(Part):
    """The program's traffic with reroutes over that without, measured while it ran. ``low``, ``high``: 90 % interval,
    null with one comparison. ``suspended``: how often reroutes were suspended, as they slowed the program."""

    ratio: Finite
    low: Finite | None
    high: Finite | None
    comparisons: int
    suspended: int


class RunSummary(Document):
    """The whole text. ``findings``: the report's sentences. ``advice``: null where there is none; ``benefit``: null
    where it was not measured; ``cost``: null where no price is known."""

    schema_name: str = Field(alias="schema", default="fairlead.run")
    schema_version: str = SCHEMA_VERSION
    run: int
    program: list[str]
    labels: dict[str, Label]
    status: str
    exit_code: int | None
    time_s: Finite
    findings: list[str]
    host_pairs: list[HostPair]
    advice: Advice | None
    benefit: Benefit | None = None
    cost: Cost | None = None


def of(report: RunReport) -> RunSummary:
    """The figures of a report."""
    run = report.managed.run
    return RunSummary(
        run=run.id,
        program=list(report.argv),
        labels=dict(run.labels),
        status=run.status,
        exit_code=run.exit_code,
        time_s=report.managed.time_s,
        findings=[text.replace("\u00a0", " ") for text in findings(report)],
        host_pairs=[
            HostPair(
                source=source,
                destination=destination,
                messages=times.messages,
                size_B=times.size_B,
                waited_s=times.waited_s,
                communication_s=times.communication_s,
                late_sender_s=times.late_sender_s,
                latency_s=times.latency_s,
            )
            for (source, destination), times in (report.communication.pairs if report.communication else {}).items()
        ],
        advice=_advice(report.mitigation) if report.mitigation is not None else None,
        benefit=_benefit(report.benefit) if report.benefit is not None else None,
        cost=cost_json.of(report.cost) if report.cost is not None else None,
    )


def _benefit(found: benefits.Benefit) -> Benefit:
    return Benefit(
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        comparisons=found.comparisons,
        suspended=found.suspended,
    )


def _advice(found: Mitigation) -> Advice:
    return Advice(
        remedy=found.remedy,
        reason=found.reason,
        observed_s=found.observed_s,
        cost_s_per_min=found.cost_s_per_min,
        saving_s_per_min=_known(found.saving_s_per_min),
        host_of_rank=list(found.host_of_rank),
        pairs=[
            RankPair(
                source_rank=each.source_rank,
                rank=each.rank,
                source=each.source,
                destination=each.destination,
                messages=each.messages,
                size_B=each.size_B,
                transmission_s=each.transmission_s,
                processing_s=each.processing_s,
            )
            for each in found.pairs
        ],
        all_pairs=found.all_pairs,
        paths_left_out=found.paths_left_out,
    )


def _known(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
