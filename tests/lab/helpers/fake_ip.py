#!/usr/bin/env python3
"""Stands for ip(8) on a host with a bonding driver: keeps its state in STATE/state.json and a tree like /sys/class/net.

It does what `fairlead net` asks for, and refuses what the kernel refuses: taking an interface into a bond that is up,
names that are taken, devices that are not there. ``refuse`` in the state makes the first command that begins so fail;
setting the NIC of that name down makes ``cut``: the management connection is gone, until it is up again.
"""

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

STATE = Path(__file__).resolve().parent / "state"
MODES = ("balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb", "balance-alb")


def nic(mac: str, addresses: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    return {"mac": mac, "mtu": 1500, "up": True, "master": None, "addresses": addresses or [], "bond": None, **more}


def main(words: list[str]) -> None:
    state = json.loads((STATE / "state.json").read_text())
    with (STATE / "log").open("a") as log:
        log.write(" ".join(words) + "\n")
    if state.get("refuse") and " ".join(words).startswith(state["refuse"]):
        sys.exit(f"RTNETLINK answers: {state['refuse']} refused")
    links, routes = state["links"], state["routes"]
    match words:
        case ["-json", "address", "show"]:
            print(json.dumps([shown(name, each) for name, each in links.items()]))
        case ["-o", "address", "show", "dev", name, "to", address]:
            for each in links[name]["addresses"]:
                if each["local"] == address:
                    print(f"9: {name} inet {address}\\ valid_lft {left_s(each)}sec")
            return
        case ["-6", "route", "show", "table", "all"] | ["neighbour", "show", "nud", "permanent"]:
            pass
        case ["-4", "route", "show", "table", "all"]:
            print("\n".join(f"{left} dev {name}" for left, name in routes))
        case ["link", "add", name, "type", "bond", *options]:
            assert name not in links, "File exists"
            links[name] = nic("02:00:00:00:00:99", up=False, bond=dict(zip(options[::2], options[1::2], strict=True)))
        case ["link", "set", name, "master", bond]:
            assert not links[name]["up"], "Device can not be enslaved while up."
            links[name] |= {"master": bond, "up": True}
        case ["link", "set", name, *options]:
            change(state, name, options)
        case ["link", "delete", name]:
            del links[name]
            for each in links.values():
                if each["master"] == name:
                    each |= {"master": None, "up": False}
            state["routes"] = [route for route in routes if route[1] != name]
        case ["address", "flush", "dev", name, "scope", "global"]:
            links[name]["addresses"] = []
            state["routes"] = [route for route in routes if route[1] != name]
        case ["address", "add", text, *rest]:
            more = dict(zip(rest[::2], rest[1::2], strict=True))
            name = more["dev"]
            assert links[name]["master"] is None
            found = {"local": text.split("/")[0], "prefixlen": int(text.split("/")[1]), "scope": "global"}
            leased = {}
            if "valid_lft" in more:
                leased = {"dynamic": True, "valid_life_time": int(more["valid_lft"]), "added_s": time.monotonic()}
            broadcast = {"broadcast": more["broadcast"]} if "broadcast" in more else {}
            links[name]["addresses"].append(found | broadcast | leased)
        case ["route", "replace", *route, "dev", name]:
            assert links[name]["up"], "Network is unreachable"
            routes.append([" ".join(route), name])
        case _:
            sys.exit(f"fake ip: {words}")
    (STATE / "state.new").write_text(json.dumps(state))
    (STATE / "state.new").rename(STATE / "state.json")
    write_tree(state)


def left_s(address: dict[str, Any]) -> int:
    """How long an address is still valid; one that was there at the beginning, for ever so long."""
    return int(address["valid_life_time"] - time.monotonic() + address.get("added_s", time.monotonic()))


def change(state: dict[str, Any], name: str, options: list[str]) -> None:
    each = state["links"][name]
    while options:
        match options:
            case [("up" | "down") as what, *options]:
                each["up"] = what == "up"
                if name == state.get("management"):
                    (STATE / "cut").unlink(missing_ok=True) if each["up"] else (STATE / "cut").touch()
                if not each["up"]:
                    state["routes"] = [route for route in state["routes"] if route[1] != name]
            case [("mtu" | "address") as key, value, *options]:
                each["mac" if key == "address" else "mtu"] = value if key == "address" else int(value)


def shown(name: str, each: dict[str, Any]) -> dict[str, Any]:
    flags = ["UP", "LOWER_UP"] if each["up"] else []
    master = {"master": each["master"]} if each["master"] else {}
    own = {"ifname": name, "address": each["mac"], "mtu": each["mtu"], "flags": flags}
    return {**own, **master, "addr_info": each["addresses"]}


def write_tree(state: dict[str, Any]) -> None:
    """The part of /sys/class/net that is read."""
    tree = STATE / "net"
    for path in tree.iterdir():
        shutil.rmtree(path)
    for name, each in state["links"].items():
        files = {"ifindex": "1"} | {key: str(each[key]) for key in ("speed", "duplex") if key in each}
        if each["bond"] is not None:
            members = [other for other, link in state["links"].items() if link["master"] == name]
            bond = each["bond"]
            files |= {
                "bonding/mode": f"{bond['mode']} {MODES.index(bond['mode'])}",
                "bonding/xmit_hash_policy": f"{bond.get('xmit_hash_policy', 'layer2')} 0",
                "bonding/miimon": bond["miimon"],
                "bonding/lacp_rate": f"{bond.get('lacp_rate', 'slow')} 0",
                "bonding/slaves": " ".join(members),
                "bonding/ad_partner_mac": state["partner"],
            }
        if each["master"]:
            files["bonding_slave/mii_status"] = "down" if name in state.get("no_link", []) else "up"
        for key, value in files.items():
            (tree / name / key).parent.mkdir(parents=True, exist_ok=True)
            (tree / name / key).write_text(value + "\n")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (AssertionError, KeyError) as error:
        sys.exit(f"RTNETLINK answers: {error}")
