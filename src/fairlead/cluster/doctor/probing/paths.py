"""Paths to other hosts, tried with real packets: who reaches whom, how large a packet, how soon, how fast."""

from __future__ import annotations

import os
import random
import socket
import struct
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

TRY_TIMEOUT_S = 1.5
UDP_TRIES = 3
OVERLAY_TRIES = 100
HEADERS_B = {socket.AF_INET: 28, socket.AF_INET6: 48}  # of IP and UDP
IP_MTU_DISCOVER, IP_PMTUDISC_DO, IP_PMTUDISC_PROBE = 10, 2, 3  # linux/in.h
IP_MTU = 14  # linux/in.h: what the kernel has learned of the path of a connected socket
IPV6_MTU_DISCOVER, IPV6_MTU = 23, 24  # linux/in6.h; the values of the former are those of IPv4
COMMON_MTUS_B = (9000, 8951, 1500, 1492, 1450, 1400, 1280, 576)
TCP_CONGESTION = 13  # linux/tcp.h
ROUND_TRIPS = 20
BULK_B, BULK_TIMEOUT_S, BULK_TRIES = 2 << 20, 0.5, 2
CHUNK_B = 1 << 16
CALL_TIMEOUT_S = 10.0
LENGTH = struct.Struct("!Q")
KEY = b"fairlead-doctor"
NO_ANSWER = "no answer"


def family_of(address: str) -> socket.AddressFamily:
    """The family of sockets that an address is for."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def discover_mtu(udp: socket.socket, how: int) -> None:
    """Have a socket's packets go out whole or not at all."""
    if udp.family == socket.AF_INET6:
        udp.setsockopt(socket.IPPROTO_IPV6, IPV6_MTU_DISCOVER, how)
    else:
        udp.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, how)


def listen(address: str, ports: Sequence[int]) -> tuple[socket.socket, socket.socket]:
    """A TCP listener and a UDP socket on the first port of ``ports`` that both can have."""
    last = OSError("no port to try")
    for port in ports:
        tcp = socket.socket(family_of(address), socket.SOCK_STREAM)
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        udp = socket.socket(family_of(address), socket.SOCK_DGRAM)
        try:
            tcp.bind((address, port))
            udp.bind((address, tcp.getsockname()[1]))
            tcp.listen(64)
            return tcp, udp
        except OSError as error:
            tcp.close()
            udp.close()
            last = error
    raise last


def answer_tcp(listener: socket.socket) -> None:
    """Show every caller that it is us who answer, and tell those who send how much has arrived."""
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer_caller, args=(connection,), daemon=True).start()


def answer_caller(connection: socket.socket) -> None:
    """One caller, until it has sent everything."""
    with connection:
        try:
            connection.settimeout(CALL_TIMEOUT_S)
            connection.sendall(KEY)
            received_B = 0
            for data in iter(lambda: connection.recv(CHUNK_B), b""):
                received_B += len(data)
            connection.sendall(LENGTH.pack(received_B))
        except OSError:
            return  # it has hung up, or is too slow: it knows


def answer_udp(udp: socket.socket) -> None:
    """Tell the sender how long its datagram was; nothing is answered to others' datagrams."""
    while True:
        data, sender = udp.recvfrom(65536)
        if data.startswith(KEY):
            udp.sendto(KEY + b" %d" % len(data), sender)


def serve(address: str, ranges: dict[str, list[int]]) -> dict[str, Any]:
    """Listen as an agent would (a port of its range), as MPI does (any port), and as the overlay does (one of its)."""
    first, last = ranges["agent"]
    overlay = range(ranges["overlay"][0], ranges["overlay"][1] + 1)
    candidates = {
        "agent_port": range(first, last + 1),
        "any_port": [0],
        "overlay_port": random.sample(overlay, min(len(overlay), OVERLAY_TRIES)),  # any, as for a job
    }
    found = {}
    try:
        for name, ports in candidates.items():
            tcp, udp = listen(address, ports)
            threading.Thread(target=answer_tcp, args=(tcp,), daemon=True).start()
            threading.Thread(target=answer_udp, args=(udp,), daemon=True).start()
            found[name] = tcp.getsockname()[1]
    except OSError as error:
        return {"error": str(error)}
    return found


def reason(error: OSError) -> str:
    """Why a socket call failed, in words; a time-out carries no error number."""
    return os.strerror(error.errno) if error.errno else NO_ANSWER


def try_tcp(own: str, address: str, port: int) -> str | None:
    """None if a connection works, else why not."""
    try:
        with socket.create_connection((address, port), TRY_TIMEOUT_S, (own, 0)) as connection:
            connection.settimeout(TRY_TIMEOUT_S)
            return None if connection.recv(64) == KEY else "somebody else answers"
    except OSError as error:
        return reason(error)


def congestion_control(own: str, address: str, port: int) -> str | None:
    """What a connection to that address really uses: a route may say otherwise than the system's default."""
    try:
        with socket.create_connection((address, port), TRY_TIMEOUT_S, (own, 0)) as connection:
            return connection.getsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, 16).split(b"\0")[0].decode()
    except OSError:
        return None


def try_udp(own: str, address: str, port: int, size_B: int, tries: int = UDP_TRIES) -> str | None:
    """None if a packet of ``size_B`` (IP length, not to be fragmented) arrives, else why not."""
    data = KEY.ljust(size_B - HEADERS_B[family_of(address)], b".")
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as udp:
        discover_mtu(udp, IP_PMTUDISC_PROBE)
        udp.settimeout(TRY_TIMEOUT_S / tries)
        udp.bind((own, 0))
        for _ in range(tries):
            try:
                udp.sendto(data, (address, port))
                if udp.recv(64) == KEY + b" %d" % len(data):
                    return None
            except OSError as error:
                if reason(error) != NO_ANSWER:
                    return reason(error)
    return NO_ANSWER


