"""Requests that the guardian must refuse, without effect."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable

import pytest

from .guardian_lab import (
    LEASE,
    MAX_PACKET_B,
    REROUTE,
    RESTORE,
    SETUP,
    SETUP_B,
    TEARDOWN,
    Guardian,
    Host,
    Mesh,
    encode_setup,
    header,
)


def refused_requests(mesh: Mesh) -> dict[str, tuple[bytes, int]]:
    host = mesh.hosts[0]
    valid = mesh.setup_request(host)

    def numbers(kind: int, *values: int) -> bytes:
        return header(kind, 1) + struct.pack(f"={len(values)}I", *values)

    return {
        "setup again": (mesh.setup_request(host, job="second"), errno.EALREADY),
        "destination beyond the hosts": (numbers(REROUTE, 3, 2, 0, 0), errno.EINVAL),
        "relay beyond the hosts": (numbers(REROUTE, 1, 0xFFFFFFFF, 0, 0), errno.EINVAL),
        "relay is the destination": (numbers(REROUTE, 1, 1, 0, 0), errno.EINVAL),
        "a way that there is not": (numbers(REROUTE, 1, 1, 0, 1), errno.EINVAL),
        "a way over a relay": (numbers(REROUTE, 1, 2, 0, 1), errno.EINVAL),
        "destination is self": (numbers(REROUTE, 0, 1, 0, 0), errno.EINVAL),
        "relay is self": (numbers(REROUTE, 1, 0, 0, 0), errno.EINVAL),
        "return beyond the hosts": (numbers(RESTORE, 3), errno.EINVAL),
        "lease of no length": (numbers(LEASE, 0), errno.EINVAL),
        "lease above a minute": (numbers(LEASE, 60_001), errno.EINVAL),
        "truncated reroute": (numbers(REROUTE, 1), errno.EBADMSG),
        "truncated setup": (valid[:-1], errno.EBADMSG),
        "oversized setup": (valid + b"\0", errno.EBADMSG),
        "oversized teardown": (header(TEARDOWN, 1) + b"\0", errno.EBADMSG),
        "far too large": (bytes(100_000), errno.EBADMSG),
        "one byte": (b"\1", errno.EBADMSG),
        "unknown type": (header(77, 1), errno.EBADMSG),
        "no magic": (bytes(12), errno.EBADMSG),
    }


def test_invalid_requests_have_no_effect(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host, mesh.setup_request(host))
    state = host.state()
    for name, (packet, error) in refused_requests(mesh).items():
        reply = guardian.exchange(packet)
        assert reply.error == error, name
        assert reply.reason, name
    assert host.state() == state
    assert guardian.reroute(destination=1, relay=2).error == 0


@pytest.mark.parametrize(
    ("changes", "error", "word"),
    [
        ({"job": "Bad"}, errno.EINVAL, "job"),
        ({"job": "../../etc"}, errno.EINVAL, "job"),
        ({"host_count": 5000}, errno.EINVAL, "hosts"),
        ({"host_count": 2}, errno.EBADMSG, "hosts"),
        ({"self_index": 3}, errno.EINVAL, "self"),
        ({"addresses": ["10.77.0.2", "10.77.0.2"]}, errno.EINVAL, "twice"),
        ({"addresses": ["10.77.0.2", "127.0.0.1"]}, errno.EINVAL, "not a host's address"),
        ({"device": "eth9"}, errno.ENODEV, "eth9"),
        ({"device": "lo"}, errno.EADDRNOTAVAIL, "10.77.0.2"),
        ({"network_id": 1 << 24}, errno.EINVAL, "network_id"),
        ({"overlay_port": 70000}, errno.EINVAL, "overlay_port"),
        ({"overlay_port": 8472}, errno.EINVAL, "overlay_port"),
        ({"uid_first": 1, "uid_last": 0}, errno.EINVAL, "uid"),
        ({"ways": 8}, errno.EINVAL, "ways"),
    ],
)
def test_invalid_setups_have_no_effect(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], changes: dict[str, object], error: int, word: str
) -> None:
    before = host.state()
    request = {"self_index": 0, "addresses": [h.address for h in mesh.hosts], **changes}
    reply = start(host).exchange(encode_setup(**request))  # type: ignore[arg-type]
    assert (reply.error, word in reply.reason) == (error, True), reply
    assert host.state() == before


def test_a_second_guardian_of_the_same_job_is_refused(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    first = start(host, mesh.setup_request(host))
    assert start(host).exchange(mesh.setup_request(host)).error == errno.EADDRINUSE
    assert first.reroute(destination=1, relay=2).error == 0


def test_requests_before_setup_are_refused(host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host)
    for reply in (guardian.reroute(1, 2), guardian.give_back(1), guardian.tear_down()):
        assert (reply.error, reply.reason) == (errno.ENOTCONN, "not set up")


def test_largest_packet_is_what_the_protocol_says(mesh: Mesh) -> None:
    assert len(mesh.setup_request(mesh.hosts[0])) == SETUP_B
    assert len(encode_setup(self_index=0, addresses=["fd00::1", "fd00::2"])) == MAX_PACKET_B
    assert mesh.setup_request(mesh.hosts[0])[4:8] == struct.pack("=I", SETUP)
