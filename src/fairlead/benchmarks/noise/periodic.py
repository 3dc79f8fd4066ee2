"""Periods in events: what comes again and again, how often, and how long it takes."""

from dataclasses import dataclass

import numpy as np

from fairlead.array_types import Floats

LEAST_EVENTS = 10
LEAST_PERIODS = 5  # within the observed time
LEAST_REGULARITY = 0.3  # share of the events (of a length and longer) that keep the beat
CHANCE = 1e-4  # that events without any period give such a peak, over all frequencies tried
SAME = 0.05  # relative difference up to which two periods are one
IN_STEP = 0.1  # of a period: how far an event may be from the beat
_MOST_REFINED = 10_000  # events that a frequency is refined by
_BINS = 16  # a mean distance between events


@dataclass(frozen=True)
class Period:
    """A disturbance that comes at regular times.

    Attributes:
        length_s: median of the events that keep the beat.
        regularity: length of the events' mean phase, 1 for a perfect beat; those of its length and longer count.
        events: how many keep the beat.
    """

    period_s: float
    length_s: float
    regularity: float
    events: int


def spectrum(times_s: Floats, total_s: float) -> tuple[Floats, Floats]:
    """Frequencies in Hz and the length of the events' mean phase at each (0 to 1).

    The train of events is binned and transformed at twice the resolution of the observed time. The highest frequency
    is a little above that of the events: a period cannot be shorter than their mean distance.
    """
    bins = 1 << int(np.ceil(np.log2(max(_BINS * len(times_s), 64))))
    train = np.zeros(2 * bins)
    np.add.at(train, np.minimum((times_s / total_s * bins).astype(np.int64), bins - 1), 1.0)
    frequencies = np.arange(bins + 1) / (2 * total_s)
    inside = (frequencies >= LEAST_PERIODS / total_s) & (frequencies <= 1.2 * len(times_s) / total_s)
    return frequencies[inside], np.abs(np.fft.rfft(train))[inside] / len(times_s)


def find(start_s: Floats, length_s: Floats, total_s: float) -> list[Period]:
    """All disturbances with a period, the longest first.

    Long ones drown among many short ones, so events are looked at from the longest down, half a decade at a time: those
    of some length and longer, for each length.
    """
    if len(length_s) < LEAST_EVENTS:
        return []
    low, high = np.log10(length_s.min()), np.log10(length_s.max())
    found: list[Period] = []
    before = 0
    for limit in 10 ** np.arange(np.floor(high * 2) / 2, low - 0.5, -0.5):
        chosen = length_s >= limit
        count = int(chosen.sum())
        if count < max(LEAST_EVENTS, before + 1):
            continue
        before = count
        one = _strongest(start_s[chosen], length_s[chosen], total_s)
        if one is None or one.length_s >= one.period_s:
            continue  # what begins with the beat of a clock and lasts longer than its period does not come so often
        if not any(abs(one.period_s / other.period_s - 1) < SAME for other in found):
            found.append(one)
    return sorted(found, key=lambda each: -each.length_s)


def _strongest(start_s: Floats, length_s: Floats, total_s: float) -> Period | None:
    frequencies, beat = spectrum(start_s, total_s)
    if not len(beat):
        return None
    needed = np.sqrt(np.log(len(beat) / CHANCE) / len(start_s))  # Rayleigh's test, corrected for the frequencies tried
    if beat.max() < max(needed, LEAST_REGULARITY):
        return None
    # A beat's multiples are as strong as itself: the lowest of the strong ones is meant.
    coarse = float(frequencies[np.argmax(beat >= 0.8 * beat.max())])
    near = coarse + np.linspace(-1.0, 1.0, 201) / total_s
    some = start_s[:: -(-len(start_s) // _MOST_REFINED)]
    phases = np.exp(2j * np.pi * near[:, None] * some[None, :]).mean(axis=1)
    best = int(np.argmax(np.abs(phases)))
    frequency, mean_phase = float(near[best]), np.angle(phases[best])
    # The exponent's angle is taken from the mean: what is left is how far each event is from the beat.
    off = np.angle(np.exp(1j * (2 * np.pi * frequency * start_s - mean_phase))) / (2 * np.pi)
    in_step = np.abs(off) <= IN_STEP
    return Period(1.0 / frequency, float(np.median(length_s[in_step])), float(np.abs(phases[best])), int(in_step.sum()))
