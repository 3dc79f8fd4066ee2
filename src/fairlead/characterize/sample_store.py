"""Raw samples to and from the results store, each committed before the next is taken.

A run that continues another one holds only what it added; its samples are those of both.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from fairlead.characterize.clocks import with_clocks_of
from fairlead.characterize.samples import Exchanges, Floats, Ints, Samples, Window
from fairlead.characterize.tournament import Pair
from fairlead.store import Label, Series, Store


class StoreSink:
    """Puts samples into one run of a store."""

    def __init__(self, store: Store, run: int) -> None:
        self._store = store
        self._run = run
        self._windows = 0

    def exchanges(self, sample: Exchanges) -> None:
        """One series of two rows: round trips, and one-way times to the second host."""
        labels: dict[str, Label] = {
            "first": sample.pair[0],
            "second": sample.pair[1],
            "size_B": sample.size_B,
            "clock_error_s": sample.clock_error_s,
            "alone": int(sample.alone),
        }
        both = np.stack([sample.round_trip_s, sample.forward_s])
        self._store.add_series(self._run, "exchanges_s", both, "s", labels)

    def window(self, sample: Window) -> None:
        """Series with the same label: what was injected, which paths were probed, and the delays."""
        self._windows += 1
        labels: dict[str, Label] = {"window": self._windows}
        if sample.tests:
            rows = [
                (number, *pair, rate_bps)
                for number, pair, rate_bps in zip(_tests_of(sample), sample.pairs, sample.rates_bps, strict=True)
            ]
            self._store.add_series(self._run, "injected", np.array(rows, dtype=np.float64), "1", labels)
        self._store.add_series(self._run, "probed", sample.paths, "index", labels)
        # Last: a window is whole when its delays are there.
        self._store.add_series(self._run, "probed_s", sample.delays_s, "s", labels, missing=True)

    def groups(self, group_of: Ints) -> None:
        """One series, the group of each host."""
        self._store.add_series(self._run, "group", group_of, "index")


def _tests_of(sample: Window) -> list[int]:
    return [number for number, test in enumerate(sample.tests) for _ in test]


CONTINUES = "continues"
"""Fact of a run that continues another one: the other's number."""


def samples_of(store: Store, run: int, hosts: int) -> Samples:
    """All samples of a run, in the order taken, after those of the run that it continues."""
    names = tuple(str(host["name"]) for host in store.run(run).facts["hosts"])
    samples = Samples(hosts, exchanges_of(store, run), names=names)
    for number in chain_of(store, run):
        windows, group_of = _windows_of(store, number)
        samples.windows = [*with_clocks_of(windows, samples.windows, hosts), *windows]
        samples.group_of = samples.group_of if group_of is None else group_of
    return samples


def exchanges_of(store: Store, run: int) -> list[Exchanges]:
    """Only the exchanges of a run, at its own sizes: what was seen of injections is much more."""
    chain = chain_of(store, run)
    found = [_exchanges(series) for number in chain for series in store.series(number, "exchanges_s")]
    if len(chain) > 1:
        sizes_B = set(store.run(run).plan["sizes_B"])
        found = [each for each in found if each.size_B in sizes_B]
    return found


def grouped(store: Store, run: int) -> bool:
    """Whether a run, or one that it continues, found out which hosts are alike."""
    return any(store.series(number, "group") for number in chain_of(store, run))


def chain_of(store: Store, run: int) -> list[int]:
    """The runs that a run continues, oldest first, and itself."""
    chain: list[int] = []
    earlier: int | None = run
    while earlier is not None:
        chain.insert(0, earlier)
        earlier = store.run(earlier).facts.get(CONTINUES)
    return chain


def _windows_of(store: Store, run: int) -> tuple[list[Window], Ints | None]:
    windows: list[Window] = []
    group_of: Ints | None = None
    parts: dict[str, npt.NDArray[Any]] = {}
    for series in store.series(run):
        match series.name:
            case "injected" | "probed":
                parts[series.name] = series.values
            case "probed_s":
                windows.append(_window(parts.pop("injected", None), parts.pop("probed"), series.values))
            case "group":
                group_of = series.values
            case "delays_s":
                windows.append(_of_all(series))
    return windows, group_of


def _exchanges(series: Series) -> Exchanges:
    labels = series.labels
    return Exchanges(
        (int(labels["first"]), int(labels["second"])),
        int(labels["size_B"]),
        series.values[0],
        series.values[1],
        float(labels["clock_error_s"]),
        bool(labels["alone"]),
    )


def _window(injected: Floats | None, paths: Ints, delays_s: Floats) -> Window:
    tests: dict[int, tuple[Pair, ...]] = {}
    rows = injected if injected is not None else np.zeros((0, 4))
    for number, source, destination, _ in rows:
        tests[int(number)] = (*tests.get(int(number), ()), (int(source), int(destination)))
    return Window(tuple(tests.values()), tuple(float(rate) for rate in rows[:, 3]), paths, delays_s)


def _of_all(series: Series) -> Window:
    """A window as it was stored before hosts were measured in groups: one test at most, and delays of all paths."""
    labels = series.labels
    count = sum(name.startswith("source") for name in labels)
    pairs = tuple((int(labels[f"source{k}"]), int(labels[f"destination{k}"])) for k in range(count))
    rates = tuple(float(labels[f"rate{k}_bps"]) for k in range(count))
    return Window.of_all((pairs,) if pairs else (), rates, series.values)
