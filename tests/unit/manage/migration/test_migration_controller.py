"""The migration controller on a simulated site: when it moves what, and when it leaves everything alone."""

import pytest

from fairlead.cloud.inventory import AffinityGroup, Inventory, Load, Server, Vm
from fairlead.manage.migration.choice import (
    MigrationCandidate,
    MigrationChoice,
    MigrationSituation,
    RunProgress,
    choose_migration,
)
from fairlead.manage.migration.controller import MigrationController, UnexpectedMove
from fairlead.manage.migration.diagnosis import Diagnosis, Kind, diagnose
from fairlead.manage.migration.incoming import Incoming
from fairlead.manage.migration.settings import MigrationSettings
from fairlead.manage.migration.traffic import Rate, TrafficRates, rates_between

from .simulated_site import MIB, UPLINK_BPS, Site, controller_of, drive

SETTINGS = MigrationSettings()
FLOOD_BPS = 0.9 * UPLINK_BPS
PROGRESS = RunProgress(0.8, 1000.0, {})


def choice_of(
    diagnosis: Diagnosis,
    inventory: Inventory,
    traffic: TrafficRates | None = None,
    progress: RunProgress = PROGRESS,
) -> MigrationChoice:
    """What is chosen for s0 where no server has said no."""
    situation = MigrationSituation(inventory, traffic or TrafficRates(), progress, ["s0"], [], SETTINGS)
    return choose_migration(diagnosis, situation)


def test_the_slow_share_is_that_of_the_window() -> None:
    incoming = Incoming(window_s=4.0)
    path = ("a", "b")
    assert incoming.slow_share(path, 10.0) == 0.0
    incoming.level(path, "high", 10.0)
    assert incoming.slow_share(path, 11.0) == 0.25
    incoming.level(path, "medium", 11.0)
    incoming.level(path, "low", 12.0)
    assert incoming.slow_share(path, 13.0) == 0.5
    assert incoming.slow_share(path, 15.0) == 0.25
    assert incoming.slow_share(path, 20.0) == 0.0
    incoming.level(path, "high", 20.0)
    incoming.forget("b")
    assert incoming.slow_share(path, 30.0) == 0.0


def test_paths_into_servers_with_a_slow_path_are_to_be_measured() -> None:
    site = Site()
    controller = controller_of(site)
    for _ in range(8):
        site.advance(controller)
        controller.see(site.inventory(), site.now_s)
    controller.level("h0", "h1", "high", site.now_s)  # on one server
    assert controller.suspects(site.now_s) == []
    controller.level("h4", "h1", "high", site.now_s)
    assert controller.suspects(site.now_s) == ["h0", "h1"]


def test_a_place_is_slow_if_most_of_its_paths_are() -> None:
    incoming = Incoming(window_s=1.0)
    for source in ("a1", "a2", "b1"):
        incoming.level((source, "v"), "high", 0.0)
    places = {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "b2": "b"}
    assert incoming.slow_into("v", places, 5.0, 0.6) == {"a": True, "b": False}


def test_rates_are_what_the_counters_grew_by() -> None:
    def site(t_s: float, received_B: int) -> Inventory:
        return Inventory((Server("s", "n", 1, 1, 1, 1e6, Load(t_s, received_B, 0)),), ())

    assert rates_between(site(1.0, 1000), site(3.0, 3000)).servers == {"s": Rate(8000.0, 0.0)}
    assert rates_between(site(1.0, 1000), site(3.0, 0)).servers == {}  # restarted


def look(slow: list[tuple[str, str]], in_bps: float | None, own_bps: float = 1e6) -> dict[str, Kind]:
    """Diagnoses of a site of three servers with two machines each, after these paths were slow for long."""
    job = [f"h{k}" for k in range(6)]
    vms = tuple(Vm(name, f"s{k // 2}", 1, MIB, 1, 0.0, 0.1) for k, name in enumerate(job))
    inventory = Inventory(tuple(Server(f"s{k}", "n", 4, 9 * MIB, 9, 100e6) for k in range(3)), vms)
    rates = {} if in_bps is None else {f"s{k}": Rate(in_bps, 0.0) for k in range(3)}
    traffic = TrafficRates(rates, {name: Rate(own_bps, 0.0) for name in job})
    incoming = Incoming(SETTINGS.window_s)
    for path in slow:
        incoming.level(path, "high", 0.0)
    return {each.server: each.kind for each in diagnose(inventory, traffic, incoming, job, 10.0, SETTINGS)}


