"""Guardians, and the hosts that they are tested on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from fairlead import native

from .guardian_lab import (
    Guardian,
    Host,
    Mesh,
    Namespace,
    clean,
)


@pytest.fixture(scope="module")
def binary() -> str:
    return str(native.program("fairlead-guardian"))


@pytest.fixture(scope="module")
def mesh() -> Iterator[Mesh]:
    mesh = Mesh(3)
    yield mesh
    mesh.close()


@pytest.fixture
def host(mesh: Mesh, binary: str) -> Iterator[Host]:
    """h0; its state after the test is compared with that before."""
    before = mesh.hosts[0].state()
    yield mesh.hosts[0]
    assert clean(mesh.hosts[0], binary) == []
    assert mesh.hosts[0].state() == before


@pytest.fixture
def start(binary: str) -> Iterator[Callable[..., Guardian]]:
    """Starts guardians, which are dead after the test."""
    started: list[Guardian] = []

    def start_one(host: Namespace, request: bytes | None = None) -> Guardian:
        started.append(Guardian(binary, host))
        if request is not None:
            assert started[-1].exchange(request).error == 0
        return started[-1]

    yield start_one
    for guardian in started:
        guardian.close()
        if guardian.process.poll() is None:
            guardian.process.terminate()
        guardian.wait()
