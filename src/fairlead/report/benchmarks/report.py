"""The page of benchmarks, and its tables on a terminal."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from rich.console import Console
from rich.markup import escape

from fairlead.display import words
from fairlead.display.tables import Table
from fairlead.display.terminal import rich_table
from fairlead.errors import ConfigError
from fairlead.measure.benchmarks.burst import BENCHMARK as BURST
from fairlead.measure.benchmarks.imported import is_read
from fairlead.measure.benchmarks.point_to_point import LATENCY, THROUGHPUT
from fairlead.prices.book import Book, Price
from fairlead.report import page
from fairlead.report.benchmarks import (
    bands,
    boxes,
    collectives,
    conditions,
    headlines,
    impact,
    imported,
    infiniband,
    layers,
    loggp,
    matrices,
    mpip,
    network_noise,
    noise,
    noise_effect,
    over_time,
    per_price,
    point_to_point,
    ratios,
    systems,
    tcp,
    timer,
    verdicts,
)
from fairlead.report.benchmarks.collectives import Collectives
from fairlead.report.benchmarks.impact import Impact
from fairlead.report.benchmarks.imported import Imported
from fairlead.report.benchmarks.layers import Layers
from fairlead.report.benchmarks.loggp import LogGP
from fairlead.report.benchmarks.matrices import Pairs
from fairlead.report.benchmarks.mpip import Profile
from fairlead.report.benchmarks.network_noise import NetworkNoise
from fairlead.report.benchmarks.noise import Noise
from fairlead.report.benchmarks.noise_effect import NoiseEffect
from fairlead.report.benchmarks.over_time import Burst, Stress
from fairlead.report.benchmarks.point_to_point import Measured
from fairlead.report.benchmarks.systems import System
from fairlead.report.benchmarks.tcp import Tcp
from fairlead.report.benchmarks.timer import Timer
from fairlead.report.benchmarks.verdicts import Verdict
from fairlead.report.comparison_report import flat
from fairlead.report.figures import Drawing

SIDE_BY_SIDE = (BURST,)  # benchmarks whose variants the page has all


class Part(Protocol):
    """One benchmark of one system."""

    @property
    def system(self) -> str: ...


PartT = TypeVar("PartT", bound=Part)


@dataclass(frozen=True)
class Report:
    """What is told: of each benchmark the systems that have it.

    Attributes:
        baseline: name of the system that others are held against; None of a single system.
        prices: by system, of those that the price book knows.
    """

    systems: tuple[System, ...]
    latency: tuple[Measured, ...]
    throughput: tuple[Measured, ...]
    collectives: tuple[Collectives, ...]
    tcp: tuple[Tcp, ...]
    infiniband: tuple[Measured, ...]
    stress: tuple[Stress, ...]
    burst: tuple[Burst, ...]
    pairs: tuple[Pairs, ...]
    impact: tuple[Impact, ...]
    network_noise: tuple[NetworkNoise, ...]
    loggp: tuple[LogGP, ...]
    noise: tuple[Noise, ...]
    noise_effect: tuple[NoiseEffect, ...]
    timer: tuple[Timer, ...]
    imported: tuple[Imported, ...]
    profiles: tuple[Profile, ...]
    baseline: str | None
    prices: dict[str, Price]
    book: Book | None

    @property
    def names(self) -> list[str]:
        """Of all systems, in their order."""
        return [system.name for system in self.systems]

    def between_two(self) -> tuple[Measured, ...]:
        """What was measured between two hosts over message size."""
        return (*self.latency, *self.throughput, *self.infiniband)

    def layers(self) -> dict[str, list[Layers]]:
        """Of each system that has several, what its layers do."""
        found = {name: layers.of_system(name, self.between_two(), self.tcp, self.imported) for name in self.names}
        return {name: each for name, each in found.items() if each}


def load(
    directories: Sequence[Path],
    *,
    numbers: Sequence[int] = (),
    baseline: str | None = None,
    book: Book | None = None,
) -> Report:
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
    return Report(
        tuple(found),
        latency=_all(found, lambda system: point_to_point.load(system, LATENCY)),
        throughput=_all(found, lambda system: point_to_point.load(system, THROUGHPUT)),
        collectives=_all(found, collectives.load),
        tcp=_all(found, tcp.load),
        infiniband=tuple(part for system in found for part in infiniband.load(system)),
        stress=_all(found, over_time.load_stress),
        burst=tuple(part for system in found for part in over_time.load_burst(system)),
        pairs=_all(found, matrices.load),
        impact=_all(found, impact.load),
        network_noise=_all(found, network_noise.load),
        loggp=_all(found, loggp.load),
        noise=_all(found, noise.load),
        noise_effect=_all(found, noise_effect.load),
        timer=_all(found, timer.load),
        imported=tuple(part for system in found for part in imported.load(system)),
        profiles=_all(found, mpip.load),
        baseline=_baseline(found, baseline),
        prices=per_price.prices(found, book),
        book=book,
    )


def _all(found: Sequence[System], load_one: Callable[[System], PartT | None]) -> tuple[PartT, ...]:
    return tuple(part for system in found if (part := load_one(system)) is not None)


def _baseline(found: Sequence[System], name: str | None) -> str | None:
    if name is None:
        return found[0].name if len(found) > 1 else None
    for system in found:
        if name in (system.name, system.cluster, str(system.directory)):
            return system.name
    names = ", ".join(system.name for system in found)
    raise ConfigError(f"--baseline {name}: there is no such system", hint=f"there are {names}")


def write(report: Report, drawn: Sequence[Drawing], html: Path, *, figures: Path | None = None) -> list[Path]:
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


def show(report: Report, drawn: Sequence[Drawing], console: Console) -> None:
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


def drawings(report: Report) -> list[Drawing]:
    """All figures, in the order of the page."""
    drawn = []
    if report.latency:
        drawn.append(bands.mpi(report.latency, report.names))
    if report.throughput:
        drawn.append(bands.mpi(report.throughput, report.names))
        drawn += [each] if (each := boxes.throughput(report.throughput, report.names)) else []
    drawn += [collectives.draw(report.collectives, report.names)] if report.collectives else []
    if report.tcp:
        drawn.append(tcp.draw(report.tcp, report.names))
    drawn += infiniband.drawings(report.infiniband, report.names)
    for number, (name, found) in enumerate(report.layers().items(), start=1):
        drawn.append(layers.draw(name, found, number))
    if report.stress:
        drawn += [draw(report.stress, report.names) for draw in (over_time.draw_stress, over_time.stress_boxes)]
    drawn += [over_time.draw_burst(report.burst, report.names)] if report.burst else []
    drawn += [matrices.draw(each, number) for number, each in enumerate(report.pairs, start=1)]
    drawn += [impact.draw(report.impact, report.names)] if report.impact else []
    drawn += network_noise.drawings(report.network_noise, report.names) if report.network_noise else []
    drawn += [loggp.draw(report.loggp, report.names)] if report.loggp else []
    drawn += noise.drawings(report.noise, report.names) if report.noise else []
    drawn += [noise_effect.draw(report.noise_effect)] if report.noise_effect else []
    drawn += [timer.draw(report.timer, report.names)] if report.timer else []
    drawn += imported.drawings(report.imported, report.latency, report.throughput, report.names)
    drawn += [mpip.draw(report.profiles, report.names)] if report.profiles else []
    bought = _performances(report)
    if report.prices and bought:
        drawn.append(per_price.draw(bought, report.prices, report.baseline, report.names))
    return drawn


def _performances(report: Report) -> list[per_price.Performance]:
    return per_price.performances(report.between_two(), report.tcp, report.collectives, report.imported)


def findings(report: Report) -> list[str]:
    """The first paragraphs, in words."""
    said = [
        *_said(report.latency, verdicts.of),
        *_said(report.throughput, verdicts.of),
        *_said(report.collectives, collectives.verdicts),
        *_said(report.tcp, tcp.verdicts),
        *_said(report.infiniband, verdicts.of),
        *((name, verdict) for name, found in report.layers().items() for verdict in layers.verdicts(found)),
        *_said(report.stress, over_time.stress_verdicts),
        *_said(report.burst, over_time.burst_verdicts),
        *_said(report.pairs, matrices.verdicts),
        *_said(report.impact, impact.verdicts),
        *_said(report.network_noise, network_noise.verdicts),
        *_said(report.loggp, loggp.verdicts),
        *_said(report.noise, noise.verdicts),
        *_said(report.noise_effect, noise_effect.verdicts),
        *_said(report.timer, timer.verdicts),
        *_said(report.imported, imported.verdicts),
        *_said(report.profiles, mpip.verdicts),
        *((each.name, Verdict("sure", note)) for each in report.systems for note in each.notes(SIDE_BY_SIDE)),
    ]
    compared = ratios.in_words(comparison(report), report.baseline) if report.baseline else None
    money = per_price.findings(_performances(report), report.prices, report.systems, report.book)
    return [*([compared] if compared else []), *verdicts.paragraphs(said), *money]


def _said(parts: Sequence[PartT], of: Callable[[PartT], Iterable[Verdict]]) -> list[tuple[str, Verdict]]:
    return [(part.system, verdict) for part in parts for verdict in of(part)]


def comparison(report: Report) -> Table:
    """Ratios to the baseline; empty of a single system."""
    empty = ratios.ratios((), "")
    if report.baseline is None:
        return empty
    groups = [report.latency, report.throughput, *infiniband.alike(report.infiniband)]
    tables = [ratios.ratios(each, report.baseline) for each in groups if each]
    rows = [row for one in tables for row in one.rows]
    rows += [tuple(row) for row in collectives.compared(report.collectives, report.baseline)]
    several: list[Sequence[headlines.Part]] = [report.tcp, report.stress, report.burst, report.pairs, report.impact]
    several += [report.network_noise, report.loggp, report.noise]
    rows += [tuple(row) for parts in several for row in headlines.compared(parts, report.baseline)]
    rows += [tuple(row) for row in imported.compared(report.imported, report.baseline)]
    return Table(empty.columns, empty.keys, tuple(rows))


def _about(report: Report) -> str:
    runs = [run for system in report.systems for run in system.runs.values()]
    first, last = min(run.started_s for run in runs), max(run.started_s for run in runs)
    days = words.moment(first) if first == last else f"{words.moment(first)} to {words.moment(last)}"
    read = sum(is_read(run) for run in runs)
    if read == len(runs):
        return f"{words.count(read, 'benchmark')} of other programs, read {days}"
    others = f", {read} of them of other programs and read from files" if read else " by fairlead"
    return f"{words.count(len(runs), 'benchmark')}{others}, begun {days}"