ALL_INTO_S0 = [(f"h{k}", f"h{v}") for k in range(2, 6) for v in (0, 1)]


@pytest.mark.parametrize(
    ("slow", "in_bps", "own_bps", "kinds"),
    [
        ([], 90e6, 1e6, {}),
        (ALL_INTO_S0, 90e6, 1e6, {"s0": Kind.DESTINATION}),
        (ALL_INTO_S0, 90e6, 40e6, {"s0": Kind.INCAST}),
        (ALL_INTO_S0, None, 1e6, {"s0": Kind.UNKNOWN}),
        (ALL_INTO_S0, 20e6, 1e6, {"s0": Kind.PATH}),
        ([path for path in ALL_INTO_S0 if path[1] == "h0"], 90e6, 1e6, {"s0": Kind.PATH}),
        ([path for path in ALL_INTO_S0 if path[0] in ("h2", "h3")], 90e6, 1e6, {"s0": Kind.PATH}),
    ],
)
def test_kinds_of_congestion_are_told_apart(
    slow: list[tuple[str, str]], in_bps: float | None, own_bps: float, kinds: dict[str, Kind]
) -> None:
    assert look(slow, in_bps, own_bps) == kinds


def test_both_machines_of_a_flooded_server_move_one_after_the_other() -> None:
    site = Site()
    controller = controller_of(site, expected_s=120.0)
    before = drive(site, controller, 10.0)
    assert before.decisions == []
    site.flooded_bps["s0"] = FLOOD_BPS
    record = drive(site, controller, 60.0)
    assert [(vm, target) for _, vm, target in record.moves] == [("h0", "s3"), ("h1", "s3")]
    (first_s, _, _), (second_s, _, _) = record.moves
    assert first_s < 20.0
    assert second_s - first_s >= SETTINGS.dwell_s
    why = record.decisions[0][1].why
    assert "every path into s0 is slow (h0 from 2 of 2 places, h1 from 2 of 2 places)" in why
    assert "% of it cross-traffic" in why and "moving 2 gains" in why
    assert site.speed() == 1.0


@pytest.mark.parametrize("seed", range(10))
def test_nothing_moves_on_a_clean_network(seed: int) -> None:
    site = Site(seed=seed)
    assert drive(site, controller_of(site, 200.0), 120.0).moves == []


@pytest.mark.parametrize("seed", range(10))
def test_nothing_moves_under_path_congestion(seed: int) -> None:
    site = Site(seed=seed)
    others = [vm for vm in site.job if site.place[vm] != "s0"]
    site.slow = {(source, vm) for source in others if site.place[source] == "s1" for vm in ("h0", "h1")}
    record = drive(site, controller_of(site, 200.0), 60.0)
    assert record.moves == []
    assert "only some paths into s0 are slow" in record.reasons()


def test_the_programs_own_incast_is_told_with_a_placement_and_moves_nothing() -> None:
    site = Site(incast_bps={"s0": FLOOD_BPS})
    record = drive(site, controller_of(site, 200.0), 30.0)
    assert record.moves == []
    assert "a migration would only move the problem" in record.reasons()
    assert "place the ranks that send to each other on one server" in record.reasons()


def test_nothing_moves_to_a_server_that_is_busy_or_congested_itself() -> None:
    site = Site(flooded_bps={f"s{k}": FLOOD_BPS for k in range(4)})
    record = drive(site, controller_of(site, 200.0), 30.0)
    assert record.moves == []
    assert "s3 would carry" in record.reasons()
    assert "s1 is congested itself" in record.reasons()


def test_nothing_moves_when_too_little_of_the_run_is_left() -> None:
    site = Site()
    controller = controller_of(site, expected_s=21.0)
    drive(site, controller, 20.0)
    site.flooded_bps["s0"] = FLOOD_BPS
    record = drive(site, controller, 24.0)
    assert record.moves == []
    assert "it does not pay" in record.reasons()


def test_machines_that_go_on_at_full_speed_do_not_hide_those_that_cannot() -> None:
    site = Site()
    site.waits = False
    controller = controller_of(site, expected_s=60.0)
    drive(site, controller, 10.0)
    site.flooded_bps["s0"] = FLOOD_BPS
    record = drive(site, controller, 40.0)
    assert [vm for _, vm, _ in record.moves] == ["h0", "h1"]
    assert "91% of its speed is lost" in record.decisions[0][1].why


