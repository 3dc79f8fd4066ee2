"""The layers of a system in the same axes: what MPI, TCP and InfiniBand carry one way, and how long a message takes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from fairlead.benchmarks.page import bands
from fairlead.benchmarks.page.colours import colours
from fairlead.benchmarks.page.curves import Measured
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, table
from fairlead.report.figures import Drawing, axes_of, legend_below, styled
from fairlead.statistics.estimates import FloatArray

MPI, TCP = "MPI", "TCP"
LOSS = 0.8  # what MPI reaches of a lower layer's best; below that it is said to lose


@dataclass(frozen=True)
class Layer:
    """One layer's values by message size in B; those of TCP, which has no messages, stand under None.

    Attributes:
        kind: MPI, TCP, InfiniBand; name: what legends call it.
        kept_on: the layer that MPI was kept on (`--transport tcp`); None: nothing kept it from using another.
        statistic: what the values are: the ``median`` of fairlead's own blocks, or what a file tells.
        means: the means of fairlead's own samples, by size; a file has none beside its statistic.
        extremes: the least and greatest sample by size; empty where a file does not tell them.
    """

    kind: str
    name: str
    values: dict[int | None, FloatArray]
    kept_on: str | None = None
    statistic: str = "median"
    means: dict[int | None, float] = field(default_factory=dict)
    extremes: dict[int | None, tuple[float, float]] = field(default_factory=dict)

    def best(self) -> float:
        """The greatest of the medians."""
        return max(float(np.median(values)) for values in self.values.values())


@dataclass(frozen=True)
class Layers:
    """What a system's layers do with so many streams at once; of rates, one way.

    Attributes:
        streams: pairs of ranks, TCP streams, queue pairs.
    """

    streams: int
    is_latency: bool
    layers: tuple[Layer, ...]

    def has_means(self) -> bool:
        """Whether a file tells a mean: then fairlead's own are drawn as well."""
        return any(layer.statistic == "mean" for layer in self.layers)

    def title(self) -> str:
        """Of its axes."""
        return f"{'Latency' if self.is_latency else 'Throughput'}, {words.count(self.streams, 'stream')}"


def together(found: Iterable[tuple[bool, int, Layer]]) -> list[Layers]:
    """Throughput of one stream, of several where layers have the same number, and latency: of two kinds or more.

    Args:
        found: of one system: whether it is latency, of how many streams, the values.
    """
    layers: dict[tuple[bool, int], list[Layer]] = {}
    for is_latency, streams, layer in found:
        layers.setdefault((is_latency, streams), []).append(layer)
    return [
        Layers(streams, is_latency, tuple(chosen))
        for (is_latency, streams), chosen in sorted(layers.items(), key=lambda item: item[0])
        if len({layer.kind for layer in chosen}) > 1
    ]


def of_curves(measured: Measured) -> Iterator[tuple[bool, int, Layer]]:
    """What curves between two hosts say of their layer, in one direction."""
    kept_on = TCP if measured.layer == MPI and not measured.transport else None
    for streams, both in measured.configurations():
        if not both:
            line = measured.line((streams, both))
            values: dict[int | None, FloatArray] = {size_B: one.blocks for size_B, one in line.items()}
            name = measured.transport or "MPI over TCP"
            means: dict[int | None, float] = {size_B: one.mean for size_B, one in line.items()}
            extremes: dict[int | None, tuple[float, float]] = {size_B: one.extremes for size_B, one in line.items()}
            yield (
                measured.is_latency,
                streams,
                Layer(measured.layer, name, values, kept_on, means=means, extremes=extremes),
            )


def draw(name: str, found: Sequence[Layers], number: int) -> Drawing:
    """All layers of a system; ``number`` tells its figure from other systems'."""
    names = list(dict.fromkeys(layer.name for each in found for layer in each.layers))
    of = colours(names)
    with styled():
        figure, axes = axes_of(len(found), 0.6 + 3.6 * len(found))
        for axis, each in zip(axes, found, strict=True):
            for layer in each.layers:
                _line(axis, layer, of[layer.name], with_mean=each.has_means())
            bands.scales(axis, each.is_latency)
            axis.set_title(each.title())
        axes[-1].set_xlabel("message size")
        legend_below(figure, [Line2D([], [], color=of[each], label=each, linewidth=2) for each in names])
    columns = [("of", "quantity"), ("streams", "streams"), ("layer", "layer"), ("size", "size_B")]
    columns += [
        ("statistic", "statistic"),
        ("value", "value"),
        ("least sample", "least"),
        ("greatest sample", "greatest"),
    ]
    caption = (
        "The median, with the least and greatest sample (of throughput: block), in one direction. TCP carries a stream "
        "without messages: its rate is a level line."
    )
    told = sorted({layer.statistic for each in found for layer in each.layers} - {"median"})
    if told:
        caption += f" Of files the {words.listing(told)} is drawn where they have no median; see the table."
    if any(each.has_means() for each in found):
        caption += " Where a file has means, fairlead's own mean is the dash-dotted line beside its median."
    return Drawing(
        f"layers-{number}",
        f"The layers of {name}",
        caption,
        figure,
        table(
            [*columns, ("blocks", "blocks")],
            [row for each in found for layer in each.layers for row in _rows(each, layer)],
        ),
    )


