"""The page of benchmarks, and its tables on a terminal."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape

from fairlead.benchmarks.measuring.records import is_read
from fairlead.benchmarks.page import conditions, json_form, layers, per_price, ratios, systems, verdicts
from fairlead.benchmarks.page.layers import Layers
from fairlead.benchmarks.page.section import Kind, Section
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.benchmarks.registration import BENCHMARKS, LAYERS, Benchmark
from fairlead.display import terminal, words
from fairlead.display.tables import Table
from fairlead.display.terminal import rich_table
from fairlead.errors import ConfigError
from fairlead.prices.book import Book, Price, load_prices
from fairlead.report import page
from fairlead.report.figures import Drawing
from fairlead.report.host_facts import flat

COMPARED: tuple[Kind, ...] = ("curves", "other", "files")  # the order of comparisons, and of layers
PRICED: tuple[Kind, ...] = ("files", "curves", "other")
Told = TypeVar("Told")


@dataclass(frozen=True)
class Found:
    """A benchmark that some system has, and what was measured."""

    benchmark: Benchmark
    section: Section[Any]
    parts: tuple[Any, ...]


@dataclass(frozen=True)
class BenchmarkReport:
    """What is told.

    Attributes:
        found: in the order of the page.
        baseline: name of the system that others are held against; None of a single system.
        prices: by system, of those that the price book knows.
    """

    systems: tuple[System, ...]
    found: tuple[Found, ...]
    baseline: str | None
    prices: dict[str, Price]
    book: Book | None

    @property
    def names(self) -> list[str]:
        """Of all systems, in their order."""
        return [system.name for system in self.systems]

    def of(self, benchmark: str) -> tuple[Any, ...]:
        """What was measured by a benchmark; empty where it was not."""
        return next((each.parts for each in self.found if each.benchmark.name == benchmark), ())

    def by_kind(self, kinds: Sequence[Kind]) -> list[Found]:
        """All, in the order of these kinds and of the page."""
        return sorted(self.found, key=lambda each: kinds.index(each.section.kind))

    def layers(self) -> dict[str, list[Layers]]:
        """Of each system that has several, what its layers do."""
        told = [(part, each.section) for each in self.by_kind(COMPARED) for part in each.parts]
        found = {
            name: layers.together(
                layer for part, section in told if part.system == name for layer in section.layers(part)
            )
            for name in self.names
        }
        return {name: each for name, each in found.items() if each}


def load(
    directories: Sequence[Path],
    *,
    numbers: Sequence[int] = (),
    baseline: str | None = None,
    book: Book | None = None,
) -> BenchmarkReport:
    """Everything that was measured in some results directories.

    Args:
        numbers: only these runs, of a single directory.
        baseline: name of a system, or its directory; None: the first.
        book: prices of systems.

    Raises:
        StoreError: a directory has no benchmarks.
        ConfigError: there is no such system, or the book names what it does not have.
    """
    found = systems.find(directories, numbers)
    return BenchmarkReport(
        tuple(found), tuple(_found(found)), _baseline(found, baseline), per_price.prices(found, book), book
    )


def _found(in_systems: Sequence[System]) -> Iterator[Found]:
    for benchmark in BENCHMARKS:
        section = benchmark.section()
        if parts := tuple(part for system in in_systems for part in section.load(system)):
            yield Found(benchmark, section, parts)


def make(
    directories: Sequence[Path],
    html: Path,
    *,
    numbers: Sequence[int] = (),
    baseline: str | None = None,
    prices: Path | None = None,
    figures: Path | None = None,
    as_json: bool = False,
) -> list[Path]:
    """Write the page of benchmarks and print its tables (or, ``as_json``, all of it for machines); see `load`.

    Returns:
        The files written.

    Raises:
        FairleadError: there are none, or a file cannot be written.
    """
    book = load_prices(prices) if prices is not None else None
    found = load(directories, numbers=numbers, baseline=baseline, book=book)
    drawn = drawings(found)
    if as_json:
        said = json_form.of(found.names, findings(found), drawn, found.baseline, comparison(found))
        print(said.to_json(), end="")
    else:
        show(found, drawn, terminal.console())
    return write(found, drawn, html, figures=figures)


def _baseline(found: Sequence[System], name: str | None) -> str | None:
    if name is None:
        return found[0].name if len(found) > 1 else None
    for system in found:
        if name in (system.name, system.cluster, str(system.directory)):
            return system.name
    names = ", ".join(system.name for system in found)
    raise ConfigError(f"--baseline {name}: no such system", hint=f"systems: {names}")


def write(report: BenchmarkReport, drawn: Sequence[Drawing], html: Path, *, figures: Path | None = None) -> list[Path]:
    """Write the page of what `drawings` gave and, if asked for, its figures as files; returns what was written.

    Raises:
        FairleadError: a file cannot be written.
    """
    content = page.render(
        "benchmarks.html.j2",
        heading=f"Benchmarks of {words.listing(report.names)}",
        about=_about(report),
        findings=findings(report),
        drawings=drawn,
        ratios=comparison(report),
        baseline=report.baseline,
        conditions=[(system.name, flat("", conditions.of(system))) for system in report.systems],
    )
    saved = [path for each in drawn for path in each.save(figures)] if figures is not None else []
    return [page.write(html, content), *saved]


def show(report: BenchmarkReport, drawn: Sequence[Drawing], console: Console) -> None:
    """Print findings and tables to a terminal."""
    for text in findings(report):
        console.print(escape(text), highlight=False)
    for drawing in drawn:
        if not drawing.table.rows:
            continue
        console.print()
        console.print(rich_table(drawing.table, drawing.title))
    if report.baseline is not None:
        console.print()
        console.print(rich_table(comparison(report), f"Over {report.baseline}"))


def drawings(report: BenchmarkReport) -> list[Drawing]:
    """All figures, in the order of the page."""
    drawn = _in_order(
        report,
        lambda each: each.section.drawings(each.parts, report),
        lambda: (
            layers.draw(name, found, number) for number, (name, found) in enumerate(report.layers().items(), start=1)
        ),
    )
    bought = _performances(report)
    if report.prices and bought:
        drawn.append(per_price.draw(bought, report.prices, report.baseline, report.names))
    return drawn


def _in_order(
    report: BenchmarkReport, of_benchmark: Callable[[Found], Iterable[Told]], of_layers: Callable[[], Iterable[Told]]
) -> list[Told]:
    """What benchmarks and, at their place among them, the layers have to tell."""
    before = [told for each in report.found if each.benchmark.place < LAYERS for told in of_benchmark(each)]
    behind = [told for each in report.found if each.benchmark.place >= LAYERS for told in of_benchmark(each)]
    return [*before, *of_layers(), *behind]


def _performances(report: BenchmarkReport) -> list[per_price.Performance]:
    """What was read from files, curves, and then the others by what is bought."""
    found = [
        (each.section.kind, one)
        for each in report.by_kind(PRICED)
        for part in each.parts
        for one in each.section.performances(part)
    ]
    curves = [part for each in report.by_kind(PRICED) if each.section.kind == "curves" for part in each.parts]
    own_means = [one for part in curves for one in per_price.of_curves(part, mean=True)]
    others = sorted((one for kind, one in found if kind == "other"), key=lambda one: per_price.UNITS.index(one.unit))
    return [*per_price.beside_means([one for kind, one in found if kind != "other"], own_means), *others]


def findings(report: BenchmarkReport) -> list[str]:
    """The first paragraphs, in words."""
    said: list[tuple[str, Verdict]] = _in_order(
        report,
        lambda each: ((part.system, verdict) for part in each.parts for verdict in each.section.verdicts(part)),
        lambda: ((name, verdict) for name, found in report.layers().items() for verdict in layers.verdicts(found)),
    )
    said += [(each.name, Verdict("sure", note)) for each in report.systems for note in systems.notes(each)]
    compared = ratios.describe(comparison(report), report.baseline) if report.baseline else None
    money = per_price.findings(_performances(report), report.prices, report.systems, report.book)
    return [*([compared] if compared else []), *verdicts.paragraphs(said), *money]


def comparison(report: BenchmarkReport) -> Table:
    """Ratios to the baseline; empty of a single system."""
    empty = ratios.ratios((), "")
    if report.baseline is None:
        return empty
    rows = [
        tuple(row) for each in report.by_kind(COMPARED) for row in each.section.compared(each.parts, report.baseline)
    ]
    return Table(empty.columns, empty.keys, tuple(rows))


def _about(report: BenchmarkReport) -> str:
    runs = [run for system in report.systems for run in system.runs.values()]
    first, last = min(run.started_s for run in runs), max(run.started_s for run in runs)
    days = words.moment(first) if first == last else f"{words.moment(first)} to {words.moment(last)}"
    read = sum(is_read(run) for run in runs)
    if read == len(runs):
        return f"{words.count(read, 'benchmark')} of other programs, read {days}"
    others = f", {read} of them of other programs and read from files" if read else " by fairlead"
    return f"{words.count(len(runs), 'benchmark')}{others}, begun {days}"
