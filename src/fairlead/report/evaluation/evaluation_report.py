"""The report of an evaluation: findings, tables, figures and methods, on the terminal and as one HTML page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from fairlead.analysis.evaluations import aggregation, aside, cost, dataset, managed_rows
from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.analysis.evaluations.aside import Alternative
from fairlead.analysis.evaluations.configuration_pair import ALIKE, FASTER, SLOWER, UNKNOWN
from fairlead.analysis.evaluations.dataset import Dataset, is_imported
from fairlead.analysis.evaluations.evaluation import analyse
from fairlead.analysis.evaluations.losses import losses
from fairlead.analysis.evaluations.settings import ReportSettings
from fairlead.display import words
from fairlead.display.tables import Table, cell, table
from fairlead.display.terminal import rich_table
from fairlead.prices.book import Book
from fairlead.report import page
from fairlead.report.evaluation import (
    cost_table,
    evaluation_chooser,
    evaluation_figures,
    evaluation_methods,
    evaluation_modes,
    evaluation_tables,
    management_tables,
    network_tables,
)
from fairlead.report.figures import Drawing
from fairlead.report.host_facts import by_fact, flat
from fairlead.store import Run, Store

MOST_ROWS = 30
"""Tables with more rows are folded on the page, and left out on the terminal."""


def load(
    store: Store, name: str | None = None, series: str | None = None, level: float = 0.95, book: Book | None = None
) -> Analysis:
    """Compute an evaluation from the store: the newest, or the newest of a name.

    Raises:
        StoreError: there is none; and see `compute`.
    """
    return compute(store, dataset.find(store, name), series, level, book)


def compute(
    store: Store, record: Run, series: str | None = None, level: float = 0.95, book: Book | None = None
) -> Analysis:
    """Compute this evaluation from the store.

    Args:
        book: prices of systems; None: those that its plan or map of columns names, if it does.

    Raises:
        StoreError: it has no sample of that value yet.
        StatisticsError: ``level`` is no confidence level.
    """
    data = dataset.load(store, record, series)
    report = ReportSettings.model_validate(record.plan.get("report") or {})
    plot = tuple((record.plan.get("whole_plot") or {}).get("factors", ()))
    found = analyse(data, report, level, plot)
    return replace(
        found,
        alternatives=tuple(_alternatives(store, found)),
        networks=aggregation.load(store, data),
        managed=tuple(managed_rows.cells(store, data, level)) if record.plan.get("management") else (),
        managements=tuple(managed_rows.gains(data, level)),
        losses=tuple(losses(data, record.plan.get("neighbours"), level, plot)),
        prices=cost.source_of(record, book),
    )


def _alternatives(store: Store, analysis: Analysis) -> Iterator[Alternative]:
    """The same with the rows that the import set aside: each kind by itself, and both; against the same baseline.

    Such rows may have a level that comes first in the file, which would be the baseline without one that is named.
    """
    data, kinds = analysis.data, aside.kinds_of(analysis.data)
    baseline = dict(zip(analysis.configurations, analysis.baseline, strict=True))
    report = analysis.report.model_copy(update={"configurations": analysis.configurations, "baseline": baseline})
    for wanted in dict.fromkeys([*((kind,) for kind in kinds), kinds]) if kinds else ():
        found = analyse(aside.with_rows(store, data, wanted), report, analysis.level)
        pairs = {(pair.first.levels, pair.second.levels): pair for pair in found.pairs}
        yield Alternative(wanted, aside.count(store, data, wanted), pairs)


def write(analysis: Analysis, html: Path, figures: Path | None = None) -> list[Path]:
    """Write the page and, if asked for, the figures as files; returns all of them.

    Raises:
        FairleadError: a file cannot be written.
    """
    drawn = drawings(analysis)
    written = [page.write(html, _html(analysis, drawn))]
    return written + ([path for each in drawn for path in each.save(figures)] if figures is not None else [])


def show(analysis: Analysis, console: Console) -> None:
    """Print findings and the shorter tables."""
    for text in (*findings(analysis), *analysis.warnings):
        console.print(escape(text), highlight=False)
    named = [
        (evaluation_tables.groups(analysis), "Gains of groups over the baseline"),
        (evaluation_tables.shares(analysis), "Better than the baseline"),
        (cost_table.costs(analysis), "Cost"),
        (evaluation_tables.effects(analysis), "Analysis of variance of the logarithm"),
        (evaluation_tables.losses(analysis), "What neighbours cost"),
        (management_tables.gains(analysis), "What management gains"),
        (management_tables.did(analysis), "What management did"),
        (network_tables.beside_theory(analysis), "Networks beside theory"),
        (evaluation_tables.aside(analysis), "With the rows that were set aside"),
        (evaluation_tables.modes(analysis), "Cells with several modes"),
        (evaluation_tables.verdicts(analysis), f"Against {_baseline(analysis)}"),
        (evaluation_tables.cells(analysis), "Cells"),
    ]
    for found, title in named:
        if found.rows and len(found.rows) <= MOST_ROWS:
            console.print(rich_table(found, title))
    if text := cost_table.unpriced(analysis):
        console.print(escape(text), highlight=False)


def findings(analysis: Analysis) -> list[str]:
    """What stands at the top, in words."""
    data = analysis.data
    direction = "" if data.is_speed else f", of which {data.direction}"
    texts = [f"{words.count(data.n, 'sample')} of {data.series} in {words.count(len(data.cells), 'cell')}{direction}."]
    texts += _set_aside(analysis)
    if not analysis.pairs:
        return texts
    counts = {verdict: sum(p.verdict == verdict for p in analysis.pairs) for verdict in (FASTER, SLOWER, ALIKE)}
    chance = 1 - analysis.level
    faster, slower = (evaluation_tables.verdict_words(data, verdict) for verdict in (FASTER, SLOWER))
    texts.append(
        f"Against {_baseline(analysis)}: {counts[FASTER]} of {len(analysis.pairs)} cells are {faster}, "
        f"{counts[SLOWER]} {slower}, {counts[ALIKE]} show no significant difference (p below "
        f"{words.significant(chance, 1)} after Holm, for all of them)."
    )
    alone = sum(pair.difference is not None and pair.difference.told_apart for pair in analysis.pairs)
    if alone > counts[FASTER] + counts[SLOWER]:
        texts.append(
            f"One by one, {alone} differ significantly ({words.level(analysis.level)} intervals); by chance alone "
            f"about {words.significant(chance * len(analysis.pairs), 1)} would."
        )
    few = sum(pair.verdict == UNKNOWN for pair in analysis.pairs)
    if few:
        texts.append(f"{few} of {len(analysis.pairs)} cells have too few samples for a verdict.")
    best = max(analysis.pairs, key=lambda pair: pair.speed_value)
    worst = min(analysis.pairs, key=lambda pair: pair.speed_value)
    named = [("Greatest gain" if best.speed_value > 0 else "Least loss", best)]
    if worst is not best:
        named.append(("Greatest loss" if worst.speed_value < 0 else "Least gain", worst))
    for what, pair in named:
        interval = f" ({words.percent_interval(pair.speed, signed=True)})" if pair.speed else ""
        texts.append(
            f"{what}{' in speed' if data.is_speed else ''}: {words.percent(pair.speed_value, signed=True)}{interval}, "
            f"{dataset.describe_levels(data.named(pair.second))}."
        )
    return texts


def _set_aside(analysis: Analysis) -> list[str]:
    """How many rows do not count, and whether they would change a verdict."""
    counts = analysis.data.record.facts.get("aside") or {}
    if not counts:
        return []
    total = int(analysis.data.record.facts["rows"])
    parts = [f"{counts[kind]} {kind}" for kind in aside.kinds_of(analysis.data)]
    text = f"Of {words.count(total, 'row')} of the file {words.listing(parts)} are set aside and not counted here."
    changed = sum(row[len(analysis.cases) + 1].shown == "DIFFERENT" for row in evaluation_tables.aside(analysis).rows)
    with_them = (
        f"Including them would change {words.count(changed, 'verdict')}: see the table of rows set aside."
        if changed
        else "Including them would change no verdict."
    )
    return [f"{text} {with_them}"]


def drawings(analysis: Analysis) -> list[Drawing]:
    """All figures."""
    found = [evaluation_figures.bars(analysis), evaluation_figures.lines(analysis)]
    found += [evaluation_figures.against_mpi_share(analysis), evaluation_modes.drawing(analysis)]
    return [each for each in found if each is not None]


def _baseline(analysis: Analysis) -> str:
    return evaluation_tables.configuration_name(analysis, analysis.baseline)


def _html(analysis: Analysis, drawn: Sequence[Drawing]) -> str:
    record = analysis.data.record
    return page.render(
        "evaluation.html.j2",
        heading=analysis.data.name,
        record=record,
        started=words.moment(record.started_s),
        imported=is_imported(record),
        is_speed=analysis.data.is_speed,
        lower_is_better=analysis.data.lower_is_better,
        findings=findings(analysis),
        warnings=analysis.warnings,
        groups=evaluation_tables.groups(analysis),
        shares=evaluation_tables.shares(analysis),
        losses=evaluation_tables.losses(analysis),
        managements=management_tables.gains(analysis),
        managed=management_tables.did(analysis),
        networks=network_tables.beside_theory(analysis),
        ways=analysis.networks.ways,
        baseline=_baseline(analysis),
        costs=cost_table.costs(analysis),
        cost_words=cost_table.sources(analysis),
        unpriced=cost_table.unpriced(analysis),
        gains=evaluation_tables.gains(analysis, analysis.pairs),
        others=evaluation_tables.gains(analysis, analysis.other_pairs),
        effects=evaluation_tables.effects(analysis),
        no_effects=analysis.no_effects,
        cells=evaluation_tables.cells(analysis),
        samples=_samples(analysis),
        modes=evaluation_tables.modes(analysis),
        aside=evaluation_tables.aside(analysis),
        chooser=evaluation_chooser.data(analysis),
        drawings=drawn,
        methods=evaluation_methods.paragraphs(analysis),
        conditions=_conditions(analysis.data),
        level=words.level(analysis.level),
        most=MOST_ROWS,
    )


def _samples(analysis: Analysis) -> Table:
    """Every sample with the run that holds it: what all numbers can be traced to."""
    names = analysis.data.factors
    return table(
        [*((name, name) for name in names), ("block", "block"), ("run", "run"), (analysis.data.series,) * 2],
        [
            [*(cell(level) for level in each.levels), cell(int(block)), cell(int(run)), cell(float(value))]
            for each in analysis.data.cells
            for value, block, run in zip(each.values, each.blocks, each.runs, strict=True)
        ],
    )


def _conditions(data: Dataset) -> list[tuple[str, str]]:
    """Facts that all rows share, and those that changed in between."""
    if is_imported(data.record):
        joined = [f"{name} with {other}" for name, other in (data.record.facts.get("joined") or {}).items()]
        told = [(key, str(data.record.facts[key])) for key in ("source", "file", "sha256") if data.record.facts[key]]
        return told + ([("joined factors", ", ".join(joined))] if joined else [])
    seen: dict[str, set[str]] = {}
    for facts in {id(run.facts): run.facts for run in data.rows}.values():  # rows share theirs
        for key, value in flat("", by_fact(facts)):
            seen.setdefault(key, set()).add(value)
    return [(key, " / ".join(sorted(values)[:4])) for key, values in sorted(seen.items())]
