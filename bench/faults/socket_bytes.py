"""Runs in a host: bytes that its TCP sockets received from others, every few milliseconds, until its input ends.

    socket_bytes.py PERIOD_S OWNER ADDRESS...

Each line: seconds of CLOCK_MONOTONIC, bytes so far of sockets whose peer has one of the addresses. sock_diag(7).
OWNER: only of processes with this line (NAME=value) in their environment; empty: of all.
"""

import glob
import os
import select
import socket
import struct
import sys
import time

SOCK_DIAG_BY_FAMILY, NLMSG_ERROR, NLMSG_DONE = 20, 2, 3
NLM_F_REQUEST, NLM_F_DUMP = 0x1, 0x300
INET_DIAG_INFO = 2
ESTABLISHED_AND_CLOSING = 0b1111_1011_0010  # by TCP state; neither listening nor in handshakes
INODE_AT, MESSAGE_B = 68, 72  # in struct inet_diag_msg, and its length
RECEIVED_AT = 128  # of tcpi_bytes_received in struct tcp_info


def request() -> bytes:
    """A dump of all TCP sockets over IPv4 with their tcp_info."""
    body = struct.pack(
        "=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 1 << (INET_DIAG_INFO - 1), 0, ESTABLISHED_AND_CLOSING
    )
    body += bytes(48)  # any socket
    return struct.pack("=IHHII", 16 + len(body), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, 1, 0) + body


class Owned:
    """Which sockets belong to processes with a line in their environment, known by inode."""

    def __init__(self, line: str) -> None:
        self._line = line.encode()
        self._owned: dict[int, bool] = {}

    def has(self, inode: int) -> bool:
        """Whether a socket is such a process's. One that is nobody's yet, or no longer, is not."""
        if not self._line:
            return True
        if inode and inode not in self._owned:
            self._look()
        return self._owned.get(inode, False)

    def _look(self) -> None:
        for process in glob.glob("/proc/[0-9]*"):  # noqa: PTH207  # many times a second: strings are faster
            try:
                with open(f"{process}/environ", "rb") as file:  # noqa: PTH123
                    owner = self._line in file.read().split(b"\0")
                for descriptor in os.scandir(f"{process}/fd"):
                    kind, _, number = os.readlink(descriptor).partition(":")  # noqa: PTH115
                    if kind == "socket":
                        self._owned[int(number[1:-1])] = owner
            except OSError:
                continue  # it ended meanwhile


def received(netlink: socket.socket, addresses: set[bytes], owned: Owned) -> dict[bytes, int]:
    """By socket (ports, addresses, cookie), the bytes that it received."""
    netlink.send(request())
    found: dict[bytes, int] = {}
    while True:
        data = netlink.recv(1 << 18)
        at = 0
        while at + 16 <= len(data):
            length, kind = struct.unpack_from("=IH", data, at)
            if kind in (NLMSG_ERROR, NLMSG_DONE):
                return found
            message = data[at + 16 : at + length]
            if message[24:28] in addresses and owned.has(struct.unpack_from("=I", message, INODE_AT)[0]):
                found[message[4:52]] = bytes_of(message[MESSAGE_B:])
            at += (length + 3) & ~3


def bytes_of(attributes: bytes) -> int:
    """tcpi_bytes_received; 0 where the kernel does not tell."""
    at = 0
    while at + 4 <= len(attributes):
        length, kind = struct.unpack_from("=HH", attributes, at)
        if kind == INET_DIAG_INFO and length >= 4 + RECEIVED_AT + 8:
            return int(struct.unpack_from("=Q", attributes, at + 4 + RECEIVED_AT)[0])
        at += max((length + 3) & ~3, 4)
    return 0


def main() -> None:
    """Sample until the input ends."""
    period_s = float(sys.argv[1])
    owned = Owned(sys.argv[2])
    addresses = {socket.inet_aton(text) for text in sys.argv[3:]}
    netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)
    before: dict[bytes, int] = {}
    total_B = 0
    while not select.select([0], [], [], period_s)[0]:
        now = received(netlink, addresses, owned)
        total_B += sum(max(0, count - before.get(key, 0)) for key, count in now.items())
        before.update(now)  # a dump may miss a socket
        print(f"{time.monotonic():.4f} {total_B}", flush=True)


if __name__ == "__main__":
    main()
