"""``fairlead net apply`` and ``restore`` with the kernel's own bonding driver, in User Mode Linux."""

from pathlib import Path

from .. import user_mode_linux
from . import net_inside

pytestmark = user_mode_linux.MARKS  # one boot, 20 s
ADDRESS = ["10.1.0.1", 24, "10.1.0.255"]


def test_bonds_of_the_driver_are_made_read_back_and_taken_back(tmp_path: Path) -> None:
    found = user_mode_linux.result_of(Path(net_inside.__file__), tmp_path, memory="512M")
    lacp, static, alone = found
    for each in found:
        assert each["after"] == each["before"]
        assert (each["journal"], each["bond is there"]) == (False, False)
    assert (lacp["error"], static["error"]) == (None, None)
    assert lacp["bond"]["members"] == ["eth1", "eth2"]
    assert [lacp["bond"][key] for key in ("mode", "policy", "miimon_ms", "lacp_rate")] == [
        *("802.3ad", "layer3+4", 100, "fast"),
    ]
    assert lacp["bond"]["partner"] not in (None, "00:00:00:00:00:00")
    assert f"Partner Mac Address: {lacp['bond']['partner']}" in lacp["driver"]
    assert lacp["driver"].count("MII Status: up") == 3  # of the bond and of both NICs
    assert (static["bond"]["mode"], static["bond"]["partner"]) == ("balance-rr", None)
    for each in (lacp, static):
        links, routes = each["during"]
        addresses = {link["ifname"]: link["addresses"] for link in links}
        assert addresses == {"eth1": [], "eth2": [], "bond7": [ADDRESS]}
        assert {link["ifname"]: link.get("master") for link in links} == {
            **{"eth1": "bond7", "eth2": "bond7", "bond7": None},
        }
        assert "10.9.0.0/16 via 10.1.0.254 dev bond7" in routes
        assert "default via 10.1.0.254 dev bond7" in routes  # of table 100
    assert "no LACP partner answers" in alone["error"]
