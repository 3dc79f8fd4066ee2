"""Runs as the first process inside User Mode Linux: sends flows over a bond of the real driver, tells each one's link.

Arguments: directory of the kernel's modules, and a file with a JSON list of cases, {"policy", "links", "flows"}, a flow
being [destination address, source port, destination port]. Prints "RESULT " and a JSON list of lists of links.
"""

import json
import socket
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from inside_uml import run, tell

SOURCE, SOURCE_MAC = "10.9.0.1", "02:00:00:00:00:a5"
COPIES = 20


def links_of(case: dict) -> list[int]:
    """The link of each flow: the only one whose counter of sent packets went up by as many as were sent."""
    names = [f"v{k}" for k in range(case["links"])]
    run("ip", "link", "add", "bond9", "type", "bond", "mode", "balance-xor", "miimon", "100")
    Path("/sys/class/net/bond9/bonding/xmit_hash_policy").write_text(case["policy"])
    run("ip", "link", "set", "bond9", "address", SOURCE_MAC)
    for name in names:
        run("ip", "link", "add", name, "type", "veth", "peer", "name", f"p{name}")
        run("ip", "link", "set", f"p{name}", "up")
        run("ip", "link", "set", name, "master", "bond9")
    run("ip", "link", "set", "bond9", "up")
    run("ip", "address", "add", f"{SOURCE}/16", "dev", "bond9")
    for address in {flow[0] for flow in case["flows"]}:
        run("ip", "neighbour", "replace", address, "lladdr", mac_of(address), "dev", "bond9", "nud", "permanent")
    time.sleep(0.5)  # until miimon has seen all links up
    found = [link_of(names, *flow) for flow in case["flows"]]
    run("ip", "link", "delete", "bond9")
    for name in names:
        run("ip", "link", "delete", name)
    return found


def mac_of(address: str) -> str:
    third, fourth = address.split(".")[2:]
    return f"02:00:00:00:{int(third):02x}:{int(fourth):02x}"


def link_of(names: list[str], address: str, source_port: int, port: int) -> int:
    before = sent(names)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.bind((SOURCE, source_port))
        for _ in range(COPIES):
            sender.sendto(b"x", (address, port))
    grown = [now - then for now, then in zip(sent(names), before, strict=True)]
    assert sorted(grown)[-1] >= COPIES, f"{address}:{port}: counters went up by {grown}"
    return max(range(len(names)), key=lambda k: grown[k])


def sent(names: list[str]) -> list[int]:
    return [int(Path(f"/sys/class/net/{name}/statistics/tx_packets").read_text()) for name in names]


if __name__ == "__main__":
    tell(lambda: [links_of(case) for case in json.loads(Path(sys.argv[2]).read_text())])
