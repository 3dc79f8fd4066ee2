"""What goes to a root's shell when a bond is made: names that are checked, words that are quoted, nothing in logs."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead import config
from fairlead.cli.net import command
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.executors.base import Executor
from fairlead.errors import ConfigError
from fairlead.experiment.factors.network import NetworkTable
from fairlead.net import apply
from fairlead.net.change import Wanted, plan_change
from fairlead.net.state import Address, HostNetwork, Nic

BAD = ["x; touch /tmp/x", "$(id)", "-f", "a b", "", "a/b", "sixteen-letters-", "x\ny"]
CLUSTER = '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "h0"\naddress = "127.0.0.1"\n'


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_name_an_interface_is_refused(name: str) -> None:
    for wanted in (lambda: Wanted(name, ("eth1",), "802.3ad"), lambda: Wanted("b0", ("eth1", name), "802.3ad")):
        with pytest.raises(ConfigError, match=r"cannot name an interface"):
            wanted()


def test_the_command_line_refuses_it_before_a_host_is_asked(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(CLUSTER)
    done = CliRunner().invoke(command, ["apply", str(tmp_path / "c.toml"), "eth1", "--name", "x;reboot", "--dry-run"])
    assert isinstance(done.exception, ConfigError) and done.exception.exit_code == 2
    assert "'x;reboot' cannot name an interface" in str(done.exception)


@pytest.mark.parametrize("key", ['name = "x;reboot"', 'interfaces = ["eth1", "x;reboot"]'])
def test_a_plan_refuses_it_with_its_line(key: str) -> None:
    text = f'factor = "bond"\n{key}\n[levels]\none = {{}}\n'
    with pytest.raises(ConfigError, match=r"plan\.toml:2: (name|interfaces).*it must begin with a letter"):
        config.parse(text, NetworkTable, source="plan.toml")


def test_every_word_of_a_host_is_one_word_for_its_shell() -> None:
    """No kernel gives such names; nobody has to rely on it."""
    odd = "eth1;reboot"
    nic = Nic(
        **{"name": odd, "mac": "02:00:00:00:00:01", "mtu_B": 1500, "is_up": True, "has_link": True, "master": None},
        addresses=(Address("10.0.0.1/24", "10.0.0.255", False),),
        routes=("default via 10.0.0.254",),
        **{"speed_Mbps": 1000, "duplex": "full", "driver": None, "kind": {}},
    )
    wanted = Wanted("bond7", ("eth1",), "802.3ad")
    object.__setattr__(wanted, "nics", (odd,))
    change = plan_change("h0", HostNetwork({odd: nic}, {}, True, False), wanted)
    options = "mode 802.3ad miimon 100 xmit_hash_policy layer2 lacp_rate slow"
    assert change.apply[0] == f"ip link add bond7 type bond {options}"
    assert change.apply[-1] == "ip route replace default via 10.0.0.254 dev bond7"
    for line in (*change.apply, *change.restore):
        words = list(shlex.shlex(line, posix=True, punctuation_chars=True))
        assert "reboot" not in words
    assert change.restore[0] == "! [ -e /sys/class/net/bond7 ] || ip link delete bond7"


class Imitated(Executor):
    """Runs here, for a user who becomes root by sudo; ``sudo`` keeps a log, as the real one does."""

    name = "imitated"
    passes_signals = True
    path = Path()

    def command(
        self, host: str, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: str | None = None
    ) -> list[str]:
        return ["env", f"PATH={self.path}:/usr/bin:/bin", *argv]

    def rsh_agent(self) -> Path | None:
        return None


@pytest.mark.parametrize("user", [0, 1000])
def test_a_script_for_root_does_not_stand_in_sudos_log(tmp_path: Path, user: int) -> None:
    for name, text in (("id", f"echo {user}"), ("sudo", f'echo "$*" >> {tmp_path}/log; shift; exec "$@"')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    executor = Imitated(Cluster("c", "local", (Host("h0", "127.0.0.1"),)))
    executor.path = tmp_path
    script = "a='it is \"so\"'\ncat <<'END'\n$a\nEND\ncat\necho \"$a\"\n"  # `cat` finds nothing of the script
    assert apply._as_root(executor, "h0", script) == '$a\nit is "so"\n'
    log = (tmp_path / "log").read_text() if user else ""
    assert log.splitlines() == (['-n sh -c eval "$(cat)"'] if user else [])