def _line(axis: Any, layer: Layer, colour: str, *, with_mean: bool) -> None:
    if None in layer.values:
        values = layer.values[None]
        axis.axhspan(float(values.min()), float(values.max()), color=colour, alpha=0.2, linewidth=0)
        axis.axhline(float(np.median(values)), color=colour, linewidth=1.4, linestyle="--")
        if with_mean and None in layer.means:
            axis.axhline(layer.means[None], color=colour, linewidth=1.0, linestyle="-.")
        return
    # A size of 0 has no place on a logarithmic axis; the table has it.
    sizes = sorted(size_B for size_B in layer.values if size_B and float(np.min(layer.values[size_B])) > 0)
    ends = [size_B for size_B in sizes if size_B in layer.extremes and layer.extremes[size_B][0] > 0]
    if ends:
        low, high = zip(*(layer.extremes[size_B] for size_B in ends), strict=True)
        axis.fill_between(ends, low, high, color=colour, alpha=0.2, linewidth=0)
    middle = [float(np.median(layer.values[size_B])) for size_B in sizes]
    axis.plot(sizes, middle, color=colour, marker="o", markersize=2.6, linewidth=1.4)
    if with_mean and layer.means:
        means = [layer.means[size_B] for size_B in sizes]
        axis.plot(sizes, means, color=colour, linewidth=1.0, linestyle="-.")


def _rows(of: Layers, layer: Layer) -> Iterator[list[TableCell]]:
    form = words.duration if of.is_latency else words.rate
    for size_B, values in layer.values.items():
        ends = layer.extremes.get(size_B)
        shown = {layer.statistic: float(np.median(values))}
        shown |= {"mean": layer.means[size_B]} if of.has_means() and size_B in layer.means else {}
        for statistic, value in shown.items():
            yield [
                cell("latency" if of.is_latency else "throughput"),
                cell(of.streams),
                cell(layer.name),
                cell(size_B, None if size_B is None else words.size(size_B)),
                cell(statistic),
                cell(value, form(value)),
                *([cell(end, form(end)) for end in ends] if ends else [cell(None)] * 2),
                cell(len(values)),
            ]


def verdicts(found: Sequence[Layers]) -> Iterator[Verdict]:
    """What MPI reaches of the layer below it that carries most. One that was kept on TCP has only that below it."""
    for each in found:
        if each.is_latency:
            continue
        with_streams, below = f"with {words.count(each.streams, 'stream')}", _of(each, lambda one: one.kind != MPI)
        for name, mpi, carriers in (
            ("MPI", _of(each, lambda one: one.kind == MPI and one.kept_on is None), below),
            ("MPI over TCP", _of(each, lambda one: one.kept_on == TCP), [one for one in below if one.kind == TCP]),
        ):
            if mpi and carriers:
                reached, best = max(mpi, key=Layer.best), max(carriers, key=Layer.best)
                share = reached.best() / best.best()
                text = f"{with_streams} {name} carries {words.percent(share, decimals=0)} of what {best.name} does"
                yield Verdict("bad" if share < LOSS else "good", text)
    if beyond := list(dict.fromkeys(kind for each in found for kind in _beyond(each))):
        text = f"MPI was kept on TCP, so its performance over {words.listing(beyond)} is not known"
        yield Verdict("sure", f"{text}: --transport native lets the library choose")


def _of(each: Layers, chosen: Callable[[Layer], bool]) -> list[Layer]:
    return [one for one in each.layers if chosen(one)]


def _beyond(each: Layers) -> list[str]:
    """Kinds of layers that MPI might have used and was kept from."""
    mpi = _of(each, lambda one: one.kind == MPI)
    kept = bool(mpi) and all(one.kept_on for one in mpi)
    return [one.kind for one in each.layers if kept and one.kind not in (MPI, *(layer.kept_on for layer in mpi))]
