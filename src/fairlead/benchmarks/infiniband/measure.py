"""InfiniBand and RoCE by perftest: a server and a client for each measurement of one size.

perftest measures round trips (ib_send_lat, ib_write_lat: it tells half of each), and how fast messages are completed
(ib_send_bw, ib_write_bw: it tells the average over all of them).
"""

import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from fairlead.array_types import Floats
from fairlead.benchmarks.measuring import client_server, records, repeat
from fairlead.benchmarks.measuring.pairs import HostPair, host_pairs
from fairlead.benchmarks.measuring.repeat import Until
from fairlead.cluster.description import Cluster
from fairlead.cluster.executors import executor_of
from fairlead.cluster.remote.execute import attempt, run_on
from fairlead.errors import MeasurementError, MissingDeviceError, MissingToolError
from fairlead.progress import Progress
from fairlead.readers import perftest
from fairlead.store import Label, Store

BENCHMARK = "infiniband"
VERBS = ("send", "write")
LATENCY, THROUGHPUT = "latency", "throughput"
SERIES = {LATENCY: "latency_s", THROUGHPUT: "rate_bps"}
DEFAULT_SIZES_B = tuple(2 * 4**k for k in range(12))  # 2 B to 8 MiB, as perftest's --all, half as many
EXCHANGES = 1000  # of a block of latency
CONNECTING_S = 1.0  # until a server and a client have met, about
BLOCK_S = 0.5  # a block of throughput lasts about so long, connecting apart
LEAST_MESSAGES, MOST_MESSAGES = 20, 5_000_000  # of each queue pair in it
PILOT_B, PILOT_MESSAGES = 64 * 1024, 500
SMALL_PILOT_MESSAGES = 5000
DEVICES = "/sys/class/infiniband"
NO_DEVICE = ("Did not detect devices", "Unable to find the Infiniband/RoCE device")
SAID_LINES = 3
# Which of the programs are missing, and whether there are devices. $0 is the directory of these.
_LOOK = """
for program in "$@"; do command -v "$program" >/dev/null || echo "missing $program"; done
[ -z "$(ls "$0" 2>/dev/null)" ] || echo devices"""


@dataclass(frozen=True)
class VerbCell:
    """One combination of parameters: a test of a verb with messages of one size."""

    verb: str
    test: str
    size_B: int
    queue_pairs: int = 1
    both: bool = False

    def program(self) -> str:
        """Of perftest."""
        return f"ib_{self.verb}_{'lat' if self.test == LATENCY else 'bw'}"

    def labels(self) -> dict[str, Label]:
        """For the store."""
        return {**asdict(self), "both": int(self.both)}


@dataclass(frozen=True)
class Pilot:
    """About what one queue pair does: small messages follow each other by `gap_s`, large ones carry `rate_bps`."""

    gap_s: float
    rate_bps: float

    def messages(self, cell: VerbCell) -> int:
        """How many of each queue pair make a block, if queue pairs carry together what one does alone."""
        if cell.test == LATENCY:
            return EXCHANGES
        message_s = max(self.gap_s, 8 * cell.size_B / self.rate_bps)
        return min(MOST_MESSAGES, max(LEAST_MESSAGES, int(BLOCK_S / message_s / cell.queue_pairs)))


@dataclass(frozen=True)
class InfinibandSettings:
    """What was asked for.

    Attributes:
        between: one pair of hosts; none: the first two compute hosts.
        queue_pairs: of throughput; perftest measures latency over one.
        device, gid_index, connection: as perftest has them; None: what it chooses.
        timeout_s: a block that takes longer is hung.
    """

    between: tuple[HostPair, ...] = ()
    verbs: tuple[str, ...] = VERBS
    tests: tuple[str, ...] = (LATENCY, THROUGHPUT)
    sizes_B: tuple[int, ...] = DEFAULT_SIZES_B
    queue_pairs: tuple[int, ...] = (1, 16)
    directions: tuple[str, ...] = ("one",)
    device: str | None = None
    gid_index: int | None = None
    connection: str | None = None
    until: Until = field(default_factory=Until)
    timeout_s: float = 60.0
    seed: int = 1

    def lasts_s(self) -> float:
        """How long it takes, at most."""
        return self.until.lasts_s(len(self.cells()), BLOCK_S + CONNECTING_S)

    def cells(self) -> list[VerbCell]:
        """All combinations."""
        found = [VerbCell(verb, LATENCY, size_B) for verb in self.verbs for size_B in self.sizes_B]
        found += [
            VerbCell(verb, THROUGHPUT, size_B, queue_pairs, direction == "both")
            for verb in self.verbs
            for direction in self.directions
            for queue_pairs in self.queue_pairs
            for size_B in self.sizes_B
        ]
        return [cell for cell in found if cell.test in self.tests]

    def arguments(self, cell: VerbCell, messages: int) -> list[str]:
        """What client and server are both told, but for the port."""
        words = [cell.program(), "--size", str(cell.size_B), "--iters", str(messages), "--CPU-freq"]
        words += ["--qp", str(cell.queue_pairs)] if cell.test == THROUGHPUT else []
        words += ["--bidirectional"] if cell.both else []
        words += ["--ib-dev", self.device] if self.device else []
        words += ["--gid-index", str(self.gid_index)] if self.gid_index is not None else []
        return [*words, "--connection", self.connection] if self.connection else words


SETTINGS = InfinibandSettings


