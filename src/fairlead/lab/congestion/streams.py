"""Streams of TCP between chosen hosts (native/lab/streams.cpp)."""

import fcntl
from functools import partial

from fairlead import native
from fairlead.errors import LabError, NoSuchLabError
from fairlead.lab.congestion.base import Congestion
from fairlead.lab.congestion.description import Streams
from fairlead.lab.lab import Lab
from fairlead.lab.topology import Pair, ResolvedLab
from fairlead.runtime import START_OF

_FIRST_PORT = 20000
# A stopped sender still empties its socket's buffer; a small one makes the pause begin at once.
_BURST_WINDOW_B = 256 * 1024
# $1 on, $2 off (s), then the command. The pauses wait in the background, or a signal would have to wait for their end.
_BURSTS = f"""{START_OF}
on=$1 off=$2
shift 2
"$@" & client=$! began=$(start_of $!)
trap 'send KILL $client $began; exit' TERM
while send 0 $client $began; do
    sleep "$on" & wait $!
    send STOP $client $began
    sleep "$off" & wait $!
    send CONT $client $began
done
wait $client
"""


def host_pairs(description: Streams, plan: ResolvedLab) -> list[Pair]:
    """The pairs of hosts that a description means.

    Raises:
        LabError: a name is not in the lab, or a leaf has no neighbours.
    """
    pairs = list(description.pairs)
    if description.between is not None:
        ends = []
        for leaf in description.between:
            if leaf not in plan.leafs:
                raise NoSuchLabError(f"congestion: no leaf {leaf!r}", hint=f"there are {', '.join(plan.leafs)}")
            names = [h.name for h in plan.hosts if h.role == "other" and plan.leafs[h.leaf] == leaf]
            if not names:
                raise LabError(f"congestion: {leaf} has no neighbours", hint="set lab.neighbours_per_leaf")
            ends.append(names)
        pairs = [pair for pair in zip(*ends, strict=True) if pair[0] != pair[1]][: description.streams]
    for name in {name for pair in pairs for name in pair}:
        if name not in plan.host_by_name:
            raise NoSuchLabError(f"congestion: no host {name!r}", hint=f"there are {', '.join(plan.host_by_name)}")
    if not pairs or any(a == b for a, b in pairs):
        raise NoSuchLabError("congestion: streams need two different hosts")
    return pairs


class StreamCongestion(Congestion):
    """A server and a client for each directed pair; all clients run until stopped."""

    def __init__(self, lab: Lab, description: Streams) -> None:
        super().__init__(lab)
        self.description = description
        self.pairs = host_pairs(description, lab.plan)
        self.program = str(native.program("fairlead-streams"))

    def describe(self) -> str:
        arrow = "<->" if self.description.both_directions else "->"
        bursts = f", {self.description.on:g} s on, {self.description.off:g} s off" if self.description.on else ""
        pairs = ", ".join(f"{a} {arrow} {b}" for a, b in self.pairs)
        return f"{self.description.streams} TCP streams each way: {pairs}{bursts}"

    def _start(self) -> None:
        flows = self._flows()
        ports = _take_ports(self.lab, len(flows))
        for (_, destination, _), port in zip(flows, ports, strict=True):
            address = self.lab.plan.host_by_name[destination].address
            server = self._add(destination, [self.program, "receive", address, str(port)])
            self._wait_until(partial(server.says, "ready"), "a receiver of streams listens")
        for (source, destination, count), port in zip(flows, ports, strict=True):
            self._add(source, self._client(destination, count, port))
        for (source, destination, count), port in zip(flows, ports, strict=True):
            self._wait_until(
                partial(self._all_flow, source, count, port), f"streams from {source} to {destination} flow"
            )

    def _all_flow(self, source: str, count: int, port: int) -> bool:
        return self._connections_flowing(source, port) >= count

    def _flows(self) -> list[tuple[str, str, int]]:
        """(source, destination, streams) of every directed pair."""
        flows = []
        each, rest = divmod(self.description.streams, len(self.pairs))
        for index, (a, b) in enumerate(self.pairs):
            count = each + (index < rest)
            flows.append((a, b, count))
            if self.description.both_directions:
                flows.append((b, a, count))
        return flows

    def _client(self, destination: str, count: int, port: int) -> list[str]:
        address = self.lab.plan.host_by_name[destination].address
        line = [self.program, "send", address, str(port), str(count)]
        if self.description.rate is not None:
            line += ["--rate", str(round(self.description.rate * self.lab.plan.scale))]
        if self.description.congestion_control is not None:
            line += ["--congestion", self.description.congestion_control]
        if self.description.on is None:
            return line
        times = [f"{self.description.on:g}", f"{self.description.off:g}"]
        return ["sh", "-c", _BURSTS, "bursts", *times, *line, "--window", str(_BURST_WINDOW_B)]


def _take_ports(lab: Lab, count: int) -> list[int]:
    """Port numbers that no other congestion of this lab uses."""
    with (lab.directory / "next-port").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        first = int(file.read() or _FIRST_PORT)
        if first + count > 30000:
            first = _FIRST_PORT
        file.seek(0)
        file.truncate()
        file.write(str(first + count))
    return list(range(first, first + count))
