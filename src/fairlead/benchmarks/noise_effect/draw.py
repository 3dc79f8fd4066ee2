"""What the noise of the operating system does to messages: those that are slow, and whether detours explain them."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.lines import Line2D

from fairlead.benchmarks.noise_effect.analyse import EXPLAINED, SLOW, NoiseEffect, load_noise_effect
from fairlead.benchmarks.page import transports
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import Table, cell, duration_cell, table
from fairlead.report import palette
from fairlead.report.figures import Drawing, axes_of, legend_below, log_times, styled

MOST, LITTLE = 0.5, 0.1  # share of the slow messages that is explained, beyond chance
FEW = 20  # slow messages, of which a share says little
MOST_POINTS = 20_000


def draw(found: Sequence[NoiseEffect]) -> Drawing:
    """Of each system the excess of its messages against the detours in their time."""
    with styled():
        figure, axes = axes_of(len(found), 1.0 + 3.4 * len(found), sharex=True)
        for axis, each in zip(axes, found, strict=True):
            excess_s, detours_s = each.excess_and_detours_s()
            slow = excess_s > (SLOW - 1) * each.effect.median_s
            explained = slow & (detours_s >= EXPLAINED * excess_s)
            floor_s = 0.5 * min(
                part.least_reading_s for part in each.parts
            )  # where messages without a detour are drawn
            for chosen, colour in (
                (~slow & (excess_s > 0), palette.MUTED.light),
                (slow & ~explained, palette.HIGH.light),
                (explained, palette.GOOD.light),
            ):
                places = np.flatnonzero(chosen)
                places = places[:: max(1, -(-len(places) // MOST_POINTS))]
                x = np.maximum(detours_s[places], floor_s)
                axis.plot(x, excess_s[places], ".", markersize=3, color=colour, alpha=0.5, rasterized=True)
            axis.set_xscale("log")
            axis.set_yscale("log")
            axis.set_ylim(bottom=each.effect.median_s / 100)  # less is scatter about the median
            log_times(axis.xaxis, (1.0,))
            log_times(axis.yaxis, (1.0,))
            axis.grid(True)
            axis.set_ylabel("beyond the median")
            axis.set_title(each.system)
        axes[-1].set_xlabel("detours of both ranks while the message was under way (at the left: none)")
        names = ((palette.GOOD, "slow, explained"), (palette.HIGH, "slow, not explained"), (palette.MUTED, "others"))
        legend_below(
            figure, [Line2D([], [], color=colour.light, marker=".", linestyle="", label=name) for colour, name in names]
        )
    caption = (
        f"Each point is a round trip. Slow ones took more than {SLOW:g} times the median; they are explained where "
        f"detours made up {words.percent(EXPLAINED, decimals=0)} of the excess or more. The table also says how "
        "many the same detours would explain by chance, moved to other times. "
    ) + transports.told(found)
    return Drawing("noise-effect", "What noise does to messages", caption, figure, _table(found))


def _table(found: Sequence[NoiseEffect]) -> Table:
    columns = [("system", "system"), ("messages", "messages"), ("median", "median_s"), ("slow", "slow")]
    columns += [("by own detours", "near"), ("by the peer's", "far"), ("while waiting", "waiting")]
    columns += [("explained", "explained")]
    columns += [("share", "explained_share"), ("by chance", "by_chance")]
    rows = []
    for each in found:
        effect = each.effect
        rows.append(
            [
                cell(each.system),
                cell(effect.messages),
                duration_cell(effect.median_s),
                *(cell(count) for count in (effect.slow, effect.near, effect.far, effect.waiting, effect.either)),
                cell(effect.share(), words.percent(effect.share())),
                cell(effect.by_chance, words.significant(effect.by_chance)),
            ]
        )
    return table(columns, rows)


def verdicts(found: NoiseEffect) -> Iterator[Verdict]:
    """What is said of it."""
    effect = found.effect
    slow = words.percent(effect.slow / effect.messages, decimals=2)
    yield Verdict(
        "fact",
        f"of {words.count(effect.messages, 'message')} {slow} took more than {SLOW:g} times the median; noise on the "
        f"cores of the two ranks explains {words.percent(effect.share(), decimals=0)} of these ({effect.either} of "
        f"{effect.slow}; by chance {words.significant(effect.by_chance, 2)})",
    )
    if effect.slow >= FEW:
        beyond = (effect.either - effect.by_chance) / effect.slow
        if beyond >= MOST:
            yield Verdict("bad", "most slow messages are caused by the operating system, not by the network")
        elif beyond <= LITTLE:
            yield Verdict("good", "slow messages are not caused by the operating system: examine the network")
    few = f"; {words.count(effect.slow, 'slow message')}: measure longer" if effect.slow < FEW else ""
    incomplete = "" if found.run.status == "ok" else f"; the run is incomplete ({found.run.status})"
    yield Verdict("sure", f"noise-effect: {words.count(effect.messages, 'message')}{few}{incomplete}")


SECTION = Section(
    load=at_most_one(load_noise_effect),
    drawings=lambda found, _: [draw(found)],
    verdicts=verdicts,
)
