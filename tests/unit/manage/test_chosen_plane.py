"""Which plane ``auto`` is, and what is said of it, by what hosts and program allow."""

from dataclasses import replace

import pytest

from fairlead.agents.group import LEASE_S, JobOptions
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.host_binaries import HostBinaries
from fairlead.errors import HostError
from fairlead.manage import chosen_plane
from fairlead.manage.chosen_plane import choose_at_start, choose_plane, decide, on_plane
from fairlead.manage.components import FULL, STAGES
from fairlead.manage.management import Management, OtherPlaneError
from fairlead.protocol.answers import Ready
from fairlead.protocol.enums import Scheduling

STATIC = "./program is linked statically"
REASON = "CAP_NET_ADMIN is missing"


def cluster(hosts: int = 4) -> Cluster:
    members = tuple(Host(f"h{k}", f"10.0.0.{k + 1}", interface="eth0") for k in range(hosts))
    return Cluster("c", "ssh", members, source="c.toml")


def management(*, manual: bool = False, stage: str = "detours") -> Management:
    return Management(STAGES[stage], {}, HostBinaries("/agent", ("/guardian",)), manual=manual, remarks=["first"])


def plane_of(plane: str, reason: str = "") -> Ready:
    return Ready(
        pid=1,
        version="0.1.0",
        interface="eth0",
        plane=plane,
        plane_reason=reason,
        low_port=None,
        scheduling=Scheduling.NORMAL,
    )


def by_ways(*, manual: bool = False, relays: bool = False) -> Management:
    """Pairs may take two other equal-cost paths; without ``relays`` that is all they may do."""
    return replace(management(manual=manual), settings={"ways.count": 2}, relays=relays)


def decided(
    able: int, unseen: str | None = None, *, manual: bool = False, begun: Management | None = None
) -> tuple[Management, str]:
    """With so many of four hosts whose guardian may, the last ones; and the remark that was added."""
    ready = [plane_of("none", REASON)] * (4 - able) + [plane_of("route")] * able
    found = decide(cluster(), begun or management(manual=manual), ready, unseen)
    first, remark = found.remarks
    assert first == "first"
    return found, remark


def test_route_where_every_guardian_may() -> None:
    found, remark = decided(4, STATIC)
    assert (found.plane, found.components) == ("route", FULL)
    assert remark == "plane: route, by kernel routes (the guardian has its privilege on all 4 hosts)"


def test_relay_where_one_may_not() -> None:
    found, remark = decided(3)
    assert (found.plane, found.components, found.reroutes) == ("relay", FULL, False)
    assert remark.startswith(
        "plane: relay, by the agents, because the guardian cannot set routes on 1 of 4 hosts (h0: CAP_NET_ADMIN is "
        "missing). It carries messages between ranks; collective calls, MPI-IO and one-sided communication stay on the "
        "direct path. Even without reroutes it costs programs about 1 % of their time, more where processors limit"
    )
    assert remark.endswith("`fairlead doctor c.toml` shows how to give the guardian its privilege")


def test_a_static_program_is_rerouted_by_the_hosts_that_can() -> None:
    found, remark = decided(3, STATIC)
    assert (found.plane, found.components, found.reroutes) == ("route", FULL, True)
    assert remark == (
        "plane: route on hosts where the guardian has its privilege, because agents cannot carry the program's "
        "messages: ./program is linked "
        "statically"
    )


def test_nothing_where_neither_can() -> None:
    found, remark = decided(2, STATIC)
    assert (found.plane, found.components, found.reroutes) == ("route", STAGES["detection"], False)
    assert remark == (
        "plane: none, so congestion is only reported: the guardian cannot set routes on 2 of 4 hosts (h0: "
        "CAP_NET_ADMIN is missing), and agents cannot carry the program's messages: ./program is linked statically. To "
        "change that: `fairlead doctor c.toml` shows how to give the guardian its privilege"
    )


def test_a_reroute_by_hand_is_tried_all_the_same() -> None:
    found, _ = decided(0, STATIC, manual=True)
    assert (found.plane, found.reroutes) == ("route", True)


