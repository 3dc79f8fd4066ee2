"""The report of a comparison: terminal table, HTML page, summary and figures, all from the same numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from fairlead.analysis.comparison import Comparison, ProgramResults
from fairlead.analysis.runs import latencies
from fairlead.analysis.runs.migrations import completed
from fairlead.display import words
from fairlead.display.terminal import rich_table
from fairlead.report import page, summary
from fairlead.report.comparison import communication_figures, comparison_figures, comparison_tables, findings
from fairlead.report.figures import Drawing
from fairlead.report.host_facts import by_fact, flat
from fairlead.report.run import migrations, pair_latencies, timeline


@dataclass(frozen=True)
class ReportFiles:
    """Files of a report."""

    html: Path
    summary: Path
    figures: tuple[Path, ...]


def write(
    comparison: Comparison, html: Path, *, summary_json: Path | None = None, figures: Path | None = None
) -> ReportFiles:
    """Write the page, ``summary.json`` (beside it unless told otherwise) and, if asked for, the figures as files.

    Raises:
        FairleadError: a file cannot be written.
    """
    first = overview(comparison)
    by_program = {program.name: of_program(comparison, program) for program in comparison.programs}
    page.write(html, _html(comparison, first, by_program))
    target = page.write(summary_json or html.with_name("summary.json"), summary.of(comparison).to_json())
    drawn = [*first, *(each for own in by_program.values() for each in own)]
    files = [path for each in drawn for path in each.save(figures)] if figures is not None else []
    return ReportFiles(html, target, tuple(files))


def show(comparison: Comparison, console: Console) -> None:
    """Print findings and tables to a terminal."""
    for text in findings.paragraphs(comparison):
        console.print(escape(text), highlight=False)
        console.print()
    console.print(rich_table(comparison_tables.run_times(comparison), "Run times"))
    console.print(rich_table(comparison_tables.effects(comparison), "Recovered time and overhead"))
    costs = comparison_tables.costs(comparison)
    if costs.rows:
        console.print(rich_table(costs, "Cost"))
    for text in (*comparison_tables.unsaid(comparison), comparison_tables.unpriced(comparison)):
        if text:
            console.print(escape(text), highlight=False)


def overview(comparison: Comparison) -> list[Drawing]:
    """Figures over all programs. Those of many would fill pages: their run times stand with each of them."""
    effects = comparison_figures.effects(comparison)
    drawn = [effects] if _many(comparison) else [comparison_figures.run_times(comparison), effects]
    decided = [(p.name, [each for run in p.final.runs for each in run.migrations]) for p in comparison.programs]
    return [*drawn, migrations.times(decided)] if any(completed(each) for _, each in decided) else drawn


def of_program(comparison: Comparison, program: ProgramResults) -> list[Drawing]:
    """Figures of one program's runs."""
    drawn = []
    if _many(comparison):
        drawn.append(comparison_figures.run_times(replace(comparison, programs=(program,)), program.name))
    pairs = latencies.per_pair(program.final.runs, program.final.clean_runs)
    if any(each.quiet or each.congested or each.detour for each in pairs):
        drawn.append(pair_latencies.draw(program.name, pairs))
    shown = (program.clean, program.final.clean, program.congested, program.final.congested)
    monitored = {each.scenario: program.communication.get(each.scenario, ()) for each in shown}
    if any(monitored.values()):
        drawn.append(communication_figures.of_scenarios(program.name, monitored))
    typical = program.final.typical()
    if typical is not None:
        drawn.append(timeline.draw(program.name, typical))
    return drawn


def _many(comparison: Comparison) -> bool:
    return len(comparison.programs) > findings.MOST_TOLD


def _html(comparison: Comparison, first: Sequence[Drawing], by_program: Mapping[str, Sequence[Drawing]]) -> str:
    return page.render(
        "comparison.html.j2",
        heading=str(comparison.experiment.labels.get("name", f"experiment {comparison.experiment.id}")),
        experiment=comparison.experiment,
        started=words.moment(comparison.experiment.started_s),
        networks=_networks(comparison),
        findings=findings.lead(comparison),
        caveats=findings.caveats(comparison),
        run_times=comparison_tables.run_times(comparison),
        effects=comparison_tables.effects(comparison),
        unsaid=comparison_tables.unsaid(comparison),
        gains=comparison_tables.gains(comparison),
        costs=comparison_tables.costs(comparison),
        price_words=comparison_tables.price_words(comparison),
        unpriced=comparison_tables.unpriced(comparison),
        differences=comparison_tables.differences(comparison),
        runs=comparison_tables.runs(comparison),
        overview=first,
        programs=[
            {
                "name": program.name,
                "finding": findings.of_program(program, comparison.level) if _many(comparison) else "",
                "drawings": by_program[program.name],
                "decisions": timeline.decisions_table(program.final.runs),
                "migrations": migrations.decisions_table(
                    [(int(run.run.labels["replication"]), run.migrations) for run in program.final.runs]
                ),
                "managed_runs": len(program.final.runs),
            }
            for program in comparison.programs
        ],
        level=words.level(comparison.level),
        conditions=conditions(comparison),
    )


def _networks(comparison: Comparison) -> str:
    of_runs = [run.labels.get("cluster") for run in (*comparison.runs, comparison.experiment)]
    return words.listing(list(dict.fromkeys(str(name) for name in of_runs if name is not None)))


def conditions(comparison: Comparison) -> list[tuple[str, str]]:
    """What the runs were made on: facts that all runs share, and those that changed in between, flat."""
    seen: dict[str, set[str]] = {}
    for run in comparison.runs or (comparison.experiment,):
        for key, value in flat("", by_fact(run.facts or comparison.experiment.facts)):
            seen.setdefault(key, set()).add(value)
    return [(key, " / ".join(sorted(values))) for key, values in sorted(seen.items())]
