"""TCP throughput by iperf3: a client and a server for each stream, and the middle third of each stream.

iperf3 before 3.16 serves all streams of a process with one thread, so each stream has processes of its own. They do not
begin and end at the same time: only the middle third of each counts (noise, 4.3.2.3). iperf3 reads a length in whole
seconds and drops what follows the point, so lengths are whole.
"""

import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.measuring import client_server, records, repeat
from fairlead.benchmarks.measuring.client_server import START_S
from fairlead.benchmarks.measuring.pairs import HostPair, host_pairs
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.benchmarks.measuring.samples import padded
from fairlead.benchmarks.tcp import CONNECTING_S
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.errors import ConfigError, MeasurementError
from fairlead.progress import Progress
from fairlead.readers import iperf3
from fairlead.store import Label, Store

BENCHMARK = "tcp"
SAID_LINES = 3


@dataclass(frozen=True)
class TcpCell:
    """One combination of parameters: streams from the first host to the second, and back where ``both``."""

    streams: int
    both: bool

    def labels(self) -> dict[str, Label]:
        """For the store."""
        return {"streams": self.streams, "both": int(self.both)}


@dataclass(frozen=True)
class TcpSettings:
    """What was asked for.

    Attributes:
        between: one pair of hosts; none: the first two compute hosts.
        seconds: length of a stream, at least `SHORTEST_S`; the middle third counts.
        length_B: what a stream writes at once.
        timeout_s: a stream that takes so much longer than its length is hung.
    """

    between: tuple[HostPair, ...] = ()
    streams: tuple[int, ...] = (1,)
    directions: tuple[str, ...] = ("one",)
    seconds: int = 6
    length_B: int = 1024**2
    until: Until = field(default_factory=Until)
    timeout_s: float = 30.0
    seed: int = 1

    def lasts_s(self) -> float:
        """How long it takes, at most; the last streams may begin when the budget ends."""
        return self.until.lasts_s(len(self.cells()), self.seconds + CONNECTING_S) + self.seconds

    def interval_s(self) -> float:
        """How often iperf3 shall tell what a stream carried."""
        return iperf3.interval_s(self.seconds)

    def cells(self) -> list[TcpCell]:
        """All combinations."""
        return [TcpCell(streams, direction == "both") for direction in self.directions for streams in self.streams]


SETTINGS = TcpSettings


@dataclass(frozen=True)
class TcpBlock:
    """One run of all streams of a cell.

    Attributes:
        end_s, received_B: (directions * streams, intervals), NaN after the end of a shorter row: ends of intervals
            since the stream began, and what its receiver got in each (of a file read from iperf3's client, what the
            sender gave: see `counted_by`).
        retransmits: segments that its sender sent again, by interval; NaN where the system does not count them.
        seconds: length of its streams as it was asked for.
    """

    end_s: Floats
    received_B: Floats
    retransmits: Floats
    seconds: float

    def rate_bps(self) -> float:
        """Of all streams and directions together, in the middle third of each.

        Raises:
            MeasurementError: a stream has no interval there.
        """
        inside = iperf3.middle_third(self.end_s, self.seconds)
        if not inside.any(axis=1).all():
            raise MeasurementError(
                "a stream ended before its middle third", hint="check whether the hosts are overloaded"
            )
        begin_s = np.concatenate([np.zeros((len(self.end_s), 1)), self.end_s[:, :-1]], axis=1)
        time_s = np.where(inside, self.end_s - begin_s, 0.0).sum(axis=1)
        return float((8 * np.where(inside, self.received_B, 0.0).sum(axis=1) / time_s).sum())


