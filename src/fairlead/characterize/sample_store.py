"""Raw samples to and from the results store, each committed before the next is taken."""

from typing import Any

import numpy as np
import numpy.typing as npt

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


def samples_of(store: Store, run: int, hosts: int) -> Samples:
    """All samples of a run, in the order taken."""
    samples = Samples(hosts)
    parts: dict[str, npt.NDArray[Any]] = {}
    for series in store.series(run):
        match series.name:
            case "exchanges_s":
                samples.exchanges.append(_exchanges(series))
            case "injected" | "probed":
                parts[series.name] = series.values
            case "probed_s":
                samples.windows.append(_window(parts.pop("injected", None), parts.pop("probed"), series.values))
            case "group":
                samples.group_of = series.values
            case "delays_s":
                samples.windows.append(_of_all(series))
    return samples


def exchanges_of(store: Store, run: int) -> list[Exchanges]:
    """Only the exchanges of a run: what was seen of injections is much more."""
    return [_exchanges(series) for series in store.series(run, "exchanges_s")]


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
