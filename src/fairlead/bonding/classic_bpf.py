"""Transmit hash policies as classic BPF programs, which tc(8) loads also for an ordinary user. Pure.

A program sees a frame from its Ethernet header on, computes the driver's hash of it
(Documentation/networking/bonding.rst, xmit_hash_policy, as kernels from 6.1 on) modulo the number of links, and matches
if that is one given link. What differs from the driver: VLAN tags and ICMP identifiers are not looked at, ports only
those of TCP and UDP (the driver also takes those of SCTP, DCCP and UDP-Lite, and the index of IPsec), and of tunnels
encap policies take the outer headers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from fairlead.bonding.hashing import (
    ENCAP23,
    ENCAP34,
    ETHERNET_IPV4,
    ETHERNET_IPV6,
    LAYER2,
    LAYER23,
    LAYER34,
    VLAN_SRCMAC,
)

MATCH = 0xFFFFFFFF  # cls_bpf: take the filter's own class
# Instructions (linux/bpf_common.h): A is the accumulator, X the index register, M the scratch memory.
LD_WORD, LD_HALF, LD_BYTE, LD_WORD_INDEXED = 0x20, 0x28, 0x30, 0x40
LDX_HEADER_LENGTH, LD_MEMORY, ST, TAX = 0xB1, 0x60, 0x02, 0x07
XOR_X, OR_X, AND, SHIFT_LEFT, SHIFT_RIGHT, MODULO = 0xAC, 0x4C, 0x54, 0x64, 0x74, 0x94
JUMP, JUMP_IF_EQUAL, JUMP_IF_SET, RETURN = 0x05, 0x15, 0x45, 0x06
# Offsets in a frame without VLAN tag; the IP header begins at _IP.
_DESTINATION_MAC, _SOURCE_MAC, _TYPE, _IP = 0, 6, 12, 14
_FRAGMENT, _PROTOCOL, _SOURCE, _DESTINATION = _IP + 6, _IP + 9, _IP + 12, _IP + 16
_NEXT_HEADER6, _ADDRESSES6, _END6 = _IP + 6, _IP + 8, _IP + 40
_IS_FRAGMENT = 0x3FFF  # more fragments, or an offset
_TCP, _UDP = 6, 17
_SOCKET_HASH = 0xFFFFF000 + 32  # SKF_AD_OFF + SKF_AD_RXHASH: the packet's hash, which TCP sets to its socket's

_HASHED, _START, _SWAPPED = 0, 1, 2  # places in M

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


@dataclass
class _Assembler:
    """Instructions with named places to jump to."""

    lines: list[tuple[int, str, str, int]] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def add(self, code: int, operand: int = 0, yes: str = "", no: str = "") -> None:
        self.lines.append((code, yes, no, operand))

    def place(self, name: str) -> None:
        self.places[name] = len(self.lines)

    def instructions(self) -> list[Instruction]:
        found = []
        for number, (code, yes, no, operand) in enumerate(self.lines, start=1):
            jumps = [self.places[name] - number if name else 0 for name in (yes, no)]
            found.append((code, 0, 0, jumps[0]) if code == JUMP else (code, jumps[0], jumps[1], operand))
        return found


def program(policy: str, links: int, link: int) -> list[Instruction]:
    """Matches the frames that ``policy`` puts on ``link`` of ``links``; one of `fairlead.bonding.hashing.POLICIES`."""
    code = _Assembler()
    if policy == VLAN_SRCMAC:
        _source_mac(code)
    elif policy == LAYER2:
        _ethernet(code)
    else:
        if policy == ENCAP34:
            code.add(LD_WORD, _SOCKET_HASH)
            code.add(JUMP_IF_EQUAL, 0, no="end")
        ports = policy not in (LAYER23, ENCAP23)
        code.add(LD_HALF, _TYPE)
        code.add(JUMP_IF_EQUAL, ETHERNET_IPV4, no="no IPv4")
        _addresses(code, (_SOURCE, _DESTINATION))
        if ports:
            _add_ports(code)
        code.add(JUMP, yes="IP")
        code.place("no IPv4")
        code.add(JUMP_IF_EQUAL, ETHERNET_IPV6, no="no IP")
        _addresses(code, range(_ADDRESSES6, _END6, 4))
        if ports:
            _add_ports6(code)
        code.place("IP")
        _folded(code, ports)
        if policy in (LAYER34, ENCAP34):
            code.add(SHIFT_RIGHT, 1)
        code.add(JUMP, yes="end")
        code.place("no IP")
        _ethernet(code)
    code.place("end")
    code.add(MODULO, links)
    code.add(JUMP_IF_EQUAL, link, no="another")
    code.add(RETURN, MATCH)
    code.place("another")
    code.add(RETURN, 0)
    return code.instructions()


def text(instructions: list[Instruction]) -> str:
    """As tc-bpf(8) reads ``bytecode``."""
    return ",".join([str(len(instructions)), *(" ".join(map(str, each)) for each in instructions)])


EVERYTHING = text([(RETURN, 0, 0, MATCH)])
"""Matches every frame."""


def _ethernet(code: _Assembler) -> None:
    """A = last bytes of both MAC addresses and the packet type, all xored."""
    code.add(LD_BYTE, _DESTINATION_MAC + 5)
    code.add(TAX)
    code.add(LD_BYTE, _SOURCE_MAC + 5)
    code.add(XOR_X)
    code.add(TAX)
    code.add(LD_HALF, _TYPE)
    code.add(XOR_X)


def _source_mac(code: _Assembler) -> None:
    """A = the sender's vendor and device number, xored: three bytes each."""
    code.add(LD_WORD, _SOURCE_MAC)
    code.add(SHIFT_RIGHT, 8)
    code.add(TAX)
    code.add(LD_WORD, _SOURCE_MAC + 2)
    code.add(AND, 0xFFFFFF)
    code.add(XOR_X)