def measure(cluster: Cluster, store: Store, settings: InfinibandSettings, progress: Progress) -> int:
    """Run perftest between two hosts; returns the run, where every block is as soon as it is taken.

    Raises:
        ConfigError: hosts.
        MissingDeviceError: a host has no InfiniBand or RoCE device.
        MissingToolError: perftest is not installed on a host.
        HostError, MeasurementError: perftest failed, or told what it must not; the run is kept, marked failed.
        Interrupted: Ctrl-C.
    """
    (pair, *_) = host_pairs(cluster, settings.between)
    cells = settings.cells()
    _look(cluster, pair, sorted({cell.program() for cell in cells}))
    plan = {**asdict(settings), "between": [pair]}
    with records.recorded(store, cluster, BENCHMARK, plan, settings.seed) as run:

        def block(cell: VerbCell, number: int) -> float:
            values = _take(cluster, pair, cell, settings, pilot.messages(cell))
            unit = "s" if cell.test == LATENCY else "bit/s"
            store.add_series(run, SERIES[cell.test], values, unit, {**cell.labels(), "round": number})
            return float(np.median(values))

        progress("starting", 0, 1)
        versions = {host: _version(cluster, host, cells[0]) for host in pair}
        store.add_event(run, time.time(), "perftest", versions)
        pilot = _pilot(cluster, pair, settings)
        repeat.repeat(cells, block, settings.until, seed=settings.seed, progress=progress)
    return run


def _pilot(cluster: Cluster, pair: HostPair, settings: InfinibandSettings) -> Pilot:
    """The smallest messages, and large ones where there are any; nothing is measured by it."""
    if THROUGHPUT not in settings.tests:
        return Pilot(np.inf, np.inf)

    def rate_bps(size_B: int, count: int) -> float:
        return float(_take(cluster, pair, VerbCell(settings.verbs[0], THROUGHPUT, size_B), settings, count)[0])

    small_B = min(settings.sizes_B)
    large_B = max((size_B for size_B in settings.sizes_B if size_B <= PILOT_B), default=small_B)
    small_bps = rate_bps(small_B, SMALL_PILOT_MESSAGES if small_B < PILOT_B else PILOT_MESSAGES)
    large_bps = rate_bps(large_B, PILOT_MESSAGES) if large_B > small_B else small_bps
    return Pilot(8 * small_B / small_bps, large_bps)


def _look(cluster: Cluster, pair: HostPair, programs: Sequence[str]) -> None:
    """See whether both hosts have what it takes. Devices are looked for only where programs are missing: which devices
    can be used, perftest knows better."""
    for host in pair:
        said = run_on(executor_of(cluster), host, ["sh", "-c", _LOOK, DEVICES, *programs]).splitlines()
        missing = [line.removeprefix("missing ") for line in said if line.startswith("missing ")]
        if missing and "devices" not in said:
            raise _no_device(host)
        if missing:
            raise MissingToolError(f"{host}: {missing[0]} is not installed", hint="install perftest there")


def _version(cluster: Cluster, host: str, cell: VerbCell) -> str:
    done = attempt(executor_of(cluster), host, [cell.program(), "--version"])  # exits with 1
    said = done.stdout.decode(errors="replace")
    return said.strip().removeprefix("Version:").strip()


def _no_device(host: str) -> MissingDeviceError:
    return MissingDeviceError(f"{host} has no InfiniBand or RoCE device")


def _take(cluster: Cluster, pair: HostPair, cell: VerbCell, settings: InfinibandSettings, count: int) -> Floats:
    """Latencies in s, or one rate in bit/s."""
    executor, (source, destination) = executor_of(cluster), pair
    port, address = cluster.ports[1], cluster.host(destination).address
    serve = [*settings.arguments(cell, count), "--port", str(port)]
    ask = [*serve, *(["--report-unsorted"] if cell.test == LATENCY else []), address]
    with client_server.running(executor, destination, [serve]) as servers:
        if ended := client_server.await_servers(executor, destination, [port], servers):
            _output(destination, cell, ended, settings.timeout_s)
            raise MeasurementError(f"{destination}: {cell.program()} ended before a client came")
        with client_server.running(executor, source, [ask]) as (client,):
            said = _output(source, cell, client, settings.timeout_s)
        _output(destination, cell, servers[0], client_server.START_S)
    return _values(said, cell, count, f"{cell.program()} on {source}")


def _output(host: str, cell: VerbCell, process: "subprocess.Popen[str]", limit_s: float) -> str:
    try:
        output, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as error:
        raise MeasurementError(
            f"{host}: {cell.program()} of {cell.size_B} B did not end within {limit_s:g} s; it was ended",
            hint="set a longer limit with --timeout",
        ) from error
    if process.returncode == 0:
        return output
    if any(words in errors for words in NO_DEVICE):
        raise _no_device(host)
    lines = [line.strip() for line in (errors.strip() or output.strip()).splitlines()][-SAID_LINES:]
    raise MeasurementError(
        f"{host}: {cell.program()} of {cell.size_B} B ended with exit code {process.returncode}: "
        f"{' / '.join(lines) or '(no output)'}"
    )


def _values(text: str, cell: VerbCell, count: int, source: str) -> Floats:
    readings = perftest.read(text, source)
    wanted = (perftest.SAMPLE_SERIES, None) if cell.test == LATENCY else ("rate_bps", "mean")
    found = [
        each.values for one in readings for each in one.series if (each.name, each.labels.get("statistic")) == wanted
    ]
    sizes_B = [each.values.tolist() for one in readings for each in one.series if each.name == "size_B"]
    if len(found) != 1 or sizes_B != [[cell.size_B]]:
        raise MeasurementError(
            f"{source}: it printed {len(found)} tests of sizes {sizes_B}, and not of one of {cell.size_B} B"
        )
    if cell.test == LATENCY and len(found[0]) != count - 1:
        raise MeasurementError(f"{source}: it printed {len(found[0])} of {count - 1} samples")
    return np.asarray(found[0], dtype=np.float64)
