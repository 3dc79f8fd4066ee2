#!/usr/bin/env python3
"""Each of eight processes sends 32 KiB messages to the next but one and waits for answers: the network limits it.

Started by Open MPI's mpirun on the hosts of examples/servers8.toml, one process a host; it is no MPI program, as those
poll, and where all hosts share two cores polling takes the time that is to be measured.
"""

import os
import socket
import threading
import time

MESSAGE_B = 32768
MESSAGES = 1500
RANK = int(os.environ["OMPI_COMM_WORLD_RANK"])
NEXT = f"10.64.0.{(RANK + 2) % 8 + 1}"


def serve(connection: socket.socket) -> None:
    while connection.recv(MESSAGE_B, socket.MSG_WAITALL):
        connection.sendall(b"+")


def connect() -> socket.socket:
    deadline_s = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection((NEXT, 7000))
        except OSError:
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.05)


server = socket.create_server(("", 7000))
serving = threading.Thread(target=lambda: serve(server.accept()[0]))
serving.start()
with connect() as peer:
    for _ in range(MESSAGES):
        peer.sendall(bytes(MESSAGE_B))
        assert peer.recv(1) == b"+"
        time.sleep(0.02)
serving.join()
