"""What carries MPI messages where nobody asked: by the hosts' RDMA devices, which stand-ins for commands on them name.

tests/vm has such devices.
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from fairlead.cluster import fabric
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.description import Cluster, Host

CLUSTER = Cluster("c", "ssh", (Host("h0", "10.0.0.1", reach="h0"), Host("h1", "10.0.0.2", reach="h1")))


def with_devices(monkeypatch: pytest.MonkeyPatch, found: Mapping[str, str]) -> None:
    monkeypatch.setattr(fabric, "run_on", lambda executor, host, argv: found[host])


def test_the_library_chooses_where_every_host_has_a_device_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    with_devices(monkeypatch, {"h0": "mlx5_0\nmlx5_0\nmlx5_1\n", "h1": "mlx5_0\n"})
    assert fabric.active_devices(CLUSTER) == {"h0": ("mlx5_0", "mlx5_1"), "h1": ("mlx5_0",)}
    chosen, remark = fabric.with_chosen_transport(CLUSTER)
    assert chosen.transport == "native"
    assert remark is not None and "every host has an RDMA device (mlx5_0, mlx5_1)" in remark
    assert "--transport tcp" in remark


@pytest.mark.parametrize("found", [{"h0": "", "h1": ""}, {"h0": "mlx5_0\n", "h1": ""}])
def test_tcp_carries_them_where_a_host_has_none(monkeypatch: pytest.MonkeyPatch, found: Mapping[str, str]) -> None:
    with_devices(monkeypatch, found)
    chosen, remark = fabric.with_chosen_transport(CLUSTER)
    assert (chosen.transport, remark) == ("tcp", None)


def test_the_way_out_is_told_as_whoever_asks_writes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with_devices(monkeypatch, {"h0": "mlx5_0\n", "h1": "mlx5_0\n"})
    _, remark = fabric.with_chosen_transport(CLUSTER, other='transport = "tcp" in the plan')
    assert remark is not None and remark.endswith(
        'transport = "tcp" in the plan makes MPI use TCP, which it can reroute'
    )
    assert "--transport" not in remark


@pytest.mark.parametrize(
    ("cluster", "known"),
    [
        (CLUSTER, None),
        (replace(CLUSTER, transport="native"), "native"),
        (replace(CLUSTER, transport="tcp"), "tcp"),
        (replace(CLUSTER, executor="local"), "tcp"),
        (replace(CLUSTER, executor="local", transport="native"), "native"),
        (replace(CLUSTER, hosts=CLUSTER.hosts[:1]), "tcp"),
    ],
)
def test_what_is_known_before_a_host_is_asked(cluster: Cluster, known: str | None) -> None:
    assert fabric.known_transport(cluster) == known


def test_what_was_asked_for_counts_and_no_host_is_asked() -> None:
    for wanted, in_file, expected in (
        ("tcp", None, "tcp"),
        ("native", None, "native"),
        ("tcp", "native", "tcp"),
        ("native", "tcp", "native"),
        ("auto", "tcp", "tcp"),
        ("auto", "native", "native"),
    ):
        chosen, remark = fabric.with_chosen_transport(replace(CLUSTER, transport=in_file), wanted)
        assert chosen.transport == expected
        assert (remark is not None) == (expected == "native")


def test_this_machines_devices_are_not_on_a_labs_network() -> None:
    local = replace(CLUSTER, executor="local")
    assert fabric.active_devices(local) == {"h0": (), "h1": ()}
    assert fabric.with_chosen_transport(local)[0].transport == "tcp"


def test_a_cluster_file_may_say_it() -> None:
    text = (
        '[cluster]\nname = "c"\nexecutor = "ssh"\ninterface = "eth0"\n{}[[hosts]]\nname = "h0"\naddress = "10.0.0.1"\n'
    )
    assert parse_cluster(text.format("")).transport is None
    assert parse_cluster(text.format('transport = "native"\n')).transport == "native"
