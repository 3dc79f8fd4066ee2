"""Emulated bonds in labs: which NIC carries what, by the kernel's counters, and what becomes of it when one goes down.

That the formulas are those of the kernel's bonding driver is shown by tests/unit/bonding/test_bonding_driver.py.
"""

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from lab_fixtures import PRIVILEGES, private_runtime, python, running, serving, tcp_rate_bps

from fairlead.bonding.explain import Bond, explain
from fairlead.errors import LabError
from fairlead.lab import Lab, nics

__all__ = ["private_runtime"]
KERNEL = (6, 1)  # whose formulas labs have
SERVER = """
import selectors, socket, sys
listening = socket.create_server(("", 5000), backlog=512)
print("ready", flush=True)
waiting = selectors.DefaultSelector()
waiting.register(listening, selectors.EVENT_READ)
while True:
    for key, _ in waiting.select():
        if key.fileobj is listening:
            waiting.register(listening.accept()[0], selectors.EVENT_READ)
        elif not key.fileobj.recv(1 << 16):
            waiting.unregister(key.fileobj)
            key.fileobj.close()
"""
CLIENT = """
import socket, sys
peer, first, number, size = sys.argv[1], *map(int, sys.argv[2:])
for k in range(number):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("", first + k))
        s.connect((peer, 5000))
        s.sendall(bytes(size * (k + 1)))
        s.shutdown(socket.SHUT_WR)
        assert s.recv(1) == b""
"""


def bonded(mode: str, nics: int, *, hosts: int = 3, more: str = "", rate: str = "100mbit") -> str:
    return f"""
[lab]
name = "bonded"
topology = "star"
hosts_per_leaf = {hosts}
count_flows = true
[host_link]
rate = "{rate}"
queue = "20ms"
nics = {nics}
bond = {{ mode = "{mode}" {more} }}
"""


@contextmanager
def bonded_lab(text: str, *, user_namespace: bool = True) -> Iterator[Lab]:
    """A lab whose h1 and h2 serve."""
    with (
        running(text, user_namespace=user_namespace) as lab,
        serving(lab, "h1", "python3", "-c", SERVER, ready="ready"),
        serving(lab, "h2", "python3", "-c", SERVER, ready="ready"),
    ):
        for host in lab.plan.host_by_name:
            # NICs count the headers of every segment, flows those of a packet: now the same.
            in_host(lab, host, "ip", "link", "set", "eth0", "gso_max_segs", "1")
        for host in ("h1", "h2"):  # address resolution is over
            python(lab, "h0", CLIENT, f"10.64.0.{int(host[1]) + 1}", "30000", "1", "1")
        for host in lab.plan.host_by_name:
            keep_neighbours(lab, host)
        nics.forget_sent(lab, "h0")
        yield lab


def keep_neighbours(lab: Lab, host: str) -> None:
    """Have the kernel keep the MAC addresses that it found: it would ask again after seconds, and NICs count that."""
    for found in json.loads(in_host(lab, host, "ip", "-json", "-4", "neigh", "show", "dev", "eth0")):
        if "lladdr" in found:
            entry = [found["dst"], "lladdr", found["lladdr"], "dev", "eth0", "nud", "permanent"]
            in_host(lab, host, "ip", "neigh", "replace", *entry)


def in_host(lab: Lab, host: str, *command: str) -> str:
    return subprocess.run(lab.enter_command(host, [*command]), check=True, capture_output=True, text=True).stdout


def settled(lab: Lab, host: str) -> list[nics.NicCounters]:
    """Counters once nothing moves any more: an acknowledgement may be late."""
    before = nics.nics(lab, host)
    while True:
        time.sleep(0.1)
        if (after := nics.nics(lab, host)) == before:
            return after
        before = after


def sent_B(lab: Lab, host: str) -> list[int]:
    return [each.sent_B for each in settled(lab, host)]


def received_B(lab: Lab, host: str) -> list[int]:
    return [each.received_B for each in nics.nics(lab, host)]


