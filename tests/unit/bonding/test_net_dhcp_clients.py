"""``fairlead net`` beside real DHCP clients, with dnsmasq and the kernel's bonding driver, in User Mode Linux."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from .. import user_mode_linux
from . import dhcp_inside

PROGRAMS = {"systemd-networkd": "/lib/systemd/systemd-networkd"}
pytestmark = [*user_mode_linux.MARKS, pytest.mark.timeout(600)]  # a boot each, 60 to 120 s, and leases of 120 s


def told_of(client: str, tmp_path: Path, *more: str) -> Any:
    program = PROGRAMS.get(client.removesuffix("-of-two"), client)
    missing = [each for each in (program, "dnsmasq", "dbus-daemon") if not shutil.which(each, path=dhcp_inside.PATH)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    return user_mode_linux.result_of(Path(dhcp_inside.__file__), tmp_path, client, *more, memory="512M", within_s=500)


def addresses(state: Any, nic: str) -> list[str]:
    return [address for address, _, _ in state["addresses"].get(nic, ())]


def valid_s(state: Any, nic: str) -> int:
    return min(valid_s for _, _, valid_s in state["addresses"][nic])


def holds(told: Any) -> None:
    """What is so however the bond goes."""
    assert told["error"] is None and told["leased"], told
    before, during, after, end = (told[key] for key in ("before", "during", "after", "at the end"))
    assert addresses(before, "eth1")
    assert addresses(during, "eth1") == addresses(during, "eth2") == []
    assert addresses(during, "bond7") == addresses(before, "eth1") + addresses(before, "eth2")
    assert any(route.startswith("default via 10.1.0.254 dev bond7") for route in during["routes"])
    assert 60 < valid_s(during, "bond7") <= 120
    assert told["answers"]  # the server is reached over the bond
    assert 30 < told["ends in"] <= 90
    assert told["again"] and not told["journal"]
    assert told["answers after"]
    assert told["renewed"] and valid_s(end, "eth1") > 90  # by the client, which goes on
    for state in (after, end):
        assert state["routes"] == before["routes"]
        assert [addresses(state, nic) for nic in dhcp_inside.NICS] == [
            addresses(before, nic) for nic in dhcp_inside.NICS
        ]
    assert told["leases"].count("\n") == len(addresses(during, "bond7"))  # the server has given no other
    assert "DHCPRELEASE" not in told["server"] and "DHCPDECLINE" not in told["server"]


def is_renewed(told: Any) -> None:
    """The server gave the lease anew when the bond was made, and again at half of it; the guard knows."""
    holds(told)
    begun, bonded, _ = told["acknowledged"]
    assert bonded > begun and told["renewed while bonded"] >= 1
    outlived = told["outlived"]
    assert addresses(outlived, "bond7") == addresses(told["before"], "eth1")
    assert valid_s(outlived, "bond7") > 50 and outlived["ends in"] > 20 and outlived["answers"]


def is_not_renewed(told: Any) -> None:
    holds(told)
    begun, bonded, _ = told["acknowledged"]
    assert bonded == begun  # no client asked for anything meanwhile


@pytest.mark.drawn
@pytest.mark.parametrize("client", ["dhclient", "dhcpcd", "systemd-networkd"])
def test_a_lease_is_renewed_on_a_bond_that_outlives_it(client: str, tmp_path: Path) -> None:
    is_renewed(told_of(client, tmp_path, "outlives"))


@pytest.mark.drawn
@pytest.mark.parametrize("client", ["udhcpc", "systemd-networkd-of-two", "NetworkManager"])
def test_a_lease_that_is_not_renewed_survives_a_bond(client: str, tmp_path: Path) -> None:
    is_not_renewed(told_of(client, tmp_path))


def test_a_bond_that_nobody_takes_back_goes_before_the_lease_ends(tmp_path: Path) -> None:
    is_not_renewed(told_of("udhcpc", tmp_path, "ends"))