def largest_packet(own: str, address: str, port: int, mtu_B: int) -> int | None:
    """Largest of the usual packet sizes up to ``mtu_B`` that arrives whole, or None."""
    if try_udp(own, address, port, mtu_B) is None:
        return mtu_B
    smaller = [size for size in COMMON_MTUS_B if size < mtu_B]
    if not smaller:
        return None
    with ThreadPoolExecutor(len(smaller)) as pool:  # at the same time: what is lost is waited for once
        lost = pool.map(lambda size_B: try_udp(own, address, port, size_B), smaller)
        return max((size for size, why in zip(smaller, lost) if why is None), default=None)  # noqa: B905


def learned_mtu(own: str, address: str, port: int, mtu_B: int) -> int | None:
    """The path's MTU as the kernel knows it once a packet of ``mtu_B`` was refused on the way; None: not to be asked.

    ``mtu_B`` itself where nothing was refused, or where nobody says so (a black hole).
    """
    data = KEY.ljust(mtu_B - HEADERS_B[family_of(address)], b".")
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as udp:
        try:
            discover_mtu(udp, IP_PMTUDISC_DO)
            udp.settimeout(TRY_TIMEOUT_S / UDP_TRIES)
            udp.bind((own, 0))
            udp.connect((address, port))
            try:
                udp.send(data)
                udp.recv(64)
            except OSError:
                pass  # refused, or lost: the next line tells which
            if udp.family == socket.AF_INET6:
                return udp.getsockopt(socket.IPPROTO_IPV6, IPV6_MTU)
            return udp.getsockopt(socket.IPPROTO_IP, IP_MTU)
        except OSError:
            return None


def source_towards(address: str) -> str | None:
    """The source address that the kernel's routes choose for packets to ``address``; None: no route leads there."""
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as udp:
        try:
            udp.connect((address, 9))  # sends nothing
        except OSError:
            return None
        return str(udp.getsockname()[0])


def round_trip(own: str, address: str, port: int) -> float | None:
    """Shortest of several round trips of a small datagram in seconds, or None if none came back."""
    best_s = None
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as udp:
        udp.settimeout(TRY_TIMEOUT_S / UDP_TRIES)
        try:
            udp.bind((own, 0))
            udp.connect((address, port))
            for _ in range(ROUND_TRIPS):
                start_s = time.perf_counter()
                udp.send(KEY)
                udp.recv(64)
                taken_s = time.perf_counter() - start_s
                best_s = taken_s if best_s is None else min(best_s, taken_s)
        except OSError:
            return best_s
    return best_s


def send_bulk(own: str, address: str, port: int) -> float:
    """Rate in B/s at which data arrive at a peer: 2 MiB, or what goes out in half a second."""
    with socket.create_connection((address, port), TRY_TIMEOUT_S, (own, 0)) as connection:
        connection.settimeout(CALL_TIMEOUT_S)
        while connection.recv(len(KEY), socket.MSG_PEEK) != KEY:
            pass
        connection.recv(len(KEY))
        chunk = bytes(CHUNK_B)
        start_s = time.perf_counter()
        sent_B = 0
        while sent_B < BULK_B and time.perf_counter() - start_s < BULK_TIMEOUT_S:
            connection.sendall(chunk)
            sent_B += CHUNK_B
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while len(answer) < LENGTH.size:
            part = connection.recv(LENGTH.size)
            if not part:
                raise OSError("the peer hung up")
            answer += part
        return float(LENGTH.unpack(answer)[0] / (time.perf_counter() - start_s))


def rate_to(own: str, peer: dict[str, Any]) -> dict[str, float | None]:
    """The better of two rates to one peer; None where it could not be measured."""
    try:
        return {"rate_Bps": max(send_bulk(own, peer["address"], peer["any_port"]) for _ in range(BULK_TRIES))}
    except OSError:
        return {"rate_Bps": None}


def try_peer(own: str, peer: dict[str, Any]) -> dict[str, Any]:
    """All that is tried towards one peer."""
    address, agent_port, any_port = peer["address"], peer["agent_port"], peer["any_port"]
    with ThreadPoolExecutor(6) as pool:
        tcp_agent = pool.submit(try_tcp, own, address, agent_port)
        tcp_any = pool.submit(try_tcp, own, address, any_port)
        udp_agent = pool.submit(try_udp, own, address, agent_port, 128)
        udp_any = pool.submit(try_udp, own, address, any_port, 128)
        udp_overlay = pool.submit(try_udp, own, address, peer["overlay_port"], 128)
        control = pool.submit(congestion_control, own, address, any_port)
    ports = [port for port, udp in ((agent_port, udp_agent), (any_port, udp_any)) if udp.result() is None]
    return {
        "tcp_agent": tcp_agent.result(),
        "tcp_any": tcp_any.result(),
        "udp_agent": udp_agent.result(),
        "udp_overlay": udp_overlay.result(),
        "path_mtu_B": largest_packet(own, address, ports[0], peer["mtu_B"]) if ports else None,
        "learned_mtu_B": learned_mtu(own, address, ports[0], peer["mtu_B"]) if ports else None,
        "congestion_control": control.result(),
        "source": source_towards(address),
        "round_trip_s": round_trip(own, address, ports[0]) if ports else None,
    }


def try_all(own: str, peers: list[dict[str, Any]]) -> dict[str, Any]:
    """All peers at the same time: one that does not answer delays nobody."""
    with ThreadPoolExecutor(max_workers=max(1, len(peers))) as pool:
        found = pool.map(lambda peer: try_peer(own, peer), peers)
        return {peer["name"]: result for peer, result in zip(peers, found)}  # noqa: B905 (strict is Python 3.10)
