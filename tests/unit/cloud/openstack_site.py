"""A cluster on an imitated OpenStack cloud: two compute hosts, h0 with both of its machines, h1 with none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fairlead import cloud as clouds
from fairlead.cloud import Moved, Progress, openstack_work
from fairlead.cloud.openstack import OpenstackDriver
from fairlead.cloud.openstack_migration import OpenstackMigration
from fairlead.cluster.cluster_file import parse_cluster

from .cloud_cluster import cluster_of
from .imitated_openstack import PASSWORD, Cloud, Host, serving

CLUSTER = cluster_of("node0", "node1")
TABLE = '[cloud]\ndriver = "openstack"\ncloud = "site"\nuplink = "10gbit"\ndirty_rate = "80mbit"\n'
CLOUDS = """clouds:
  site:
    auth: {{auth_url: "{address}/v3", username: u, password: "{password}", project_name: p,
           user_domain_name: Default, project_domain_name: Default}}
    region_name: here
"""


def serve(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    """The cloud, which ``clouds.yaml`` in this directory leads to; it is looked at as often as it is asked for."""
    pytest.importorskip("openstack")
    for name in ("OS_CLOUD", "OS_CLIENT_SECURE_FILE"):
        monkeypatch.delenv(name, raising=False)
    made = Cloud(hosts={"h0": Host("rp-0"), "h1": Host("rp-1")})
    made.add("node0", "h0")
    made.add("node1", "h0")
    with serving(made):
        write_clouds(directory, made, PASSWORD)
        monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(directory / "clouds.yaml"))
        monkeypatch.setattr(openstack_work, "POLL_S", 0.0)
        yield made


def write_clouds(directory: Path, site: Cloud, password: str) -> None:
    (directory / "clouds.yaml").write_text(CLOUDS.format(address=site.address, password=password))


def driver(table: str = TABLE) -> OpenstackDriver:
    found = clouds.of(parse_cluster(CLUSTER + table, source="c.toml"))
    assert isinstance(found, OpenstackDriver)
    return found


def finish(migration: OpenstackMigration) -> tuple[list[str], Moved]:
    said = []
    while isinstance(now := migration.poll(), Progress):
        said.append(now.text)
    return said, now
