"""What the noise of the operating system's cores looks like: numbers, figures and words."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from fairlead.benchmarks.noise import draw_sources, periodic, quanta, sources, told
from fairlead.benchmarks.noise.analyse import Core, Noise, load_noise
from fairlead.benchmarks.noise.periodic import Period
from fairlead.benchmarks.page.colours import colours, legend_of_systems
from fairlead.benchmarks.page.headlines import Headline
from fairlead.benchmarks.page.section import Section, at_most_one
from fairlead.benchmarks.page.verdicts import Verdict
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table
from fairlead.report.figures import Drawing, axes_of, log_times, styled

QUIET, LOUD = 0.002, 0.01  # share of the time: what the thesis saw of its quietest and its louder systems
FEW_DETOURS = 100
MOST_NAMED = 4  # sources
MOST_PANELS = 4
WIDE = 20.0  # greatest over least overhead from which on the axis is logarithmic


def drawings(found: Sequence[Noise], systems: Sequence[str]) -> list[Drawing]:
    """Scatter of detours, overhead of every core, the worst cores' spectra; times of equal work."""
    with_cores = [each for each in found if each.cores]
    with_work = [each for each in found if each.work]
    drawn = [draw(with_cores, systems) for draw in (_scatter, _map, _spectra)] if with_cores else []
    with_sources = [each for each in with_cores if any(core.sources is not None for core in each.cores)]
    drawn += [draw_sources.draw(with_sources, systems)] if with_sources else []
    drawn += [_work(with_work, systems)] if with_work else []
    with_quanta = [each for each in found if each.quanta]
    drawn += [quanta.draw(with_quanta, systems)] if with_quanta else []
    of_rtla = [(each.system, each.told) for each in found if each.told]
    return [*drawn, told.draw(of_rtla, systems)] if of_rtla else drawn


def _scatter(found: Sequence[Noise], systems: Sequence[str]) -> Drawing:
    shown, colour_of = found[:MOST_PANELS], colours(systems)
    lowest = min((core.excess_s.min() for each in found for core in each.cores if len(core.excess_s)), default=1e-7)
    longest = max((core.excess_s.max() for each in found for core in each.cores if len(core.excess_s)), default=1e-3)
    with styled():
        figure, axes = axes_of(len(shown), 1.0 + 2.9 * len(shown), sharex=True)
        for axis, each in zip(axes, shown, strict=True):
            core = each.worst()
            # As pixels: a mark each would make a page of many megabytes.
            axis.plot(
                core.start_s,
                core.excess_s,
                ".",
                markersize=2,
                color=colour_of[each.system],
                alpha=0.5,
                rasterized=True,
            )
            axis.set_yscale("log")
            axis.set_ylim(lowest / 1.5, longest * 1.5)
            log_times(axis.yaxis, (1.0,))
            axis.grid(True)
            axis.set_ylabel("detour")
            axis.set_title(f"{each.system}, {core.host}, processor {core.cpu}")
        axes[-1].set_xlabel("time since the start (s)")
    return Drawing(
        "noise",
        "Detours of a busy loop",
        "Each point is an iteration that took longer than the threshold; its height is the time beyond the "
        "shortest iteration. For each system, the core that lost the largest share of its time is drawn; all "
        "systems share the axes.",
        figure,
        _core_table(found),
    )


def _core_table(found: Sequence[Noise]) -> Table:
    columns = [("system", "system"), ("host", "host"), ("processor", "cpu"), ("least iteration", "least_iteration_s")]
    columns += [("overhead", "overhead_share"), ("count ratio (thesis)", "count_ratio"), ("detours", "detours")]
    columns += [("median", "median_s"), ("99 %", "p99_s"), ("longest", "longest_s"), ("measured", "period_s")]
    return table([*columns, ("periods", "periods")], [_core_row(each, core) for each in found for core in each.cores])


def _core_row(each: Noise, core: Core) -> list[TableCell]:
    share, ratio = core.overhead_share(), core.count_ratio()
    times: list[TableCell] = [cell(None)] * 3
    if len(core.excess_s):
        times = [duration_cell(float(v)) for v in np.percentile(core.excess_s, (50, 99, 100))]
    periods = each.periods[core.host, core.cpu]
    return [
        cell(each.system),
        cell(core.host),
        cell(core.cpu),
        cell(core.least_s, words.nanoseconds(core.least_s)),
        cell(share, words.percent(share, decimals=3)),
        cell(ratio, f"{ratio:.2e}"),
        cell(len(core.excess_s)),
        *times,
        duration_cell(core.period_s),
        cell("; ".join(_period_words(core, period) for period in periods) or None),
    ]


def _period_words(core: Core, period: Period) -> str:
    source = sources.of_period(core.sources, core.excess_s, period)
    text = f"{words.duration(period.length_s)} every {words.duration(period.period_s)}"
    return f"{text} ({source})" if source is not None else text


