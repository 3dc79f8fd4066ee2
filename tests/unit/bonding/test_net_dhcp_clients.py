"""``fairlead net`` beside real DHCP clients, with dnsmasq and the kernel's bonding driver, in User Mode Linux."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from .. import user_mode_linux
from . import dhcp_inside

PROGRAMS = {"systemd-networkd": "/lib/systemd/systemd-networkd"}
pytestmark = user_mode_linux.MARKS  # a boot each, 60 to 120 s


def told_of(client: str, tmp_path: Path, *more: str) -> Any:
    program = PROGRAMS.get(client, client)
    missing = [each for each in (program, "dnsmasq", "dbus-daemon") if not shutil.which(each, path=dhcp_inside.PATH)]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    return user_mode_linux.result_of(Path(dhcp_inside.__file__), tmp_path, client, *more, memory="512M")


def leased(state: Any, nic: str) -> Any:
    """Address and lifetime of what must be the only leased address, and the routes."""
    others = {name: addresses for name, addresses in state["addresses"].items() if name != nic and addresses}
    assert others == {}
    ((address, prefix, valid_s),) = state["addresses"][nic]
    assert prefix == 24
    assert any(route.startswith(f"default via 10.1.0.254 dev {nic}") for route in state["routes"])
    return address, valid_s


def holds(told: Any) -> None:
    """What is so however the bond goes."""
    assert told["error"] is None and told["leased"], told
    address, before_s = leased(told["before"], "eth1")
    on_bond, bonded_s = leased(told["during"], "bond7")
    assert on_bond == address and 60 < bonded_s <= before_s
    assert told["answers"]  # the server is reached over the bond
    begun, bonded = told["acknowledged"]
    assert bonded == begun  # no client asked for anything meanwhile
    assert 30 < told["ends in"] <= before_s - 30
    assert told["again"] and not told["journal"]
    assert leased(told["after"], "eth1")[0] == address
    assert told["answers after"]
    assert told["renewed"]  # by the client, which goes on
    end, valid_s = leased(told["at the end"], "eth1")
    assert end == address and valid_s > 90
    assert told["leases"].count("\n") == 1  # the server has given no other
    assert "DHCPRELEASE" not in told["server"] and "DHCPDECLINE" not in told["server"]


@pytest.mark.parametrize("client", list(dhcp_inside.CLIENTS))
def test_a_lease_survives_a_bond(client: str, tmp_path: Path) -> None:
    holds(told_of(client, tmp_path))


def test_a_bond_that_nobody_takes_back_goes_before_the_lease_ends(tmp_path: Path) -> None:
    holds(told_of("dhclient", tmp_path, "ends"))
