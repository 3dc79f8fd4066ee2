"""What the page has of a benchmark: the figures with their tables, what is said in words, and what is compared."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from fairlead.benchmarks.page import curve_verdicts, headlines, layers, per_price, ratios
from fairlead.benchmarks.page.curves import Measured
from fairlead.benchmarks.page.headlines import Headline
from fairlead.benchmarks.page.layers import Layer
from fairlead.benchmarks.page.per_price import Performance
from fairlead.benchmarks.page.system import System
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display.tables import TableCell
from fairlead.report.figures import Drawing

Kind = Literal["curves", "other", "files"]
Rows = Iterable[Sequence[TableCell]]


class SystemPart(Protocol):
    """A benchmark of one system."""

    @property
    def system(self) -> str: ...


class AllSystems(Protocol):
    """What figures are told of all systems beside their own parts; a `BenchmarkReport` is it."""

    @property
    def names(self) -> list[str]: ...

    def of(self, benchmark: str) -> tuple[Any, ...]: ...


PartT = TypeVar("PartT", bound=SystemPart)


def nothing(_: Any) -> tuple[()]:
    """What a benchmark says that has nothing to say of something."""
    return ()


@dataclass(frozen=True)
class Section(Generic[PartT]):
    """Of one benchmark.

    Attributes:
        load: what was measured on a system: a part, or several; nothing where it was not.
        drawings: the figures, each with its table, of one part or more.
        verdicts: what is said of a part.
        headlines: figures of a part by which systems are compared.
        rows: rows of `ratios.ratios`, in place of those that follow from headlines.
        performances: what money buys.
        layers: what a part says of a layer: whether it is latency, of how many streams, the values.
        kind: curves over message size between two hosts, what was read from other programs' files, or neither.
    """

    load: Callable[[System], Iterable[PartT]]
    drawings: Callable[[Sequence[PartT], AllSystems], Iterable[Drawing]]
    verdicts: Callable[[PartT], Iterable[Verdict]]
    headlines: Callable[[PartT], Iterable[Headline]] = nothing
    rows: Callable[[Sequence[PartT], str], Rows] | None = None
    performances: Callable[[PartT], Iterable[Performance]] = nothing
    layers: Callable[[PartT], Iterable[tuple[bool, int, Layer]]] = nothing
    kind: Kind = "other"

    def compared(self, found: Sequence[PartT], baseline: str) -> Rows:
        """Rows of `ratios.ratios`: what the systems and the baseline have in common."""
        if self.rows is not None:
            return self.rows(found, baseline)
        return headlines.compared([each for part in found for each in self.headlines(part)], baseline)


def at_most_one(load: Callable[[System], PartT | None]) -> Callable[[System], tuple[PartT, ...]]:
    """`Section.load` of a benchmark that a system has once, or not."""

    def loaded(system: System) -> tuple[PartT, ...]:
        found = load(system)
        return () if found is None else (found,)

    return loaded


def of_curves(
    load: Callable[[System], Iterable[Measured]],
    drawings: Callable[[Sequence[Measured], AllSystems], Iterable[Drawing]],
    alike: Callable[[Sequence[Measured]], Iterable[Sequence[Measured]]] = lambda found: [found],
) -> Section[Measured]:
    """Of a benchmark that gives curves over message size between two hosts.

    Args:
        alike: groups of those that can be held against each other.
    """

    def rows(found: Sequence[Measured], baseline: str) -> Iterator[Sequence[TableCell]]:
        for group in alike(found):
            yield from ratios.ratios(group, baseline).rows

    return Section(
        load,
        drawings,
        curve_verdicts.of,
        rows=rows,
        performances=per_price.of_curves,
        layers=layers.of_curves,
        kind="curves",
    )
