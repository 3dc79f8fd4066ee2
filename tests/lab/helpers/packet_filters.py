"""Packet filters on hosts of a lab that stand in the way of detours."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from fairlead import lab as labs

# (chain, rule)
OVERLAY_BLOCKED = ("input priority 0", "udp dport 20000-29999 drop;")
NOT_FORWARDED = ("forward priority 0; policy drop",)


@contextmanager
def refusing(lab: labs.Lab, host: str, chain: str, rule: str = "") -> Iterator[float]:
    """A packet filter on a host, for as long as the context; since when, by time.monotonic()."""
    table = f"table inet in_the_way {{ chain it {{ type filter hook {chain}; {rule} }}; }}"
    subprocess.run(lab.enter_command(host, ["nft", table]), check=True)
    try:
        yield time.monotonic()
    finally:
        subprocess.run(lab.enter_command(host, ["nft", "delete table inet in_the_way"]), check=True)