def _addresses(code: _Assembler, words: Iterable[int]) -> None:
    """M[_HASHED] = the words of both IP addresses, xored."""
    first, *others = words
    code.add(LD_WORD, first)
    for place in others:
        code.add(TAX)
        code.add(LD_WORD, place)
        code.add(XOR_X)
    code.add(ST, _HASHED)


def _folded(code: _Assembler, ports: bool) -> None:
    """A = M[_HASHED], without ports with the Ethernet hash in it, folded to the lowest byte."""
    _swap_bytes(code, _HASHED)
    if not ports:  # which is a number already
        code.add(ST, _START)
        _ethernet(code)
        code.add(TAX)
        code.add(LD_MEMORY, _START)
        code.add(XOR_X)
    for shift in (16, 8):
        code.add(TAX)
        code.add(SHIFT_RIGHT, shift)
        code.add(XOR_X)


def _add_ports(code: _Assembler) -> None:
    """M[_HASHED] ^= both ports, where the packet is a whole one of TCP or UDP."""
    code.add(LD_HALF, _FRAGMENT)
    code.add(JUMP_IF_SET, _IS_FRAGMENT, yes="no ports")
    code.add(LD_BYTE, _PROTOCOL)
    code.add(JUMP_IF_EQUAL, _TCP, yes="ports")
    code.add(JUMP_IF_EQUAL, _UDP, no="no ports")
    code.place("ports")
    code.add(LDX_HEADER_LENGTH, _IP)
    code.add(LD_WORD_INDEXED, _IP)
    _xor_into_hashed(code)
    code.place("no ports")


def _add_ports6(code: _Assembler) -> None:
    """The same for IPv6: a fragment's next header is that of fragments."""
    code.add(LD_BYTE, _NEXT_HEADER6)
    code.add(JUMP_IF_EQUAL, _TCP, yes="ports6")
    code.add(JUMP_IF_EQUAL, _UDP, no="no ports6")
    code.place("ports6")
    code.add(LD_WORD, _END6)
    _xor_into_hashed(code)
    code.place("no ports6")


def _xor_into_hashed(code: _Assembler) -> None:
    code.add(TAX)
    code.add(LD_MEMORY, _HASHED)
    code.add(XOR_X)
    code.add(ST, _HASHED)


def _swap_bytes(code: _Assembler, place: int) -> None:
    """A = M[place] with its bytes in reverse: the driver reads words of the header as a little-endian machine does."""
    swapped = _SWAPPED
    code.add(LD_MEMORY, place)
    code.add(SHIFT_RIGHT, 24)
    code.add(ST, swapped)
    for shift, by, mask in ((SHIFT_RIGHT, 8, 0xFF00), (SHIFT_LEFT, 8, 0xFF0000), (SHIFT_LEFT, 24, 0xFF000000)):
        code.add(LD_MEMORY, place)
        code.add(shift, by)
        code.add(AND, mask)
        code.add(TAX)
        code.add(LD_MEMORY, swapped)
        code.add(OR_X)
        code.add(ST, swapped)
