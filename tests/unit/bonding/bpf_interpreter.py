"""Runs classic BPF programs on frames (Documentation/networking/filter.rst), as far as `fairlead.bonding` uses it."""

from fairlead.bonding import classic_bpf as bpf
from fairlead.bonding.hashing import Flow


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
    if flow.source.address.version == 6:
        kind, header = b"\x86\xdd", bytes([0x60, 0, 0, 0, 0, 20, 44 if fragment else protocol, 64])
    else:
        kind, header = (
            b"\x08\x00",
            bytes([0x45 + len(options) // 4, 0, 0, 40, 0, 0, *fragment.to_bytes(2, "big"), 64, protocol, 0, 0]),
        )
    ends = flow.source.address.packed + flow.destination.address.packed + options
    ports = (flow.source.port or 0).to_bytes(2, "big") + (flow.destination.port or 0).to_bytes(2, "big")
    return flow.destination.mac + flow.source.mac + kind + header + ends + ports + bytes(16)


def link_by_program(policy: str, links: int, frame: bytes, socket_hash: int = 0) -> int:
    """The only link whose program matches."""
    matches = [interpret(bpf.program(policy, links, k), frame, socket_hash) == bpf.MATCH for k in range(links)]
    assert matches.count(True) == 1
    return matches.index(True)
