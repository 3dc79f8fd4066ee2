"""Watches one interface's queue and prints when its backlog first exceeds a limit. Runs inside a lab's switch.

    python backlog.py INTERFACE LIMIT_B

Prints ``ready`` once it watches, then one JSON line: ``before_s`` and ``seen_s``, the times (CLOCK_REALTIME) of the
last look below the limit and the first above it, and ``backlog_B``. Plain netlink and no imports of ours: a look costs
some 10 us, so that it disturbs nothing.
"""

import contextlib
import json
import os
import socket
import struct
import sys
import time

PERIOD_S = 0.001
ANSWER_TIMEOUT_S = 1.0
RTM_GETQDISC = 38
NLM_F_REQUEST, NLM_F_ECHO = 1, 8  # without the second the kernel tells its answer to listeners only
TC_H_ROOT = 0xFFFFFFFF
TCA_STATS2, TCA_STATS_QUEUE = 7, 3
HEADER = struct.Struct("=IHHII")  # struct nlmsghdr
TCMSG = struct.Struct("=BxxxiIII")  # struct tcmsg
ATTRIBUTE = struct.Struct("=HH")
NESTED = 0x3FFF  # the bits of an attribute's type that are its number


def attribute(data: bytes, wanted: int) -> bytes:
    """Content of a netlink attribute.

    Raises:
        ValueError: it is not there.
    """
    offset = 0
    while offset + ATTRIBUTE.size <= len(data):
        length, kind = ATTRIBUTE.unpack_from(data, offset)
        if length < ATTRIBUTE.size:
            break
        if kind & NESTED == wanted:
            return data[offset + ATTRIBUTE.size : offset + length]
        offset += (length + 3) & ~3
    raise ValueError(f"the kernel's answer has no attribute {wanted}")


def backlog_B(link: socket.socket, index: int) -> int:
    """Bytes that wait in the root queue of an interface."""
    request = TCMSG.pack(socket.AF_UNSPEC, index, 0, TC_H_ROOT, 0)
    link.send(HEADER.pack(HEADER.size + len(request), RTM_GETQDISC, NLM_F_REQUEST | NLM_F_ECHO, 1, 0) + request)
    answer = link.recv(65536)
    statistics = attribute(answer[HEADER.size + TCMSG.size :], TCA_STATS2)
    return int.from_bytes(attribute(statistics, TCA_STATS_QUEUE)[4:8], sys.byteorder)


def main() -> None:
    interface, limit_B = sys.argv[1], int(sys.argv[2])
    # Programs that poll would keep it from looking, and a rare look dates the onset too early.
    with contextlib.suppress(PermissionError):  # an ordinary user looks as often as it gets the processor
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as link:
        link.settimeout(ANSWER_TIMEOUT_S)
        index = socket.if_nametoindex(interface)
        print("ready", flush=True)
        before_s = time.time()
        while (seen_B := backlog_B(link, index)) <= limit_B:
            before_s = time.time()
            time.sleep(PERIOD_S)
        print(json.dumps({"before_s": before_s, "seen_s": time.time(), "backlog_B": seen_B}), flush=True)


if __name__ == "__main__":
    main()
