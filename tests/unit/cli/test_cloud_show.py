"""``fairlead cloud show``: what it prints of an inventory."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from fairlead import cloud
from fairlead.cli.cloud import command
from fairlead.cloud.inventory import AffinityGroup, Inventory, Server, Vm

CLUSTER = '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "h0"\naddress = "127.0.0.1"\n'


def test_json_has_the_machines_of_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.toml").write_text(CLUSTER)
    site = Inventory((), (), (AffinityGroup("apart", frozenset({"b", "a"}), 1),))
    monkeypatch.setattr(cloud, "of", lambda cluster: SimpleNamespace(inventory=lambda: site))
    done = CliRunner().invoke(command, ["show", str(tmp_path / "c.toml"), "--json"])
    assert json.loads(done.output)["groups"] == [{"name": "apart", "vms": ["a", "b"], "most": 1}]


def test_all_that_decides_whether_a_machine_has_room_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.toml").write_text(CLUSTER)
    monkeypatch.delenv("COLUMNS", raising=False)
    down = Server("s1", "net", 8, 64 << 30, 0, closed="is down")
    site = Inventory(
        (Server("s0", "net", 4, 16 << 30, 50 << 40), down), (Vm("a", "s0", 2, 1 << 30, 1 << 40, None, 0.5),)
    )
    monkeypatch.setattr(cloud, "of", lambda cluster: SimpleNamespace(inventory=lambda: site))
    said = CliRunner().invoke(command, ["show", str(tmp_path / "c.toml")]).output.replace("\u00a0", " ")
    lines = [" ".join(line.split()) for line in said.splitlines()]
    assert "s0 1 2 of 4 1 GiB of 16 GiB 1 TiB of 50 TiB unknown yes" in lines
    assert "s1 0 0 of 8 0 B of 64 GiB shared unknown no, it is down" in lines