def since(before: list[int], after: list[int]) -> list[int]:
    return [b - a for a, b in zip(before, after, strict=True)]


def by_formula(lab: Lab, host: str, mode: str, policy: str, number: int) -> tuple[list[int], Counter[int | None]]:
    """Bytes and flows of each link, as `net explain` says of what the host sent."""
    settled(lab, host)
    found = nics.sent(lab, host)
    choices = explain(Bond(mode, policy, number, 1e8, KERNEL), [each.flow for each in found]).choices
    bytes_B: Counter[int | None] = Counter()
    for each, choice in zip(found, choices, strict=True):
        bytes_B[choice.link] += each.bytes_B
    return [bytes_B[link] for link in range(number)], Counter(choice.link for choice in choices)


@pytest.mark.parametrize(
    "user_namespace",
    [
        pytest.param(False, marks=[pytest.mark.root, pytest.mark.slow], id="root"),
        pytest.param(True, marks=pytest.mark.userns, id="userns"),
    ],
)
def test_many_flows_under_layer34_take_the_links_that_explain_says(user_namespace: bool) -> None:
    with bonded_lab(bonded("802.3ad", 4, more=', hash = "layer3+4"'), user_namespace=user_namespace) as lab:
        before, before_h1 = sent_B(lab, "h0"), received_B(lab, "h1")
        python(lab, "h0", CLIENT, "10.64.0.2", "31000", "64", "100")
        for _ in range(20):  # a last packet may come between the three
            wanted, number_of_flows = by_formula(lab, "h0", "802.3ad", "layer3+4", 4)
            sent, got = since(before, sent_B(lab, "h0")), since(before_h1, received_B(lab, "h1"))
            if sent == got == wanted:
                break
        assert sent == wanted
        assert got == wanted  # the switch hashes alike
        assert sum(number_of_flows.values()) == 64
        assert all(number_of_flows[link] > 4 for link in range(4))


@pytest.mark.slow
@pytest.mark.userns
@pytest.mark.parametrize("policy", ["layer2", "layer2+3", "vlan+srcmac"])
def test_all_flows_to_one_peer_take_one_nic_below_layer4(policy: str) -> None:
    with bonded_lab(bonded("balance-xor", 4, more=f', hash = "{policy}"')) as lab:
        for address in ("10.64.0.2", "10.64.0.3"):
            before = sent_B(lab, "h0")
            nics.forget_sent(lab, "h0")
            python(lab, "h0", CLIENT, address, "31000", "8", "1000")
            wanted, number_of_flows = by_formula(lab, "h0", "balance-xor", policy, 4)
            assert since(before, sent_B(lab, "h0")) == wanted
            assert sorted(number_of_flows.values()) == [8]


@pytest.mark.userns
def test_balance_rr_sends_packets_in_turn_and_the_switch_hands_them_on_so() -> None:
    with bonded_lab(bonded("balance-rr", 4)) as lab:
        before, before_h1 = settled(lab, "h0"), settled(lab, "h1")
        python(lab, "h0", CLIENT, "10.64.0.2", "31000", "1", "300000")
        for _ in range(20):  # a last packet may come between the counters of the two ends
            sent = [b.sent_packets - a.sent_packets for a, b in zip(before, settled(lab, "h0"), strict=True)]
            now_h1 = settled(lab, "h1")
            got = [b.received_packets - a.received_packets for a, b in zip(before_h1, now_h1, strict=True)]
            told = sum(each.packets for each in nics.sent(lab, "h0"))
            if sum(sent) == sum(got) == told:
                break
        assert max(sent) - min(sent) <= 1
        assert max(got) - min(got) <= 1
        assert sum(sent) == sum(got) == told > 20


@pytest.mark.slow
@pytest.mark.userns
def test_a_switch_that_hashes_hands_a_flow_in_turn_to_one_nic() -> None:
    with bonded_lab(bonded("balance-rr", 2, more=', switch = "layer2+3"')) as lab:
        before = received_B(lab, "h1")
        python(lab, "h0", CLIENT, "10.64.0.2", "31000", "1", "300000")
        assert sorted(since(before, received_B(lab, "h1")))[0] == 0


