#!/usr/bin/env python3
"""Stands for ib_send_lat, ib_write_bw and the others where there is no device: talks as perftest 6.06 does.

Client and server meet over TCP as the real ones do. Latencies are 2 us and more, rates 1000 MiB/s for each queue pair.
$PERFTEST_MOOD: "no-device" (what the real ones say without one), "hung" (the client never ends), "dies" (the client
ends early), "other-size".
"""

import os
import socket
import sys
import time
from pathlib import Path

RULE = "-" * 87
LATENCY = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
    "99% percentile[usec]   99.9% percentile[usec] "
)
BANDWIDTH = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]"


def main() -> int:
    name, words, mood = Path(sys.argv[0]).name, sys.argv[1:], os.environ.get("PERFTEST_MOOD")
    if words == ["--version"]:
        print("Version: 6.06")
        return 1
    options = dict(zip(words, [*words[1:], ""], strict=True))
    address = None if words[-2].startswith("--") and words[-2] != "--report-unsorted" else words[-1]
    if mood == "no-device":
        print(" Did not detect devices \n If device exists, check if driver is up", file=sys.stderr)
        print(" Unable to find the Infiniband/RoCE device", file=sys.stderr)
        return 1
    if address is None:
        print("\n************************************\n* Waiting for client to connect... *\n" + "*" * 36)
        with socket.create_server(("", int(options["--port"]))) as server:
            connection, _ = server.accept()
            connection.recv(1)  # until the client is done
        return 0
    with socket.create_connection((address, int(options["--port"]))):
        if mood == "hung":
            time.sleep(600)
        if mood == "dies":
            print(" Completion with error at client", file=sys.stderr)
            return 1
        size = 3 if mood == "other-size" else int(options["--size"])
        told(name, size, int(options["--iters"]), int(options.get("--qp", 1)), "--bidirectional" in words)
    return 0


def told(name: str, size: int, iterations: int, queue_pairs: int, both: bool) -> None:
    verb = "Send" if "send" in name else "RDMA_Write"
    latency = name.endswith("_lat")
    print(RULE)
    print(f"                    {verb} {'Latency' if latency else 'Bidirectional BW' if both else 'BW'} Test")
    print(" Dual-port       : OFF\t\tDevice         : mlx5_0")
    print(f" Number of qps   : {queue_pairs}\t\tTransport type : IB")
    print(" Link type       : IB")
    print(RULE)
    print(" local address: LID 0x01 QPN 0x0001 PSN 0x000001")
    print(f"{RULE}\n{LATENCY if latency else BANDWIDTH}")
    if latency:
        samples = [2.0 + 0.001 * (k % 10) for k in range(iterations - 1)]
        print("#, usec")
        for k, sample in enumerate(samples, start=1):
            print(f"{k}, {sample:g}")
        print(f"{RULE}\n{LATENCY}")
        shown = "2.00           2.01         2.00  \t       2.00        \t0.00\t\t2.01 \t\t2.01"
        print(f" {size:<7} {iterations}          {shown}")
    else:
        rate = 1000.0 * queue_pairs * (2 if both else 1)
        messages = rate * 2**20 / size / 1e6
        print(f" {size:<7}    {iterations:<10}       0.00               {rate:<7.2f}\t\t     {messages:<7.6f}")
    print(RULE)


if __name__ == "__main__":
    sys.exit(main())
