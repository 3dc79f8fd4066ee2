"""Which hosts are said to be unreachable, by who answers whose probes."""

from collections.abc import Mapping
from typing import Any

import pytest

from fairlead import __version__
from fairlead.cluster.description import Cluster, Host
from fairlead.errors import AgentError, ConfigError, HostError
from fairlead.manage.preflight import check_interfaces, check_reachable, check_versions, unreachable
from fairlead.protocol import answers, commands
from fairlead.protocol.enums import Scheduling
from fairlead.protocol.objects import ProbeResult


class Agents:
    """Agents whose probes get through except between the pairs in ``cut``.

    Args:
        die: by host, in which round of commands its agent ends: 0: before the first.
        revived: other agents are in the places of those that ended, at once.
    """

    def __init__(self, *cut: set[int], die: Mapping[int, int] | None = None, revived: bool = False) -> None:
        self.cut = cut
        self.probes = 0
        self.round = 0
        self.die = die or {}
        self.revived = revived

    def _dead(self, host: int) -> bool:
        return self.die.get(host, 9) <= self.round

    def living(self) -> dict[int, int | None]:
        again = 1000 if self.revived and self.round else 0
        return {host: host + again * self._dead(host) for host in range(16) if again or not self._dead(host)}

    def command_each(self, probes: Mapping[int, commands.Probe]) -> dict[int, Any]:
        self.round += bool(probes)
        return {host: self._answer(host, probe) for host, probe in probes.items()}

    def _answer(self, host: int, probe: commands.Probe) -> answers.Probe | BaseException:
        self.probes += len(probe.peers)
        if self._dead(host):
            return AgentError("the agent was killed by signal 9")
        times = {peer: () if {host, peer} in self.cut or self._dead(peer) else (1e-4,) for peer in probe.peers}
        if not any(times.values()):
            return AgentError("no probe was answered")  # as agents do
        return answers.Probe(
            results=tuple(
                ProbeResult(peer=peer, sent=1, round_trip_s=seen, forward_s=seen, backward_s=seen, clock_error_s=None)
                for peer, seen in times.items()
            )
        )


def test_on_a_healthy_cluster_every_host_is_probed_once() -> None:
    agents = Agents()
    assert unreachable(agents, range(16)) == []
    assert agents.probes == 16


def test_a_host_that_nobody_reaches_is_found() -> None:
    assert unreachable(Agents({0, 2}, {1, 2}, {2, 3}), range(4)) == [2]
    assert unreachable(Agents({0, 1}), range(2)) == [0, 1]


def test_a_single_path_that_is_cut_is_no_reason_to_refuse() -> None:
    assert unreachable(Agents({0, 1}), range(4)) == []


@pytest.mark.parametrize("revived", [False, True])
@pytest.mark.parametrize("ended_in", [0, 1, 2])
def test_an_agent_that_ended_is_left_out_with_its_edges(ended_in: int, revived: bool) -> None:
    def lost(*cut: set[int], among: range = range(4)) -> list[int]:
        return unreachable(Agents(*cut, die={2: ended_in}, revived=revived), among)

    assert lost({0, 1}) == []  # the cut edge makes a second round
    assert lost(among=range(2, 4)) == []  # nobody is left to reach
    assert lost({0, 1}, {0, 3}) == [0]  # nobody that lives reaches this one


def hosts(count: int) -> Cluster:
    members = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(count))
    return Cluster("c", "ssh", members, source="c.toml")


def test_the_message_names_hosts_and_the_way_out() -> None:
    with pytest.raises(HostError, match=r"^h1 \(10\.0\.0\.2\): no answer .*\n.*doctor c\.toml"):
        check_reachable(hosts(3), Agents({0, 1}, {1, 2}), range(3))


def ready(interface: str = "eth0", version: str = __version__) -> answers.Ready:
    return answers.Ready(
        pid=1,
        version=version,
        interface=interface,
        plane="none",
        plane_reason="",
        low_port=None,
        scheduling=Scheduling.NORMAL,
    )


def test_hosts_with_another_version_are_told_before_the_program_starts() -> None:
    check_versions(hosts(3), [ready(), None, ready()])
    with pytest.raises(AgentError) as told:
        check_versions(hosts(4), [ready(version="0.0.9"), ready(), ready(version="9"), ready(version="0.0.9")])
    assert str(told.value).splitlines() == [
        f"c.toml: fairlead is of version 0.0.9 on h0, h3; version 9 on h2; here it is {__version__}",
        "  install the same version everywhere, or set shared_files = false under [ssh]",
    ]


def test_an_address_on_another_interface() -> None:
    first, second = ready("eth0"), ready("eth1")
    with pytest.raises(ConfigError, match=r"c\.toml: h1: 10\.0\.0\.2 is on eth1, not on eth0"):
        check_interfaces(hosts(2), [first, second])
    check_interfaces(hosts(2), [first] * 2)
