"""What work done in equal spans of time looks like (fixed time quantum, of other programs' files)."""

from collections.abc import Sequence

import numpy as np

from fairlead.benchmarks.noise.analyse import Noise
from fairlead.benchmarks.page.colours import colours
from fairlead.display import words
from fairlead.display.tables import TableCell, cell, duration_cell, table
from fairlead.report.figures import Drawing, axes_of, styled


def draw(found: Sequence[Noise], systems: Sequence[str]) -> Drawing:
    """The work of every span, of the core that lost most."""
    colour_of = colours(systems)
    with styled():
        figure, axes = axes_of(len(found), 1.0 + 2.9 * len(found))
        for axis, each in zip(axes, found, strict=True):
            worst = max(each.quanta, key=lambda one: one.overhead_share())
            share = worst.done / worst.done.max()
            axis.plot(share, ".", markersize=2, color=colour_of[each.system], alpha=0.5, rasterized=True)
            axis.set_ylim(0, 1.05)
            axis.grid(True)
            axis.set_ylabel("work, of the most")
            axis.set_title(f"{each.system}, {worst.host}, processor {worst.cpu}")
        axes[-1].set_xlabel("number of the span")
    columns = [("system", "system"), ("host", "host"), ("processor", "cpu"), ("overhead", "overhead_share")]
    columns += [("span", "quantum_s"), ("least work", "least"), ("median", "median"), ("most", "greatest")]
    caption = (
        "Work done in equal spans of time (fixed time quantum), of the core that lost most. Overhead: the share of the "
        "work that is missing, of what all spans would have held at the speed of the best."
    )
    title = "Equal spans of time"
    return Drawing("noise-quanta", title, caption, figure, table([*columns, ("spans", "n")], _rows(found)))


def _rows(found: Sequence[Noise]) -> list[list[TableCell]]:
    return [
        [
            cell(each.system),
            cell(one.host),
            cell(one.cpu),
            cell(one.overhead_share(), words.percent(one.overhead_share(), decimals=2)),
            duration_cell(one.quantum_s),
            *(cell(float(value), words.significant(float(value))) for value in np.percentile(one.done, (0, 50, 100))),
            cell(len(one.done)),
        ]
        for each in found
        for one in each.quanta
    ]
