"""A fixed additional delay on one link: by netem where the kernel has it, else by `fairlead-delay`."""

import subprocess
from functools import partial

from fairlead import native
from fairlead.errors import LabError, NoSuchLabError
from fairlead.lab import recipe
from fairlead.lab.congestion.base import Congestion
from fairlead.lab.congestion.description import Delay
from fairlead.lab.lab import Lab
from fairlead.lab.topology import DirectedLink, LabLink, ResolvedLab
from fairlead.runtime import START_OF

_MARK = 0x666C  # of packets that have been through the delay; lives only until they leave the namespace
# Classic BPF, which user namespaces allow: match (-1) unless the packet's mark is ours. 4294963220 is SKF_AD_MARK.
_NOT_MARKED = f"4,32 0 0 4294963220,21 0 1 {_MARK},6 0 0 0,6 0 0 4294967295"
# Before anything is to be undone: what is there already belongs to another delay, and stays.
_REFUSE = 'echo "$interface is delayed already: a link has one delay at a time" >&2; exit 1'
# $1 tap, $2 interface, $3 delay (us), $4 mark, $5 bytecode, $6 fairlead-delay. Undone in the reverse order.
_FORWARDER = f"""{START_OF}
set -e
interface=$2
if ip link show dev "$1" >/dev/null 2>&1; then {_REFUSE}; fi
undo() {{
    tc qdisc del dev "$2" clsact || :
    ip link del "$1" || :
}}
trap 'undo "$@"' EXIT
trap 'send TERM $delay $began || :; wait $delay; exit 0' TERM
ip tuntap add dev "$1" mode tap vnet_hdr
ip link set dev "$1" mtu 1500 txqueuelen 10000 up
"$6" "$1" "$2" "$3" "$4" & delay=$!
began=$(start_of $delay) || :
tc qdisc add dev "$2" clsact
tc filter add dev "$2" egress protocol all bpf bytecode "$5" action mirred egress redirect dev "$1"
echo delayed
wait $delay
"""
# $1 interface, $2 delay (us), $3 packets that may be held, $4 bytes of the queue as it was.
_NETEM = f"""
set -e
interface=$1
case "$(tc qdisc show dev "$1")" in *"qdisc netem "*) {_REFUSE} ;; esac
trap 'tc qdisc replace dev "$1" parent 1:1 handle 10: bfifo limit "$4"' EXIT
trap 'exit 0' TERM
tc qdisc replace dev "$1" parent 1:1 handle 10: netem delay "$2us" limit "$3"
echo delayed
sleep infinity & wait $!
"""


def find_link(plan: ResolvedLab, ends: tuple[str, str]) -> LabLink:
    """The link between two nodes. Raises LabError if there is none."""
    for link in plan.links:
        if {link.a, link.b} == set(ends):
            if link.bond is not None:
                raise LabError(f"congestion: {ends[0]}-{ends[1]} is aggregated; delays are for single links")
            return link
    known = ", ".join(f"{link.a}-{link.b}" for link in plan.links if link.addresses)
    raise NoSuchLabError(
        f"congestion: there is no link {ends[0]}-{ends[1]}",
        hint=f"trunks: {known or 'none'}; and every host has one to its switch",
    )


def has_netem(lab: Lab, node: str) -> bool:
    """Whether the running kernel can delay packets itself."""
    script = "tc qdisc replace dev lo root netem delay 1us && tc qdisc del dev lo root"
    result = subprocess.run(lab.enter_command(node, ["sh", "-c", script]), capture_output=True, check=False)
    return result.returncode == 0


class DelayCongestion(Congestion):
    """Delays what leaves ``link``'s first end towards its second, and the other way too unless told otherwise.

    ``method`` is ``netem`` or ``forwarder`` once it is started.
    """

    def __init__(self, lab: Lab, description: Delay) -> None:
        super().__init__(lab)
        self.description = description
        self.link = find_link(lab.plan, description.link)
        self.method: str | None = None

    def describe(self) -> str:
        a, b = self.description.link
        arrow = "<->" if self.description.both_directions else "->"
        return f"{self.description.delay * 1e3:g} ms on {a} {arrow} {b}" + (f" ({self.method})" if self.method else "")

    def _start(self) -> None:
        a, b = self.description.link
        directions: list[DirectedLink] = [(a, b), (b, a)] if self.description.both_directions else [(a, b)]
        self.method = "netem" if has_netem(self.lab, a) else "forwarder"
        for node, other in directions:
            part = self._add(node, self._netem(node, other) if self.method == "netem" else self._forwarder(node, other))
            words = ["delayed"] if self.method == "netem" else ["delayed", "ready"]
            for word in words:
                self._wait_until(partial(part.says, word), f"the delay on {node}-{other} is there")

    def _delay_us(self) -> str:
        return str(round(self.description.delay * 1e6))

    def _forwarder(self, node: str, other: str) -> list[str]:
        device = recipe.interface(self.lab.plan, node, other)
        program = str(native.program("fairlead-delay"))
        # The name of the tap, being taken, says that the interface is delayed.
        words = [f"d-{device}", device, self._delay_us(), str(_MARK), _NOT_MARKED, program]
        return ["sh", "-c", _FORWARDER, "delay", *words]

    def _netem(self, node: str, other: str) -> list[str]:
        device = recipe.interface(self.lab.plan, node, other)
        in_flight_B = self.link.rate_bps * self.description.delay / 8
        packets = round((self.link.queue_B + in_flight_B) / 64) + 1  # generous: the delay shall not drop
        return ["sh", "-c", _NETEM, "delay", device, self._delay_us(), str(packets), str(self.link.queue_B)]