def test_a_run_that_is_late_goes_on_for_as_long_as_it_is_late() -> None:
    site = Site()
    controller = controller_of(site, expected_s=10.0)
    drive(site, controller, 50.0)
    site.flooded_bps["s0"] = FLOOD_BPS
    record = drive(site, controller, 56.0)
    assert record.moves
    assert "about 4" in record.decisions[-1][1].why  # s are left


def test_without_earlier_runs_it_waits_until_as_much_is_lost_as_moving_costs() -> None:
    site = Site(flooded_bps={"s0": FLOOD_BPS})
    record = drive(site, controller_of(site), 60.0)
    first_s = record.moves[0][0]
    assert record.decisions[0][1].move is None and "it does not pay" in record.decisions[0][1].why
    assert 8.0 < first_s < 30.0


def test_a_cloud_that_tells_no_traffic_moves_nothing() -> None:
    site = Site(flooded_bps={"s0": FLOOD_BPS}, tells_traffic=False)
    record = drive(site, controller_of(site, 200.0), 30.0)
    assert record.moves == []
    assert "the cloud does not report its traffic" in record.reasons()


def test_a_target_that_refuses_is_followed_by_the_next() -> None:
    site = Site(servers=5, flooded_bps={"s0": FLOOD_BPS})
    controller = controller_of(site, 200.0)
    while (move := next_move(site, controller)) is None:
        assert site.now_s < 30.0
    controller.refused(move, site.now_s)
    again = controller.step(site.now_s)[0].move
    assert move.target == "s4"
    assert again is not None and again.target in ("s1", "s2", "s3")


def next_move(site: Site, controller: MigrationController) -> MigrationCandidate | None:
    """What is to be moved after another half second, if anything."""
    site.advance(controller)
    controller.see(site.inventory(), site.now_s)
    return next((each.move for each in controller.step(site.now_s) if each.move), None)


def test_it_gives_up_after_failures_in_a_row() -> None:
    site = Site(flooded_bps={"s0": FLOOD_BPS})
    controller = controller_of(site, 2000.0)
    failed_s = []
    while site.now_s < 200.0:
        if next_move(site, controller):
            said = controller.failed(site.now_s)
            failed_s.append(site.now_s)
    assert len(failed_s) == SETTINGS.most_failures == 3
    assert failed_s[1] - failed_s[0] >= 2 * SETTINGS.dwell_s
    assert failed_s[2] - failed_s[1] >= 4 * SETTINGS.dwell_s
    assert said == "3 failed in a row, so nothing more is migrated"


def test_a_move_by_the_provider_is_noticed() -> None:
    site = Site()
    controller = controller_of(site)
    site.advance(controller)
    assert controller.see(site.inventory(), site.now_s) == []
    site.place["h2"] = "s3"
    site.advance(controller)
    assert controller.see(site.inventory(), site.now_s) == [UnexpectedMove("h2", "s1", "s3")]


def test_of_several_machines_the_one_with_least_memory_and_traffic_goes_first() -> None:
    def vm(name: str, memory_B: int, dirty_Bps: float = 0.0) -> Vm:
        return Vm(name, "s0", 1, memory_B, 1, dirty_Bps, 0.1)

    def first(*vms: Vm, rates: dict[str, Rate] | None = None) -> str:
        inventory = Inventory(tuple(Server(f"s{k}", "n", 9, 2**40, 99, 80e6) for k in range(2)), vms)
        diagnosis = Diagnosis("s0", Kind.DESTINATION, tuple(each.name for each in vms), 0.9, "")
        traffic = TrafficRates({}, rates or {})
        choice = choice_of(diagnosis, inventory, traffic)
        assert choice.move is not None
        return choice.move.vm

    assert first(vm("a", 20_000_000), vm("b", 10_000_000)) == "b"
    assert first(vm("a", 10_000_000, 5e6), vm("b", 10_000_000)) == "b"
    assert first(vm("a", 10_000_000), vm("b", 10_000_000), rates={"a": Rate(30e6, 30e6)}) == "b"


def test_the_target_has_most_rate_left_when_its_machines_are_as_busy_as_usual() -> None:
    def vm(name: str, server: str) -> Vm:
        return Vm(name, server, 1, MIB, 1, 0.0, 0.1)

    inventory = Inventory(
        tuple(Server(f"s{k}", "n", 9, 2**40, 99, 80e6) for k in range(3)),
        (vm("a", "s0"), vm("b", "s1")),
    )
    traffic = TrafficRates({"s1": Rate(5e6, 0.0), "s2": Rate(20e6, 0.0)}, {"b": Rate(5e6, 0.0)})

    def target(usual_in_bps: dict[str, float]) -> str:
        diagnosis = Diagnosis("s0", Kind.DESTINATION, ("a",), 0.9, "")
        choice = choice_of(diagnosis, inventory, traffic, RunProgress(0.8, 1000.0, usual_in_bps))
        assert choice.move is not None
        return choice.move.target

    assert target({}) == "s1"
    assert target({"b": 40e6}) == "s2"