@pytest.mark.slow
@pytest.mark.userns
def test_broadcast_sends_everything_on_every_nic_and_active_backup_on_one() -> None:
    with bonded_lab(bonded("broadcast", 2)) as lab:
        before = sent_B(lab, "h0")
        python(lab, "h0", CLIENT, "10.64.0.2", "31000", "4", "1000")
        first, second = since(before, sent_B(lab, "h0"))
        assert first == second >= sum(each.bytes_B for each in nics.sent(lab, "h0")) > 10_000
    with bonded_lab(bonded("active-backup", 2)) as lab:
        before = sent_B(lab, "h0")
        python(lab, "h0", CLIENT, "10.64.0.2", "31000", "4", "1000")
        assert since(before, sent_B(lab, "h0")) == [sum(each.bytes_B for each in nics.sent(lab, "h0")), 0]


STEADY = """
import socket, sys, time
s = socket.create_connection(("10.64.0.2", 5000))
print("sending", flush=True)
for k in range(2000):  # at least 4 s
    s.sendall(bytes(2000))
    time.sleep(0.002)
s.shutdown(socket.SHUT_WR)
assert s.recv(1) == b""
print("done", flush=True)
"""


@pytest.mark.slow  # 5 s each
@pytest.mark.parametrize("user_namespace", PRIVILEGES)
@pytest.mark.parametrize(
    ("mode", "more"), [("active-backup", ""), ("802.3ad", ', hash = "layer3+4"'), ("balance-rr", "")]
)
def test_a_connection_outlives_the_nic_that_carries_it(mode: str, more: str, user_namespace: bool) -> None:
    with bonded_lab(bonded(mode, 2, more=more), user_namespace=user_namespace) as lab:
        before = sent_B(lab, "h0")
        process = subprocess.Popen(
            lab.enter_command("h0", ["python3", "-c", STEADY]), stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "sending\n"
        while max(used := since(before, [each.sent_B for each in nics.nics(lab, "h0")])) < 200_000:
            pass
        carrying = used.index(max(used))
        assert [each.is_up for each in nics.set_nic(lab, "h0", carrying, up=False)] == [k != carrying for k in range(2)]
        at_failure = [each.sent_B for each in nics.nics(lab, "h0")]
        assert process.communicate(timeout=30)[0] == "done\n"
        assert process.returncode == 0
        assert since(at_failure, sent_B(lab, "h0"))[carrying] == 0
        assert since(at_failure, sent_B(lab, "h0"))[1 - carrying] > 1_000_000
        assert [each.is_up for each in nics.set_nic(lab, "h0", carrying, up=True)] == [True, True]
        before = sent_B(lab, "h0")
        nics.forget_sent(lab, "h0")
        python(lab, "h0", CLIENT, "10.64.0.2", "31000", "32", "100")
        if mode == "802.3ad":  # both links again, by the formula
            assert since(before, sent_B(lab, "h0")) == by_formula(lab, "h0", mode, "layer3+4", 2)[0]


@pytest.mark.slow
@pytest.mark.userns
def test_the_servers_uplink_sees_the_addresses_of_its_virtual_machines() -> None:
    text = """
[lab]
name = "bonded-servers"
topology = "star"
hosts_per_leaf = 8
[host_link]
rate = "1gbit"
[servers]
per_leaf = 2
vms_per_server = 4
[servers.uplink]
rate = "100mbit"
nics = 2
bond = { mode = "802.3ad", hash = "layer2" }
"""
    with running(text, user_namespace=True) as lab, serving(lab, "h4", "python3", "-c", SERVER, ready="ready"):
        used = []
        for host in ("h0", "h1"):  # whose addresses end with 1 and 2
            python(lab, host, CLIENT, "10.64.0.5", "30000", "1", "1")
            before = sent_B(lab, "server0")
            python(lab, host, CLIENT, "10.64.0.5", "31000", "1", "50000")
            used.append([each > 50_000 for each in since(before, sent_B(lab, "server0"))])
        assert used == [[True, False], [False, True]]  # 1 ^ 5 ^ 0x0800 is even, 2 ^ 5 ^ 0x0800 odd


@pytest.mark.slow
@pytest.mark.userns
def test_only_nics_of_a_bond_are_taken_down_and_flows_are_counted_where_asked_for() -> None:
    text = bonded("802.3ad", 2, hosts=1).replace("count_flows = true\n", "")
    with running(text, user_namespace=True) as lab:
        with pytest.raises(LabError, match="h0 has no NIC 2"):
            nics.set_nic(lab, "h0", 2, up=False)
        with pytest.raises(LabError, match="has no host 'h7'"):
            nics.nics(lab, "h7")
        with pytest.raises(LabError, match="does not count flows"):
            nics.sent(lab, "h0")
        assert lab.record["bonds"] == "emulated"


@pytest.mark.slow  # three labs, 3 s each
@pytest.mark.userns
def test_one_stream_over_balance_rr_gets_about_as_much_as_all_nics_together() -> None:
    """Ratios with wide bounds: what packets that overtake each other cost TCP depends on the machine."""
    rates = {}
    for number in (1, 2, 4):
        with running(bonded("balance-rr", number, hosts=2, rate="30mbit"), user_namespace=True) as lab:
            before = settled(lab, "h0")
            rates[number] = tcp_rate_bps(lab, "h0", "h1", seconds=3)
            sent = [b.sent_packets - a.sent_packets for a, b in zip(before, settled(lab, "h0"), strict=True)]
            assert min(sent) > 0.8 * max(sent)
    assert 1.5 < rates[2] / rates[1] < 2.2
    assert 2.5 < rates[4] / rates[1] < 4.4


@pytest.mark.slow
@pytest.mark.userns
@pytest.mark.parametrize("mode", ["802.3ad", "balance-rr", "broadcast"])
def test_without_a_nic_nothing_is_sent_until_one_is_up_again(mode: str) -> None:
    with bonded_lab(bonded(mode, 2)) as lab:
        for number in (0, 1):
            nics.set_nic(lab, "h0", number, up=False)
        before = settled(lab, "h0")
        trial = "import socket; s = socket.socket(); s.settimeout(0.5); s.connect(('10.64.0.2', 5000))"
        done = subprocess.run(lab.enter_command("h0", ["python3", "-c", trial]), capture_output=True, check=False)
        assert b"timed out" in done.stderr
        assert settled(lab, "h0") == before
        nics.set_nic(lab, "h0", 1, up=True)
        python(lab, "h0", CLIENT, "10.64.0.2", "31000", "1", "1000")
        sent = since([each.sent_B for each in before], sent_B(lab, "h0"))
        assert sent[0] == 0
        assert sent[1] > 1000


@pytest.mark.slow
@pytest.mark.userns
@pytest.mark.parametrize("mode", ["active-backup", "802.3ad"])
def test_the_queue_of_a_nic_holds_tcp_back_as_that_of_a_device_does(mode: str) -> None:
    """Without that a stream of this size fills the 50 ms that the queue holds, and learns it by what is dropped."""
    with bonded_lab(bonded(mode, 2, rate="20mbit").replace("20ms", "50ms")) as lab:
        python(lab, "h0", CLIENT, "10.64.0.2", "31000", "1", "5000000")
        shown = ["tc", "-json", "-stats", "qdisc", "show", "dev", "eth0"]
        done = subprocess.run(lab.enter_command("h0", shown), capture_output=True, text=True, check=True)
        queues = [entry for entry in json.loads(done.stdout) if entry["kind"] == "bfifo"]
        assert max(entry["bytes"] for entry in queues) > 5_000_000
        assert [entry["drops"] for entry in queues] == [0, 0]
        assert nics.retransmitted(lab, "h0") == 0
