"""manual reroutes are made again once what broke them is back, and not sooner."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from fairlead.cluster.description import Cluster, Host
from fairlead.errors import AgentError, ConfigError, FairleadError, HostError
from fairlead.manage import manual_reroutes
from fairlead.manage.manual_reroutes import ManualReroutes, Reroute
from fairlead.protocol import commands, numbers

from ..agent_events import event

HOSTS = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(4))
CLUSTER = Cluster("c", "local", HOSTS)
REROUTED = event("rerouted", relay=2)
RESTORED = event("restored", reason="destination_lost")
DIED, RESTARTED = event("died", reason="killed"), event("restarted", attempt=1)


class FakeAgents:
    """Takes commands, the first of which fail with these errors."""

    def __init__(self, *errors: FairleadError) -> None:
        self.errors = list(errors)
        self.made: list[tuple[int, int, int]] = []

    def command(self, host: int, reroute: commands.Reroute, timeout_s: float) -> None:
        assert timeout_s > numbers.MANUAL_S, "the agent says why not, if it is waited for"
        self.made.append((host, reroute.peer, reroute.relay))
        if self.errors:
            raise self.errors.pop(0)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manual_reroutes, "PAUSE_S", 0.01)


def reroutes(agents: FakeAgents, tell: Callable[[str], None] = lambda text: None) -> ManualReroutes:
    """One that is made, h0 to h1 over h2, with agents that have told so."""
    made = ManualReroutes(CLUSTER, [("h0", "h1", "h2")], tell)
    errors, agents.errors = agents.errors, []
    made(0, REROUTED)
    made.make(agents)  # type: ignore[arg-type]
    agents.errors = errors
    agents.made.clear()
    return made


def settled() -> None:
    """Wait for what was begun."""
    for thread in threading.enumerate():
        if thread.name == "reroutes":
            thread.join(10)


@pytest.mark.parametrize("host", [0, 1, 2], ids=["source", "destination", "relay"])
def test_a_reroute_is_made_again_when_an_agent_of_it_is_back(host: int) -> None:
    agents = FakeAgents()
    made = reroutes(agents)
    made(host, DIED)
    if host:
        made(0, RESTORED)
    settled()
    assert agents.made == []
    made(host, RESTARTED)
    settled()
    assert agents.made == [(0, 1, 2)]


def test_it_waits_until_the_traffic_is_back() -> None:
    agents = FakeAgents()
    made = reroutes(agents)
    made(2, DIED)
    made(2, RESTARTED)
    settled()
    assert agents.made == []
    made(0, RESTORED)
    settled()
    assert agents.made == [(0, 1, 2)]


def test_it_waits_for_the_last_of_them() -> None:
    """As when the supervisor was stopped for longer than their lease."""
    agents = FakeAgents()
    made = reroutes(agents)
    for host in (0, 1, 2):
        made(host, DIED)
    for host in (0, 2, 1):
        assert agents.made == []
        made(host, RESTARTED)
        settled()
    assert agents.made == [(0, 1, 2)]


def test_a_return_for_another_reason_and_other_hosts_reroute_nothing() -> None:
    agents = FakeAgents()
    made = reroutes(agents)
    made(3, DIED)
    made(3, RESTARTED)
    made(0, replace(RESTORED, reason="direct_good"))
    settled()
    assert agents.made == []


def test_it_is_tried_three_times_whatever_is_wrong() -> None:
    said: list[str] = []
    agents = FakeAgents(HostError("h0: ended"), AgentError("h0: no answer"), HostError("h0: not ready"))
    made = reroutes(agents, said.append)
    made(0, DIED)
    made(0, RESTARTED)
    settled()
    assert agents.made == [(0, 1, 2)] * 3
    assert said == ["h0→h1 is not rerouted again: h0: not ready"]


def test_one_that_lost_an_agent_again_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    agents = FakeAgents(*[AgentError("h0: no answer")] * 3)
    made = reroutes(agents, said.append)
    monkeypatch.setattr(time, "sleep", lambda _: made(2, DIED))
    made(0, DIED)
    made(0, RESTARTED)
    settled()
    assert said == []
    made(2, RESTARTED)
    settled()
    assert agents.made == [(0, 1, 2)] * 4


def test_a_reroute_by_an_equal_cost_path_takes_no_third_host() -> None:
    asked: list[tuple[int, Any]] = []
    agents: Any = SimpleNamespace(command=lambda host, command, timeout_s: asked.append((host, command)))
    made = ManualReroutes(CLUSTER, [("h0", "h1", 2)], lambda text: None, ways=3)
    made.make(agents)
    assert asked == [(0, commands.RerouteByWay(peer=1, way=2))]
    made(0, REROUTED)
    for host in (2, 1):
        made(host, DIED)
        made(0, RESTORED)
        made(host, RESTARTED)
        settled()
        assert len(asked) == (1 if host == 2 else 2)


@pytest.mark.parametrize(
    ("reroute", "ways", "complaint"),
    [
        (("h0", "x", "h2"), 0, "--reroute h0:x:h2: no managed host is called 'x'"),
        (("h0", "h1", "way1"), 3, "--reroute h0:h1:way1: no managed host is called 'way1'"),
        (("x", "h1", 1), 3, "--reroute x:h1:way:1: no managed host is called 'x'"),
        (("h0", "h1", 1), 0, "--reroute h0:h1:way:1: there are no equal-cost paths"),
        (("h0", "h1", 4), 3, "--reroute h0:h1:way:4: there is no such equal-cost path; ways.count is 3, so they are 1"),
        (("h0", "h1", 0), 3, "--reroute h0:h1:way:0: there is no such equal-cost path; ways.count is 3, so they are 1"),
    ],
)
def test_what_there_is_not_is_named(reroute: Reroute, ways: int, complaint: str) -> None:
    with pytest.raises(ConfigError) as raised:
        ManualReroutes(CLUSTER, [reroute], lambda text: None, ways)
    assert str(raised.value).startswith(complaint)
