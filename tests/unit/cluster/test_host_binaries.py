"""Which guardian is used on the hosts, and how it is called as a tool."""

from pathlib import Path

import pytest

from fairlead import native
from fairlead.cluster.cluster_file import parse_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.guardian.places import installed_or
from fairlead.cluster.host_binaries import bring_everywhere, guardian_tool
from fairlead.errors import ConfigError

CLUSTER = (
    '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n{key}\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
)


def cluster(key: str = "") -> Cluster:
    return parse_cluster(CLUSTER.format(key=key), source="c.toml")


@pytest.fixture(autouse=True)
def staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Native programs as far as files go."""
    (tmp_path / "bin").mkdir()
    for name in ("fairlead-agent", "fairlead-guardian"):
        (tmp_path / "bin" / name).touch()
    monkeypatch.setenv(native.ENVIRONMENT_VARIABLE, str(tmp_path))
    return tmp_path / "bin"


def test_hosts_find_their_guardian_unless_the_cluster_names_one(staged: Path) -> None:
    assert bring_everywhere(cluster()).guardian == installed_or(str(staged / "fairlead-guardian"))
    assert bring_everywhere(cluster('guardian = "/opt/g"')).guardian == ("/opt/g",)
    assert bring_everywhere(cluster('guardian = ["sudo", "-n", "/opt/g"]')).guardian == ("sudo", "-n", "/opt/g")
    assert bring_everywhere(cluster('guardian = "/opt/g"')).agent == str(staged / "fairlead-agent")


@pytest.mark.parametrize("value", ['""', "[]", '["sudo", ""]', "7"])
def test_an_empty_command_is_complained_about(value: str) -> None:
    with pytest.raises(ConfigError, match=r"c\.toml:5: cluster\.guardian"):
        cluster(f"guardian = {value}")


def test_as_a_tool_it_is_bound_to_nobody() -> None:
    assert guardian_tool(["/opt/g"], "--check") == ["/opt/g", "--check"]
    bound = ["sudo", "-n", "/opt/g", "--user", "1000"]
    assert guardian_tool(bound, "--clean", "--job", "1f") == ["sudo", "-n", "/opt/g", "--clean", "--job", "1f"]
    assert bound[-1] == "1000"