def measure(cluster: Cluster, store: Store, settings: TcpSettings, progress: Progress) -> int:
    """Run iperf3 between two hosts; returns the run, where every block is as soon as it is taken.

    Raises:
        ConfigError: hosts, or more streams than the cluster has ports.
        HostError, MeasurementError: iperf3 is not there, or failed; the run is kept, marked failed.
        Interrupted: Ctrl-C.
    """
    pairs = host_pairs(cluster, settings.between)
    first, last = cluster.ports
    if max(settings.streams) > last - first + 1:
        raise ConfigError(
            f"{cluster.source}: {max(settings.streams)} streams need a port each, cluster.ports has {last - first + 1}"
        )
    with records.recorded(store, cluster, BENCHMARK, {**asdict(settings), "between": pairs}, settings.seed) as run:

        def block(cell: TcpCell, number: int) -> float:
            taken = _take(cluster, pairs[0], cell, settings)
            rate_bps = taken.rate_bps()  # before it is kept: one without is no sample
            labels = {**cell.labels(), "round": number, "seconds": settings.seconds}
            store.add_series(run, "interval_end_s", taken.end_s, "s", labels, missing=True)
            store.add_series(run, "received_B", taken.received_B, "B", labels, missing=True)
            store.add_series(run, "retransmits_count", taken.retransmits, "count", labels, missing=True)
            return rate_bps

        repeat.repeat(settings.cells(), block, settings.until, seed=settings.seed, progress=progress)
    return run


def _take(cluster: Cluster, pair: HostPair, cell: TcpCell, settings: TcpSettings) -> TcpBlock:
    executor, (source, destination) = executor_of(cluster), pair
    ports = [cluster.ports[1] - k for k in range(cell.streams)]  # agents take the first ones
    address = cluster.host(destination).address
    common = ["--json", "--interval", f"{settings.interval_s():g}"]
    options = ["--time", str(settings.seconds), "--length", str(settings.length_B)]
    options += ["--bidir"] if cell.both else []
    serve = [["iperf3", "--server", "--one-off", "--port", str(port), *common] for port in ports]
    ask = [["iperf3", "--client", address, "--port", str(port), *common, *options] for port in ports]
    limit_s = settings.seconds + settings.timeout_s
    with client_server.running(executor, destination, serve) as servers:
        if ended := client_server.await_servers(executor, destination, ports, servers):
            _output(destination, ended, START_S)  # raises what it said
        with client_server.running(executor, source, ask) as clients:
            asked = [_output(source, client, limit_s) for client in clients]
        served = [_output(destination, server, START_S) for server in servers]
    return _block(asked, served, settings.seconds)


def _output(host: str, process: "subprocess.Popen[str]", limit_s: float) -> list[iperf3.Stream]:
    try:
        output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        why = f"{host}: iperf3 did not end within {limit_s:g} s"
        raise MeasurementError(why, hint="on a slow network set a longer --timeout") from error
    if output.lstrip().startswith("{"):
        streams = iperf3.parse(output, host)  # raises what it says of its own failure, for which it may exit with 0
        if process.returncode == 0:
            return streams
    lines = [line.strip() for line in (errors.strip() or output.strip()).splitlines()][:SAID_LINES]
    said = " / ".join(lines) or "(no output)"
    raise MeasurementError(f"{host}: iperf3 ended with exit code {process.returncode}: {said}")


def _block(asked: Sequence[list[iperf3.Stream]], served: Sequence[list[iperf3.Stream]], seconds: float) -> TcpBlock:
    """Rows are the streams to the server, then those back from it."""
    forward = [(_one(there, sends=False), _one(here, sends=True)) for here, there in zip(asked, served, strict=True)]
    back = [
        (_one(here, sends=False), _one(there, sends=True))
        for here, there in zip(asked, served, strict=True)
        if any(not stream.sends for stream in here)
    ]
    rows = [*forward, *back]
    return TcpBlock(
        padded([[each.end_s for each in received.intervals] for received, _ in rows]),
        padded([[float(each.bytes_B) for each in received.intervals] for received, _ in rows]),
        padded([[_count(each.retransmits) for each in sent.intervals] for _, sent in rows]),
        seconds,
    )


def _one(streams: Sequence[iperf3.Stream], *, sends: bool) -> iperf3.Stream:
    found = [stream for stream in streams if stream.sends == sends]
    if len(found) != 1:
        raise MeasurementError(f"iperf3 reported {len(found)} {'sending' if sends else 'receiving'} streams, not one")
    return found[0]


def _count(retransmits: int | None) -> float:
    return float("nan") if retransmits is None else float(retransmits)