def test_equal_cost_paths_are_taken_among_two_hosts_that_can() -> None:
    for relays, unseen in ((True, STATIC), (False, STATIC), (False, None)):
        found, remark = decided(2, unseen, begun=by_ways(relays=relays))
        assert (found.plane, found.components, found.reroutes) == ("route", FULL, True)
        assert remark.startswith("plane: route on hosts where the guardian has its privilege, because ")
        assert remark.endswith("no other host can relay traffic" if unseen is None else STATIC)


def test_agents_carry_nothing_where_no_host_can_relay() -> None:
    found, remark = decided(1, begun=by_ways())
    assert (found.plane, found.components, found.reroutes) == ("route", STAGES["detection"], False)
    assert remark == (
        "plane: none, so congestion is only reported: the guardian cannot set routes on 3 of 4 hosts (h0: "
        "CAP_NET_ADMIN is missing), and no other host can relay traffic. To change that: `fairlead doctor c.toml` "
        "shows how to give the guardian its privilege"
    )
    found, remark = decided(1, begun=by_ways(manual=True))
    assert (found.plane, found.components) == ("relay", STAGES["detection"])
    assert remark.startswith("plane: relay, by the agents, because the guardian cannot set routes on 3 of 4 hosts")
    assert decided(1, begun=by_ways(relays=True))[0].components == FULL


def test_agents_lead_no_pair_by_an_equal_cost_path() -> None:
    asked = replace(by_ways(manual=True, relays=True), by_way=True)
    found, remark = decided(2, begun=asked)
    assert (found.plane, found.reroutes) == ("route", True)
    assert remark == (
        "plane: route on hosts where the guardian has its privilege, because agents cannot lead a pair by an "
        "equal-cost path"
    )


def test_equal_cost_paths_are_of_the_route_plane() -> None:
    found = choose_plane("relay", cluster(2), by_ways())
    assert (found.plane, found.components, found.remarks[1:]) == (
        "relay",
        STAGES["detection"],
        [
            "plane: relay, so congestion is only reported: no other host can relay traffic, and only the route plane "
            "can take other equal-cost paths"
        ],
    )
    found = choose_plane("relay", cluster(), by_ways(relays=True))
    assert (found.components, found.remarks[1][:30]) == (FULL, "plane: relay, by the agents. I")
    assert choose_plane("route", cluster(2), by_ways()).components == FULL
    assert on_plane(by_ways(), "relay").components == STAGES["detection"]
    assert on_plane(by_ways(), "route").components == FULL


def test_agents_are_not_started_where_the_answer_is_known() -> None:
    for plane in ("route", "relay"):
        assert choose_plane(plane, cluster(), management()).plane == plane
    assert choose_plane("route", cluster(), management()).remarks == ["first"]
    assert choose_plane("relay", cluster(), management()).remarks == [
        "first",
        "plane: relay, by the agents. It carries messages between ranks; collective calls, MPI-IO and one-sided "
        "communication stay on the direct path",
    ]
    reported = choose_plane("auto", cluster(), management(stage="detection"))
    assert (reported.plane, reported.remarks) == ("route", ["first"])


def test_agents_that_are_only_asked_have_a_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """They hold a slot of each host's: where this machine loses its power, no connection tells them."""
    made: list[JobOptions] = []

    def group(_cluster: object, _program: object, options: JobOptions) -> None:
        made.append(options)
        raise HostError("h0: ssh could not reach the host")

    monkeypatch.setattr(chosen_plane.AgentGroup, "of_cluster", group)
    with pytest.raises(HostError, match="h0: ssh could not reach the host"):
        choose_plane("auto", cluster(), management())
    assert [(options.guardian, options.lease_s) for options in made] == [(("/guardian",), LEASE_S)]


def test_agents_of_the_run_itself_decide_where_they_are_asked() -> None:
    begun = choose_at_start("auto", cluster(2), management())
    assert (begun.plane, begun.remarks) == ("route", ["first"])
    settled = begun.decided([plane_of("route"), None])
    assert (settled.plane, settled.remarks[1:], settled.decide) == (
        "route",
        ["plane: route, by kernel routes (the guardian has its privilege on all 1 hosts)"],
        None,
    )
    with pytest.raises(OtherPlaneError) as raised:
        begun.decided([plane_of("route"), plane_of("none", REASON)])
    assert raised.value.management.plane == "relay"
    for plane in ("route", "relay"):
        assert choose_at_start(plane, cluster(), management()).decide is None