def test_what_a_machine_gets_now_counts_at_its_target_where_nothing_else_was_ever_seen() -> None:
    """Congested from the start on: its usual traffic is not known, and none it is not."""
    inventory = Inventory(
        tuple(Server(f"s{k}", "n", 9, 2**40, 99, 80e6) for k in range(2)), (Vm("a", "s0", 1, MIB, 1, 0.0, 0.1),)
    )
    traffic = TrafficRates({"s1": Rate(50e6, 0.0)}, {"a": Rate(30e6, 0.0)})
    diagnosis = Diagnosis("s0", Kind.DESTINATION, ("a",), 0.9, "")
    choice = choice_of(diagnosis, inventory, traffic, RunProgress(0.8, 1000.0, {}))
    assert choice.move is None and "s1 would carry 80 of 80 Mbit/s" in choice.why


def test_a_machine_that_never_converges_is_not_moved() -> None:
    inventory = Inventory(
        tuple(Server(f"s{k}", "n", 9, 2**40, 99, 80e6) for k in range(2)), (Vm("a", "s0", 1, MIB, 1, 20e6, 0.1),)
    )
    diagnosis = Diagnosis("s0", Kind.DESTINATION, ("a",), 0.9, "")
    choice = choice_of(diagnosis, inventory)
    assert choice.move is None
    assert "writes to its memory too fast for its copy to end" in choice.why


def test_nothing_moves_unless_all_of_a_servers_machines_can() -> None:
    def why(first: Vm, second: Vm, room: int) -> str:
        servers = (Server("s0", "n", 9, 2**40, 99, 80e6), Server("s1", "n", room, 2**40, 99, 80e6))
        diagnosis = Diagnosis("s0", Kind.DESTINATION, (first.name, second.name), 0.9, "")
        choice = choice_of(diagnosis, Inventory(servers, (first, second)))
        assert choice.move is None
        return choice.why

    good = Vm("a", "s0", 1, MIB, 1, 0.0, 0.1)
    assert why(good, Vm("b", "s0", 1, MIB, 1, None, 0.1), 9) == "it is not known how fast b writes to its memory"
    full = "once a is on s1, no server can take b: s1 has no room (2 of 1 cpus would be in use)"
    assert why(good, Vm("b", "s0", 1, MIB, 1, 0.0, 0.1), 1) == full


def test_the_cost_is_that_of_each_machine() -> None:
    def cost_s(*memory_B: int) -> float:
        vms = tuple(Vm(f"v{k}", "s0", 1, size_B, 1, 0.0, 0.1) for k, size_B in enumerate(memory_B))
        inventory = Inventory(tuple(Server(f"s{k}", "n", 9, 2**40, 99, 80e6) for k in range(2)), vms)
        diagnosis = Diagnosis("s0", Kind.DESTINATION, tuple(each.name for each in vms), 0.9, "")
        return choice_of(diagnosis, inventory).cost_s

    assert cost_s(10**7, 10**9) == pytest.approx(cost_s(10**7) + cost_s(10**9))


def test_a_machine_goes_where_its_owner_lets_it_and_only_if_its_writing_is_known() -> None:
    def choice(dirty_Bps: float | None, closed: str | None = None) -> MigrationChoice:
        servers = (
            Server("s0", "n", 9, 2**40, 99, 80e6),
            Server("s1", "n", 9, 2**40, 99, 80e6),
            Server("s2", "n", 9, 2**40, 99, 40e6, closed=closed),
        )
        vms = (Vm("a", "s0", 1, MIB, 1, dirty_Bps, 0.1), Vm("b", "s1", 1, MIB, 1, None, 0.1))
        inventory = Inventory(servers, vms, (AffinityGroup("apart", frozenset("ab"), 1),))
        diagnosis = Diagnosis("s0", Kind.DESTINATION, ("a",), 0.9, "")
        return choice_of(diagnosis, inventory)

    move = choice(0.0).move
    assert move is not None and move.target == "s2"  # not s1, which has more rate
    assert choice(None).why == "it is not known how fast a writes to its memory"
    apart = "s1 has b, which group apart keeps apart from a"
    assert choice(0.0, "is down").why == f"no server can take a: {apart}; s2 is down"
