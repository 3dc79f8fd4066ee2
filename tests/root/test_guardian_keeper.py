"""What becomes of reroutes when the guardian itself is killed, and nobody is there who cleans up after it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from .guardian_lab import Guardian, Host, Mesh, clean, job, rerouted_routes, status, stop, wait_until

pytestmark = pytest.mark.root

USER_PRIORITY = 5040


def user_rules(host: Host) -> list[int]:
    return [rule["priority"] for rule in host.ip_json("rule") if rule["priority"] == USER_PRIORITY]


def ended(pid: int) -> bool:
    """Also one of whose end nobody took note."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_reroutes_of_a_killed_guardian_end_and_its_overlay_stays(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str
) -> None:
    """Others may still forward over this host."""
    guardian = start(host, mesh.setup_request(host))
    keeper = guardian.keeper()
    assert guardian.reroute(destination=1, relay=2).error == 0
    assert user_rules(host) == [USER_PRIORITY]
    guardian.process.kill()
    wait_until(lambda: not rerouted_routes(host) and not user_rules(host), within_s=5.0)
    wait_until(lambda: ended(keeper), within_s=5.0)
    guardian.wait()
    assert [(left["alive"], left["rules"]) for left in status(host, binary)] == [(False, 6)]
    assert {"rule", "route", "device", "filter", "rp_filter"} == {str(each["kind"]) for each in clean(host, binary)}


def test_traffic_of_a_killed_guardians_host_arrives_when_no_relay_has_an_overlay_any_more(
    mesh: Mesh, binary: str
) -> None:
    source, destination = mesh.hosts[:2]
    with job(mesh) as guardians:
        assert guardians[0].reroute(destination=1, relay=2).error == 0
        assert source.reaches(destination)
        guardians[0].process.kill()
        for other in guardians[1:]:
            assert other.tear_down().error == 0
        wait_until(lambda: source.reaches(destination, timeout_s=0.1), within_s=5.0)
        guardians[0].wait()
        guardians[0] = Guardian(binary, source)  # clears away what the dead left
        assert guardians[0].exchange(mesh.setup_request(source, members=3)).error == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_is_sent_to_all_processes_of_a_terminal_does_not_end_it(
    mesh: Mesh, host: Host, start: Callable[..., Guardian], binary: str, number: signal.Signals
) -> None:
    guardian = start(host, mesh.setup_request(host))
    assert guardian.reroute(destination=1, relay=2).error == 0
    os.kill(guardian.keeper(), number)
    guardian.process.kill()
    wait_until(lambda: not rerouted_routes(host), within_s=5.0)
    guardian.wait()
    clean(host, binary)


def test_it_ends_with_its_guardian(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    torn_down = start(host, mesh.setup_request(host))
    keeper = torn_down.keeper()
    wait_until(lambda: Path(f"/proc/{keeper}/comm").read_text() == "route-keeper\n", within_s=5.0)
    assert torn_down.tear_down().error == 0
    assert not Path(f"/proc/{keeper}").exists()
    ended = start(host, mesh.setup_request(host, grace_ms=50))
    keeper = ended.keeper()
    stop(keeper)
    ended.close()
    assert ended.wait() == 0
    assert not Path(f"/proc/{keeper}").exists()


def test_it_leaves_the_next_guardians_reroutes_alone(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    """It did not run when its guardian was killed, and does when the job has another one."""
    first = start(host, mesh.setup_request(host))
    keeper = first.keeper()
    assert first.reroute(destination=1, relay=2).error == 0
    stop(keeper)
    first.process.kill()
    first.wait()
    second = start(host, mesh.setup_request(host))
    assert second.reroute(destination=1, relay=2).error == 0
    os.kill(keeper, signal.SIGCONT)
    wait_until(lambda: ended(keeper), within_s=10.0)
    assert len(rerouted_routes(host)) == 1 and user_rules(host) == [USER_PRIORITY]
    assert second.tear_down().error == 0


def test_a_set_up_that_fails_leaves_none(mesh: Mesh, host: Host, start: Callable[..., Guardian]) -> None:
    guardian = start(host)
    assert guardian.exchange(mesh.setup_request(host, device="eth7")).error != 0
    assert Path(f"/proc/{guardian.process.pid}/task/{guardian.process.pid}/children").read_text() == ""
