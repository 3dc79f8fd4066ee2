"""The formats that are read, by name."""

from collections.abc import Callable

from fairlead.readers import imb, iperf3, mpip, netgauge, osu, perftest
from fairlead.readers.reading import Reading

READERS: dict[str, Callable[[str, str], list[Reading]]] = {
    "osu": osu.read,
    "imb": imb.read,
    "iperf3": iperf3.read,
    "perftest": perftest.read,
    "netgauge": netgauge.read,
    "mpip": mpip.read,
}
