"""The report of a characterization: what is known of a cluster's network, how old it is, and what follows from it."""

from pathlib import Path

import numpy as np

from fairlead.analysis.networks import inferred_network, slow_paths
from fairlead.characterize.characterization import Characterization, duration_words
from fairlead.characterize.tournament import Pair
from fairlead.display import words
from fairlead.report import page
from fairlead.report.figures import Drawing
from fairlead.report.network import characterization_figures as figures_of
from fairlead.report.network import network_graph, slow_words


def write(
    found: Characterization, html: Path, *, figures: Path | None = None, now_s: float | None = None
) -> list[Path]:
    """Write the page and, if asked for, its figures as files; returns what was written.

    Args:
        now_s: the age is told for this time (default: now).

    Raises:
        FairleadError: a file cannot be written.
    """
    drawn = drawings(found)
    content = page.render(
        "characterization.html.j2",
        heading=f"Cluster {found.cluster}",
        run=found.run,
        measured=words.moment(found.started_s),
        age=found.age_words(now_s),
        findings=findings(found),
        slow=slow_words.of(found),
        caveats=caveats(found, now_s),
        drawings=drawn,
        hosts=list(zip(found.hosts, found.addresses, strict=True)),
    )
    saved = [path for each in drawn for path in each.save(figures)] if figures is not None else []
    return [page.write(html, content), *saved]


def drawings(found: Characterization) -> list[Drawing]:
    """All figures; of an incomplete characterization those that its samples allow."""
    injected = _injected(found)
    drawn = []
    if injected:
        network = inferred_network.infer(found)
        drawn.append(network_graph.draw(network, slow_paths.find(found, network), found.hosts))
    drawn += [figures_of.latency_maps(found)] if found.latency.sizes_B else []
    drawn += figures_of.pair_maps(found) if injected else []
    return drawn


def _injected(found: Characterization) -> bool:
    return bool(np.isfinite(found.rates_bps).any())


def findings(found: Characterization) -> list[str]:
    """What was found, in words."""
    said = [f"{words.count(len(found.hosts), 'host')} measured in {duration_words(found.took_s)}."]
    if found.latency.sizes_B:
        said.append(_latency_words(found))
    if found.complete:
        said += [_sharing_words(found), _detour_words(found)]
    return [" ".join(said)]


def caveats(found: Characterization, now_s: float | None = None) -> list[str]:
    """What a reader must know before relying on the figures."""
    said = [f"Incomplete: {found.incomplete_because}."] if not found.complete else []
    stale = found.stale_warning(now_s)
    said += [f"Warning: {stale}."] if stale else []
    return said + [f"Note: {note}." for note in found.notes]


def _latency_words(found: Characterization) -> str:
    size_B, times = found.latency.sizes_B[0], found.latency.median_s[0]
    fastest, slowest = (np.unravel_index(f(times), times.shape) for f in (np.nanargmin, np.nanargmax))
    text = f"A message of {words.size(size_B)} takes {words.duration(float(np.nanmedian(times)))} between most hosts"
    ends = [
        f"{words.duration(float(times[pair]))} for {figures_of.name_of(found, (int(pair[0]), int(pair[1])))}"
        for pair in (fastest, slowest)
    ]
    return f"{text}, from {ends[0]} to {ends[1]}."


def _sharing_words(found: Characterization) -> str:
    pairs = _told_pairs(found)
    hurt = [int(found.sensitivity.hurt_by(pair).sum()) for pair in pairs]
    sharing = sum(number > 0 for number in hurt)
    if not sharing:
        return "No two host pairs share a bottleneck."
    middle = words.significant(float(np.median([number for number in hurt if number])), 2).removesuffix(".0")
    which = "Every host pair shares" if sharing == len(pairs) else f"{sharing} of {len(pairs)} host pairs share"
    if _by_groups(found):
        which = f"Of {len(pairs)} host pairs, one for each two groups of hosts, {sharing} share"
    return f"{which} a bottleneck with others (median: {middle} others)."


def _by_groups(found: Characterization) -> bool:
    """Whether one pair of each two groups of hosts stands for the others in what is said of pairs."""
    return len(found.hosts) > figures_of.MOST_DETOURS


def _told_pairs(found: Characterization) -> list[Pair]:
    return figures_of.shown_pairs(found) if _by_groups(found) else figures_of.pairs_of(found)


def _detour_words(found: Characterization) -> str:
    size_B, pairs = found.reference_size_B(), _told_pairs(found)
    best = []
    for pair in pairs:
        usable = [each for each in found.candidates(pair, size_B) if each.shares_bottleneck is False]
        if usable:
            best.append(usable[0].latency_s / found.latency.base_s(*pair, size_B))
    if not best:
        return (
            "No host pair has a detour: every path over a third host shares the direct path's bottleneck, as on a "
            "single switch. fairlead can monitor this cluster, but not route traffic around congestion."
        )
    which = f"{len(best)} of {'these ' * _by_groups(found)}{len(pairs)} host pairs"
    return (
        f"{which} have a detour around their bottleneck; for {words.size(size_B)} the "
        f"best takes {words.significant(float(np.median(best)), 2)} times as long as the quiet direct path (median)."
    )
