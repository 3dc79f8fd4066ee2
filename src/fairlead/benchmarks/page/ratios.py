"""Systems against a baseline: ratios of medians, with intervals."""

from collections.abc import Sequence

import numpy as np

from fairlead.benchmarks.page.curves import Measured
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, table
from fairlead.statistics.bootstrap import bootstrap_interval
from fairlead.statistics.estimates import DEFAULT_LEVEL, MIN_BOOTSTRAP, Estimate, FloatArray


def ratio_of_medians(values: FloatArray, base: FloatArray) -> Estimate | None:
    """Median of ``values`` over that of ``base``, groups resampled apart; None below `MIN_BOOTSTRAP` in either."""
    if min(len(values), len(base)) < MIN_BOOTSTRAP:
        return None
    low, high = bootstrap_interval(
        lambda a, b: np.asarray(np.median(a, axis=-1) / np.median(b, axis=-1)), [values, base], DEFAULT_LEVEL
    )
    value = float(np.median(values) / np.median(base))
    return Estimate(value, min(low, value), max(high, value), DEFAULT_LEVEL, min(len(values), len(base)), "bootstrap")


def ratios(found: Sequence[Measured], baseline: str) -> Table:
    """Each system's median over the baseline's, of every size and configuration that both have."""
    base = next((each for each in found if each.system == baseline), None)
    rows = []
    for each in found:
        if base is None or each is base:
            continue
        for configuration in each.configurations():
            others = base.line(configuration)
            for size_B, one in each.line(configuration).items():
                if size_B in others:
                    name = each.words(configuration)
                    name += f" against {base.words(configuration)}" if each.transport != base.transport else ""
                    front = [cell(each.system), cell(each.benchmark), cell(name)]
                    compared = cells(one.blocks, others[size_B].blocks, lower_is_better=each.is_latency)
                    rows.append([*front, cell(size_B, words.size(size_B)), *compared])
    names = [("system", "system"), ("benchmark", "benchmark"), ("configuration", "configuration"), ("size", "size_B")]
    return table([*names, ("ratio", "ratio"), ("from", "low"), ("to", "high"), ("verdict", "verdict")], rows)


def describe(compared: Table, baseline: str) -> str | None:
    """How many of the ratios say what, by system and benchmark; None without any."""
    verdict = compared.keys.index("verdict")
    said = []
    for system, benchmark in dict.fromkeys((row[0].shown, row[1].shown) for row in compared.rows):
        of = [row[verdict].shown for row in compared.rows if (row[0].shown, row[1].shown) == (system, benchmark)]
        counts = [f"{of.count(word)} {word}" for word in dict.fromkeys(of)]
        said.append(f"{system}, {benchmark} ({words.count(len(of), 'figure')}): {words.listing(counts)}")
    return f"Against {baseline}: {'; '.join(said)}." if said else None


def cells(values: FloatArray, base: FloatArray, *, lower_is_better: bool) -> list[TableCell]:
    """Ratio of the medians, its interval, and in words what it says."""
    found = ratio_of_medians(values, base)
    if found is None:
        ratio = float(np.median(values) / np.median(base))
        return [cell(ratio, words.significant(ratio)), cell(None), cell(None), cell("with too few blocks to judge")]
    shown = [cell(value, words.significant(value)) for value in (found.value, found.low, found.high)]
    if found.contains(1.0):
        return [*shown, cell("not significantly different")]
    return [*shown, cell("better" if (found.value < 1) == lower_is_better else "worse")]


def single(values: FloatArray, base: FloatArray, *, lower_is_better: bool) -> list[TableCell]:
    """The same of figures that have no interval; which of the two is better is not said."""
    ratio = float(np.median(values) / np.median(base))
    return [cell(ratio, words.significant(ratio)), cell(None), cell(None), cell("without an interval")]
