"""``fairlead cloud show``: what it prints of an inventory."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from fairlead import cloud
from fairlead.cli.cloud import command
from fairlead.cloud.inventory import AffinityGroup, Inventory

CLUSTER = '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "h0"\naddress = "127.0.0.1"\n'


def test_json_has_the_machines_of_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.toml").write_text(CLUSTER)
    site = Inventory((), (), (AffinityGroup("apart", frozenset({"b", "a"}), 1),))
    monkeypatch.setattr(cloud, "of", lambda cluster: SimpleNamespace(inventory=lambda: site))
    done = CliRunner().invoke(command, ["show", str(tmp_path / "c.toml"), "--json"])
    assert json.loads(done.output)["groups"] == [{"name": "apart", "vms": ["a", "b"], "most": 1}]
