"""What an inventory says of its servers."""

from fairlead.cloud.inventory import Inventory, Server, Vm

NBSP = "\u00a0"
GIB = 1 << 30


def test_room_that_is_lacking_is_told_with_its_unit() -> None:
    found = Inventory(
        (Server("s0", "net", 8, 8 * GIB, 2 << 40), Server("s1", "net", 1, 64 * GIB, 2 << 40)),
        (Vm("a", "s0", 2, 6 * GIB, GIB, None, 0.5),),
    )
    more = Vm("b", "s1", 2, 4 * GIB, 0, None, 0.5)
    assert found.bars("s0", more) == f"has no room (10{NBSP}GiB of 8{NBSP}GiB memory would be in use)"
    assert found.lacks("s1", [more]) == "2 of 1 cpus would be in use"
    large = Vm("c", "s1", 1, GIB, 3 << 40, None, 0.5)
    assert found.lacks("s1", [large]) == f"3{NBSP}TiB of 2{NBSP}TiB disk would be in use"
