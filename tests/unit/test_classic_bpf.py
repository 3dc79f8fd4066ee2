"""Policies as classic BPF, run by an interpreter of a few lines, against the formulas of `fairlead.bonding.hashing`."""

import random
from ipaddress import IPv4Address

import pytest

from fairlead.bonding import classic_bpf as bpf
from fairlead.bonding.hashing import POLICIES, End, Flow, link_of

KERNEL = (6, 1)


def interpret(program: list[bpf.Instruction], frame: bytes, socket_hash: int = 0) -> int:
    """What a program returns for a frame (Documentation/networking/filter.rst)."""
    a = x = at = 0
    memory = [0] * 16

    def load(offset: int, length: int) -> int:
        return socket_hash if offset == 0xFFFFF020 else int.from_bytes(frame[offset : offset + length], "big")

    while True:
        code, yes, no, k = program[at]
        at += 1
        match code:
            case 0x20 | 0x28 | 0x30:
                a = load(k, {0x20: 4, 0x28: 2, 0x30: 1}[code])
            case 0x40:
                a = load(x + k, 4)
            case 0xB1:
                x = 4 * (frame[k] & 15)
            case 0x60:
                a = memory[k]
            case 0x02:
                memory[k] = a
            case 0x07:
                x = a
            case 0xAC:
                a ^= x
            case 0x4C:
                a |= x
            case 0x54:
                a &= k
            case 0x64:
                a = a << k & 0xFFFFFFFF
            case 0x74:
                a >>= k
            case 0x94:
                a %= k
            case 0x05:
                at += k
            case 0x15:
                at += yes if a == k else no
            case 0x45:
                at += yes if a & k else no
            case 0x06:
                return k
            case _:
                raise AssertionError(f"no such instruction: {code:#x}")


def frame_of(flow: Flow, protocol: int = 6, options: bytes = b"", fragment: int = 0) -> bytes:
    """The first bytes of an Ethernet frame."""
    assert flow.source.mac is not None
    assert flow.destination.mac is not None
    header = bytes([0x45 + len(options) // 4, 0, 0, 40, 0, 0, *fragment.to_bytes(2, "big"), 64, protocol, 0, 0])
    ends = flow.source.address.packed + flow.destination.address.packed + options
    ports = (flow.source.port or 0).to_bytes(2, "big") + (flow.destination.port or 0).to_bytes(2, "big")
    return flow.destination.mac + flow.source.mac + b"\x08\x00" + header + ends + ports + bytes(16)


def link_by_program(policy: str, links: int, frame: bytes, socket_hash: int = 0) -> int:
    """The only link whose program matches."""
    matches = [interpret(bpf.program(policy, links, k), frame, socket_hash) == bpf.MATCH for k in range(links)]
    assert matches.count(True) == 1
    return matches.index(True)


def flows(number: int) -> list[Flow]:
    draw = random.Random(6)

    def end() -> End:
        return End(IPv4Address(draw.getrandbits(32)), draw.getrandbits(16), draw.randbytes(6))

    return [Flow(end(), end()) for _ in range(number)]


@pytest.mark.parametrize("links", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("policy", [each for each in POLICIES if each != "encap3+4"])
def test_a_policy_puts_every_flow_on_the_link_of_the_formula(policy: str, links: int) -> None:
    for flow in flows(60):
        assert link_by_program(policy, links, frame_of(flow)) == link_of(flow, policy, links, KERNEL).link
        with_options = frame_of(flow, options=bytes([1, 1, 1, 1]))
        assert link_by_program(policy, links, with_options) == link_of(flow, policy, links, KERNEL).link


def test_fragments_and_what_has_no_ports_count_by_addresses_alone() -> None:
    for flow in flows(20):
        whole = link_by_program("layer3+4", 8, frame_of(flow, protocol=1))
        first, later = (link_by_program("layer3+4", 8, frame_of(flow, fragment=bits)) for bits in (0x2000, 0x00B9))
        assert whole == first == later
        no_ports = Flow(End(flow.source.address, 0, flow.source.mac), End(flow.destination.address, 0))
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
