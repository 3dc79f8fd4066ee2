"""A server's traffic from its machines' counters."""

from fairlead.cloud.inventory import Load, Vm
from fairlead.cloud.uplinks import Uplinks


def machine(name: str, received_B: int, sent_B: int) -> Vm:
    return Vm(name, "s0", 1, 1, 0, 0.0, 0.3, Load(0.0, received_B, sent_B))


def test_a_server_carries_what_its_machines_carry_from_the_first_look_on() -> None:
    uplinks = Uplinks()
    assert uplinks.see("s0", [machine("a", 1000, 50), machine("b", 10, 5)], 1.0) == Load(1.0, 0, 0)
    assert uplinks.see("s0", [machine("a", 1500, 50), machine("b", 12, 6)], 2.0) == Load(2.0, 502, 1)


def test_counters_grow_though_machines_come_and_go() -> None:
    uplinks = Uplinks()
    uplinks.see("s0", [machine("a", 1000, 0)], 1.0)
    uplinks.see("s0", [machine("a", 1200, 0), machine("b", 9000, 0)], 2.0)  # what b has had does not count
    assert uplinks.see("s0", [machine("b", 9100, 0)], 3.0) == Load(3.0, 300, 0)  # a has gone
    assert uplinks.see("s0", [machine("b", 40, 0)], 4.0) == Load(4.0, 340, 0)  # b's counter began anew
    assert uplinks.see("s0", [machine("a", 5000, 0), machine("b", 40, 0)], 5.0) == Load(5.0, 340, 0)  # a is back


def test_servers_are_counted_apart() -> None:
    uplinks = Uplinks()
    for server in ("s0", "s1"):
        uplinks.see(server, [machine("a", 100, 0)], 1.0)
    assert uplinks.see("s1", [machine("a", 150, 0)], 2.0).received_B == 50
    assert uplinks.see("s0", [machine("a", 100, 0)], 2.0).received_B == 0
