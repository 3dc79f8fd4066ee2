"""Raw samples to and from the results store, each committed before the next is taken."""

import numpy as np

from fairlead.characterize.samples import Exchanges, Injection, Samples
from fairlead.store import Label, Series, Store


class StoreSink:
    """Puts samples into one run of a store."""

    def __init__(self, store: Store, run: int) -> None:
        self._store = store
        self._run = run

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

    def injection(self, sample: Injection) -> None:
        """One series, the probes' delays; its labels tell who was injected, and what that carried."""
        labels: dict[str, Label] = {}
        for number, (pair, rate_bps) in enumerate(zip(sample.pairs, sample.rates_bps, strict=True)):
            labels |= {f"source{number}": pair[0], f"destination{number}": pair[1], f"rate{number}_bps": rate_bps}
        self._store.add_series(self._run, "delays_s", sample.delays_s, "s", labels, missing=True)


def samples_of(store: Store, run: int, hosts: int) -> Samples:
    """All samples of a run, in the order taken."""
    samples = Samples(hosts)
    for series in store.series(run):
        if series.name == "exchanges_s":
            samples.exchanges.append(_exchanges(series))
        elif series.name == "delays_s":
            samples.injections.append(_injection(series))
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


def _injection(series: Series) -> Injection:
    labels = series.labels
    count = sum(name.startswith("source") for name in labels)
    pairs = tuple((int(labels[f"source{k}"]), int(labels[f"destination{k}"])) for k in range(count))
    return Injection(pairs, tuple(float(labels[f"rate{k}_bps"]) for k in range(count)), series.values)
