"""Policies as classic BPF, run by an interpreter, against the formulas of `fairlead.bonding.hashing`."""

import random
from ipaddress import IPv4Address, IPv6Address

import pytest

from fairlead.bonding import classic_bpf as bpf
from fairlead.bonding.hashing import POLICIES, Flow, FlowEnd, link_of

from .bpf_interpreter import frame_of, link_by_program

KERNEL = (6, 1)


def flows(number: int, family: int = 4) -> list[Flow]:
    draw = random.Random(6)

    def end() -> FlowEnd:
        address = IPv4Address(draw.getrandbits(32)) if family == 4 else IPv6Address(draw.getrandbits(128))
        return FlowEnd(address, draw.getrandbits(16), draw.randbytes(6))

    return [Flow(end(), end()) for _ in range(number)]


@pytest.mark.parametrize("links", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("policy", [each for each in POLICIES if each != "encap3+4"])
def test_a_policy_puts_every_flow_on_the_link_of_the_formula(policy: str, links: int) -> None:
    for flow in flows(60):
        assert link_by_program(policy, links, frame_of(flow)) == link_of(flow, policy, links, KERNEL).link
        with_options = frame_of(flow, options=bytes([1, 1, 1, 1]))
        assert link_by_program(policy, links, with_options) == link_of(flow, policy, links, KERNEL).link


@pytest.mark.parametrize("links", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("policy", [each for each in POLICIES if each != "encap3+4"])
def test_a_policy_puts_flows_of_ipv6_on_the_link_of_the_formula(policy: str, links: int) -> None:
    for flow in flows(60, family=6):
        assert link_by_program(policy, links, frame_of(flow)) == link_of(flow, policy, links, KERNEL).link


def test_fragments_of_ipv6_and_what_has_no_ports_count_by_addresses_alone() -> None:
    for flow in flows(20, family=6):
        whole = link_by_program("layer3+4", 8, frame_of(flow, protocol=58))
        assert whole == link_by_program("layer3+4", 8, frame_of(flow, fragment=1))
        no_ports = Flow(FlowEnd(flow.source.address, 0, flow.source.mac), FlowEnd(flow.destination.address, 0))
        assert whole == link_of(no_ports, "layer3+4", 8, KERNEL).link


def test_fragments_and_what_has_no_ports_count_by_addresses_alone() -> None:
    for flow in flows(20):
        whole = link_by_program("layer3+4", 8, frame_of(flow, protocol=1))
        first, later = (link_by_program("layer3+4", 8, frame_of(flow, fragment=bits)) for bits in (0x2000, 0x00B9))
        assert whole == first == later
        no_ports = Flow(FlowEnd(flow.source.address, 0, flow.source.mac), FlowEnd(flow.destination.address, 0))
        assert whole == link_of(no_ports, "layer3+4", 8, KERNEL).link


def test_address_resolution_goes_by_mac_addresses() -> None:
    arp = bytes.fromhex("ffffffffffff0200000000a10806") + bytes(28)
    for policy in ("layer2", "layer2+3", "layer3+4"):
        assert link_by_program(policy, 4, arp) == (0xFF ^ 0xA1 ^ 0x0806) % 4


def test_encap34_takes_the_sockets_hash_and_the_ports_where_there_is_none() -> None:
    flow = flows(1)[0]
    assert link_by_program("encap3+4", 4, frame_of(flow), socket_hash=0xDEADBEEF) == 0xDEADBEEF % 4
    assert link_by_program("encap3+4", 4, frame_of(flow)) == link_of(flow, "layer3+4", 4, KERNEL).link


def test_a_program_is_written_as_tc_reads_it() -> None:
    assert bpf.EVERYTHING == "1,6 0 0 4294967295"
    assert bpf.text(bpf.program("vlan+srcmac", 2, 1)).startswith("10,32 0 0 6,116 0 0 8,7 0 0 0,")