def _map(found: Sequence[Noise], systems: Sequence[str]) -> Drawing:
    """Overhead of every core as a bar, hosts beside each other."""
    columns = [("system", "system"), ("host", "host"), ("processor", "cpu"), ("overhead", "overhead_share")]
    rows = [
        [
            cell(each.system),
            cell(core.host),
            cell(core.cpu),
            cell(core.overhead_share(), words.percent(core.overhead_share(), decimals=3)),
        ]
        for each in found
        for core in each.cores
    ]
    return Drawing(
        "noise-cores",
        "What every core loses",
        "Overhead is the share of the time that detours took.",
        _bars_of_cores(found, systems),
        table(columns, rows),
    )


def _bars_of_cores(found: Sequence[Noise], systems: Sequence[str]) -> Figure:
    colour_of = colours(systems)
    with styled():
        figure, (axis,) = axes_of(1, 3.4)
        place, ticks = 0, []
        for each in found:
            for core in each.cores:
                axis.bar(place, core.overhead_share(), color=colour_of[each.system], width=0.8)
                ticks.append(f"{core.host}:{core.cpu}")
                place += 1
            place += 1
        shares = [core.overhead_share() for each in found for core in each.cores]
        seen = [share for share in shares if share > 0]
        if seen and max(seen) > WIDE * min(seen):
            axis.set_yscale("log")
            axis.set_ylim(min(seen) / 3)
            axis.yaxis.set_major_locator(LogLocator(numticks=8))
            axis.yaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:g} %"))
        axis.grid(True, axis="y")
        axis.set_ylabel("overhead")
        places = [p for p in range(place) if p not in _gaps(found)]
        every = max(1, len(places) // 40)
        axis.set_xticks(places[::every], ticks[::every], rotation=90 if place > 10 else 0, fontsize=8.5)
        legend_of_systems(figure, [each.system for each in found], systems)
    return figure


def _gaps(found: Sequence[Noise]) -> set[int]:
    """Places between systems that have no bar."""
    ends = np.cumsum([len(each.cores) + 1 for each in found]) - 1
    return {int(end) for end in ends}


def _spectra(found: Sequence[Noise], systems: Sequence[str]) -> Drawing:
    colour_of = colours(systems)
    rows: list[list[TableCell]] = []
    with styled():
        figure, (axis,) = axes_of(1, 3.6)
        for each in found:
            core = each.worst()
            if len(core.start_s) >= periodic.LEAST_EVENTS:
                frequencies, beat = periodic.spectrum(core.start_s, core.period_s)
                axis.plot(frequencies, beat, color=colour_of[each.system], linewidth=0.7, rasterized=True)
            rows += [
                [
                    cell(each.system),
                    cell(one.host),
                    cell(one.cpu),
                    duration_cell(period.period_s),
                    duration_cell(period.length_s),
                    cell(period.regularity, words.significant(period.regularity, 2)),
                    cell(period.events),
                ]
                for one in each.cores
                for period in each.periods[one.host, one.cpu]
            ]
        axis.set_xscale("log")
        axis.set_ylim(0)
        axis.grid(True)
        axis.set_xlabel("frequency (Hz)")
        axis.set_ylabel("regularity")
        legend_of_systems(figure, [each.system for each in found], systems)
    columns = [("system", "system"), ("host", "host"), ("processor", "cpu"), ("period", "period_s")]
    columns += [("length", "length_s"), ("regularity", "regularity"), ("detours in step", "events")]
    return Drawing(
        "noise-periodogram",
        "Periodic noise",
        "Periodogram of all detours of the same cores: 1 where every detour is in phase with that frequency. The "
        "table has the periods found among detours of each length and longer, on all cores.",
        figure,
        table(columns, rows),
    )


def _work(found: Sequence[Noise], systems: Sequence[str]) -> Drawing:
    colour_of = colours(systems)
    with styled():
        figure, axes = axes_of(len(found), 1.0 + 2.9 * len(found))
        for axis, each in zip(axes, found, strict=True):
            worst = max(each.work, key=lambda one: one.overhead_share())
            axis.plot(worst.time_s, ".", markersize=2, color=colour_of[each.system], alpha=0.5, rasterized=True)
            axis.set_yscale("log")
            log_times(axis.yaxis)
            axis.grid(True)
            axis.set_ylabel("time of a piece")
            axis.set_title(f"{each.system}, {worst.host}, processor {worst.cpu}")
        axes[-1].set_xlabel("number of the piece")
    columns = [("system", "system"), ("host", "host"), ("processor", "cpu"), ("overhead", "overhead_share")]
    columns += [("fastest", "least_s"), ("median", "median_s"), ("99 %", "p99_s"), ("slowest", "greatest_s")]
    rows = [
        [
            cell(each.system),
            cell(one.host),
            cell(one.cpu),
            cell(one.overhead_share(), words.percent(one.overhead_share(), decimals=2)),
            *(duration_cell(float(v)) for v in np.percentile(one.time_s, (0, 50, 99, 100))),
            cell(len(one.time_s)),
        ]
        for each in found
        for one in each.work
    ]
    caption = (
        "Times of equal pieces of work (fixed work quantum), of the core that lost most. Overhead: what they took "
    )
    caption += "beyond the time that all of them would have taken at the speed of the fastest."
    return Drawing("noise-work", "Equal pieces of work", caption, figure, table([*columns, ("pieces", "n")], rows))


def verdicts(found: Noise) -> Iterator[Verdict]:
    """What is said of it."""
    if found.work:
        shares = [one.overhead_share() for one in found.work]
        yield Verdict("fact", f"equal pieces of work lose {_range(shares)} of the time of {_cores(len(shares))}")
    if found.quanta:
        shares = [one.overhead_share() for one in found.quanta]
        yield Verdict("fact", f"equal spans of time lose {_range(shares)} of the work of {_cores(len(shares))}")
    yield from _of_rtla(found)
    for status in found.incomplete:
        yield Verdict("sure", f"noise: incomplete ({status})")
    if not found.cores:
        return
    shares = [core.overhead_share() for core in found.cores]
    worst = found.worst()
    yield Verdict("fact", f"the operating system takes {_range(shares)} of the time of {_cores(len(shares))}")
    if max(shares) >= LOUD:
        longest = words.duration(float(worst.excess_s.max()))
        yield Verdict(
            "bad",
            f"processor {worst.cpu} of {worst.host} loses {words.percent(max(shares), decimals=2)} of its time to "
            f"{len(worst.excess_s)} detours, the longest {longest}",
        )
    elif max(shares) <= QUIET:
        yield Verdict("good", f"all cores lose at most {words.percent(max(shares), decimals=3)} of their time")
    for period in found.periods[worst.host, worst.cpu][:2]:
        length, every = words.duration(period.length_s), words.duration(period.period_s)
        source = sources.of_period(worst.sources, worst.excess_s, period)
        of = f" of {source}" if source is not None else ""
        where = f"on processor {worst.cpu} of {worst.host}"
        yield Verdict("fact", f"{where} a disturbance{of} of {length} comes every {every}")
    yield from _of_sources(worst)
    few = sum(len(core.excess_s) < FEW_DETOURS for core in found.cores)
    yield Verdict(
        "sure",
        f"noise: {words.duration(min(core.period_s for core in found.cores))} of {_cores(len(shares))}"
        + (f"; {few} of them saw fewer than {FEW_DETOURS} detours: measure longer (--seconds)" if few else ""),
    )


def _of_sources(core: Core) -> Iterator[Verdict]:
    whole_s = float(core.excess_s.sum())
    found = draw_sources.of_core(core)
    if not found or whole_s <= 0:
        return
    shares = [f"{words.percent(float(each.length_s.sum()) / whole_s)} {each.name}" for each in found[:MOST_NAMED]]
    steal_s = core.sources.steal_s if core.sources is not None else None
    stolen = f"; the hypervisor took {words.duration(steal_s)}" if steal_s else ""
    where = f"processor {core.cpu} of {core.host}"
    yield Verdict("fact", f"what the detours of {where} came from, by their time: {', '.join(shares)}{stolen}")


def _of_rtla(found: Noise) -> Iterator[Verdict]:
    shares = [each.overhead_share for each in found.told if each.overhead_share is not None]
    if shares:
        yield Verdict("fact", f"rtla osnoise: noise takes {_range(shares)} of the time of {_cores(len(shares))}")
    delays = [each for each in found.told if each.tool.startswith("timerlat")]
    if delays:
        worst = max(delays, key=lambda each: each.greatest_s)
        late = words.duration(worst.greatest_s)
        yield Verdict("fact", f"rtla timerlat: a timer is at most {late} late ({worst.of}, processor {worst.cpu})")
    if found.told:
        yield Verdict("sure", "rtla prints sums, means and maxima, no samples")


def _range(shares: Sequence[float]) -> str:
    return words.range_of(words.percent(min(shares), decimals=3), words.percent(max(shares), decimals=3))


def _cores(count: int) -> str:
    return words.count(count, "core")


def headlines(part: Noise) -> Iterator[Headline]:
    """Figures by which systems are compared."""
    if part.cores:
        shares = np.array([core.overhead_share() for core in part.cores])
        yield Headline(part.system, "noise", "overhead of a core", shares)


SECTION = Section(
    load=at_most_one(load_noise),
    drawings=lambda found, report: drawings(found, report.names),
    verdicts=verdicts,
    headlines=headlines,
)
