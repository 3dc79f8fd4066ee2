"""Takes what a migration copies and confirms each round: the target server's end. A script of its own, quick to start.

``sink.py ADDRESS`` prints its port, takes one connection, and for each round an 8 byte length and so many bytes, which
it answers by ``+``. It ends with the connection, or with its standard input, whichever ends first.
"""

import os
import select
import socket
import sys

SIZE_B = 1 << 18


def receive(connection: socket.socket, count_B: int, buffer: bytearray) -> bytes:
    """Exactly so many bytes, of which the last part is returned; ends the process where connection or input does.

    Both are watched: the reset of a connection is sent once, and a congested network may lose it.
    """
    part = b""
    while count_B:
        ready, _, _ = select.select([connection.fileno(), 0], [], [])
        if 0 in ready:
            sys.exit(0)
        read = connection.recv_into(buffer, min(count_B, SIZE_B))
        if not read:
            sys.exit(0)
        count_B -= read
        part = bytes(buffer[:read]) if read <= 8 else b""
    return part


def main() -> None:
    family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
    with socket.create_server((sys.argv[1], 0), family=family) as server:
        os.write(1, f"{server.getsockname()[1]}\n".encode())
        ready, _, _ = select.select([server.fileno(), 0], [], [])
        if server.fileno() not in ready:
            return
        connection, _ = server.accept()
    buffer = bytearray(SIZE_B)
    while True:
        length = b"".join(receive(connection, 1, buffer) for _ in range(8))
        receive(connection, int.from_bytes(length, "big"), buffer)
        connection.send(b"+")


if __name__ == "__main__":
    main()
