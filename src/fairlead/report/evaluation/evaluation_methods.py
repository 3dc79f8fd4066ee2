"""The methods paragraph of an evaluation, generated from its plan and from what was computed."""

from collections.abc import Iterator
from typing import Any

from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.analysis.evaluations.dataset import Dataset, is_imported
from fairlead.cluster.description import NATIVE
from fairlead.display import words
from fairlead.statistics import modes


def paragraphs(analysis: Analysis) -> list[str]:
    """How the samples came about, and how the numbers were computed."""
    record = analysis.data.record
    design = _imported(analysis) if is_imported(record) else _planned(record.plan, analysis)
    return [design, _computed(analysis)]


def _imported(analysis: Analysis) -> str:
    facts = analysis.data.record.facts
    source = f" Source: {facts['source']}." if facts["source"] else ""
    return (
        f"The samples were imported from {facts['file']}: {_factors(analysis)}. How and in which order they "
        f"were taken is not known.{source}"
    )


def _planned(plan: dict[str, Any], analysis: Analysis) -> str:
    clock = "wall time of the whole start, launcher included"
    if plan["run"]["value"] != "time_s":
        clock = "the program's own timed section"
    parts = [*_design(plan, analysis), *_surroundings(plan, analysis), f"The value is the {clock}."]
    return " ".join(parts)


def _design(plan: dict[str, Any], analysis: Analysis) -> Iterator[str]:
    """Which cells were run, how often and in which order."""
    table, plot = plan["replications"], plan["whole_plot"]
    per_cell = sorted({each.cell.n for each in analysis.summaries})
    counts = str(per_cell[0]) if len(per_cell) == 1 else f"{per_cell[0]} to {per_cell[-1]}"
    yield f"Factors were {_factors(analysis)}."
    if plan["exclude"] or plan["fractions"]:
        yield f"{words.count(len(analysis.data.cells), 'cell')} of all combinations were run, as planned."
    for fraction in plan["fractions"]:
        yield (
            f"Of the combinations of {words.listing(list(fraction['factors']))} a regular fraction was run: their "
            "interaction cannot be distinguished from the mean, nor an effect from the interaction of the others."
        )
    yield f"Every cell has {counts} replications; the order was drawn from seed {plan['evaluation']['seed']}."
    if table["half_width"]:
        yield (
            f"After {table['count']} replications a cell was run again until the {words.level(table['level'])} "
            f"interval of its mean was within {words.percent(table['half_width'])} of it, at most {table['at_most']} "
            "times."
        )
    if plot:
        yield (
            f"{words.listing(list(plot['factors']))} was set up again for each level in each of {plot['blocks']} "
            "randomly ordered blocks; its effects are tested against the error between blocks."
        )


def _surroundings(plan: dict[str, Any], analysis: Analysis) -> Iterator[str]:
    """The network that programs ran on, and what others did meanwhile."""
    yield from _transport(analysis.data)
    if plan.get("network") and plan["evaluation"]["lab"]:
        yield "Bonds were emulated in a lab (tc filters with classic BPF, nftables), not made by the kernel's driver."
    if plan.get("congestion"):
        yield (
            "Others congested the lab's network at times and places drawn from the seed. In each replication, "
            "rows that differ in management alone met the same congestion."
        )
    if not plan["neighbours"]:
        return
    yield (
        "Neighbours looped their programs on the same hosts only while the main program ran; it started once "
        "all of them were seen running, and the next row once all were seen to be gone."
    )
    yield from _processors(plan["neighbours"].get("processors"), analysis)
    silent = plan["neighbours"].get("silent", {})
    if silent:
        yield (
            f"At {words.listing(list(silent))} every host ran as many of their ranks, but as a separate job, "
            "without traffic between hosts."
        )


def _transport(data: Dataset) -> Iterator[str]:
    """In which rows messages were not kept on TCP between hosts."""
    native = sum(row.facts.get("transport") == NATIVE for row in data.rows)
    if native:
        where = "" if native == len(data.rows) else f" in {native} of {len(data.rows)} rows"
        yield f"What carried messages between hosts was the MPI library's own choice (native transport){where}."


def _processors(asked: str | None, analysis: Analysis) -> list[str]:
    """How instances shared the processors, where the plan sets it; None: of a plan before there was a choice."""
    if asked in (None, "system"):
        return []
    found = [row.facts["processors"] for row in analysis.data.rows if "processors" in row.facts]
    ways = sorted({str(each["way"]) for each in found})
    text = f"The main program and each neighbour were in control groups of equal weight ({words.listing(ways)})"
    text += ", each capped to its share of the processors." if asked == "fixed" else "."
    if "none" not in ways:
        return [text]
    reason = next(each["reason"] for each in found if each["way"] == "none")
    return [f"Processors should have been shared by control groups, but were not, at least in some rows: {reason}."]


def _factors(analysis: Analysis) -> str:
    parts = []
    for factor in analysis.data.factors:
        levels = [str(level) for level in analysis.data.levels_of(factor)]
        shown = words.listing(levels) if len(levels) <= 12 else f"{len(levels)} levels"
        parts.append(f"{factor} ({shown})")
    return ", ".join(parts)


def _of_gains(data: Dataset) -> str:
    if data.is_speed:
        return "in speed base / t - 1 (of a rate: rate / base - 1), in time (base - t) / base"
    gain = "base / value - 1" if data.lower_is_better else "value / base - 1"
    return f"{gain}, since {data.direction}"


def _computed(analysis: Analysis) -> str:
    level = words.level(analysis.level)
    return (
        f"Gains are ratios of means: {_of_gains(analysis.data)}. "
        f"Intervals are at {level}: Student's t for means, order statistics for medians, Fieller's for gains, Welch's "
        "for differences, or Student's t of block means where what is compared was set up once a block. Where anything "
        "else was, it is compared within blocks (ratios of geometric means, Student's t). Values without "
        "scatter are taken as rounded by a clock as coarse as the difference, in gains as in differences. With "
        "blocks, a cell's mean, median and their intervals are those of its blocks, each counted once. Verdicts come "
        "from the p-value of the difference, adjusted after Holm for all comparisons of its table; the page also shows "
        "it after Benjamini and Hochberg (FDR). Intervals are of each comparison by itself. Overlapping bars "
        "(mean and three standard errors) are the papers' rule, not a test. A group's gain is the arithmetic mean of "
        "its cells' gains in speed, its interval by the delta method, from their own intervals where the gains are "
        "within blocks (MOVER: Zou and Donner 2008), or by Student's t of "
        "the logarithm of the blocks' own means: it covers the scatter of replicates in these cells and says "
        "nothing about other cells. Several modes are "
        "found by the widest gap and by the dip (Hartigan), at most "
        f"{words.percent(modes.FALSE_ALARMS, decimals=0)} false alarms. The analysis of variance is of the logarithm, "
        "type II. Nothing is computed from rounded values."
    )
