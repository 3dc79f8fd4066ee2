"""Runs on every host of a cluster, from standard input (`bundle`); standard library only, Python 3.7 and later.

Python and not a shell: most of what is asked needs sockets (who reaches whom, packets that must not be fragmented),
which a POSIX shell does not have. A host without Python is asked less (`plain`); agents do not need it.

Standard input: one JSON line of settings, then commands. Standard output: one JSON line of facts, then answers:

    {"clock": true}
        ->  {"time_s": seconds since 1970}
    {"serve": {"agent": [first port, last port], "overlay": [first, last]}}
        ->  {"agent_port": N, "any_port": N, "overlay_port": N} or {"error": ...}
    {"try": [{"name", "address", "agent_port", "any_port", "overlay_port", "mtu_B"}, ...]}
        ->  {name: {"tcp_agent": null or why, ...}}
    {"rate": {"address", "any_port"}}
        ->  {"rate_Bps": N or null}

End of input ends it, and with it all that it opened.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import sys
import time
from typing import Any

from fairlead.cluster.doctor.probing import firewalls, kernel, libraries, links, paths, programs, storage
from fairlead.cluster.doctor.probing.system import Facts, content_of


def facts(settings: dict[str, Any]) -> dict[str, Any]:
    """Everything that can be seen without talking to another host."""
    found = Facts()
    found.add("hostname", socket.gethostname, "")
    found.add("python", platform.python_version)
    found.add("user_namespaces", kernel.user_namespaces)  # first of those that take time: it forks
    found.add("cores", lambda: len(os.sched_getaffinity(0)), 1)
    found.add("load", lambda: os.getloadavg()[0], 0.0)
    _add_network(found, settings)
    _add_programs(found, settings)
    guardian = (found.known["guardian"] or {}).get("program")
    _add_system(found, [path for path in (*(settings.get("agent") or ()), guardian) if path])
    return {**found.known, "failures": found.failures}


def _add_network(found: Facts, settings: dict[str, Any]) -> None:
    interface, family = settings["interface"], paths.family_of(settings["address"])
    found.add("interfaces", lambda: links.interfaces(family), [])
    found.add("links", lambda: links.links(interface), [])
    found.add("bond", lambda: links.bond(interface), {})
    found.add("segments", links.segments)
    found.add("routing", lambda: links.routing(interface), {})
    found.add("firewall", lambda: firewalls.firewall(interface, family), {"input": None, "forward": None})
    found.add("connection_ports", lambda: programs.port_ranges("/proc/sys/net/ipv4/ip_local_port_range"), [])
    found.add("reserved_ports", lambda: programs.port_ranges("/proc/sys/net/ipv4/ip_local_reserved_ports"), [])
    found.add("infiniband", programs.infiniband, [])


def _add_system(found: Facts, own: list[str]) -> None:
    found.add("clock", kernel.clock)
    found.add("system", kernel.system, {})
    found.add("modules", kernel.modules, {})
    found.add("sock_diag", kernel.sock_diag)
    found.add("selinux", lambda: kernel.selinux(own))
    found.add("limits", kernel.limits, {})
    found.add("places", lambda: storage.places(own), {})
    found.add("shm_free_B", lambda: storage.free_bytes("/dev/shm"))
    found.add("tmp_free_B", lambda: storage.free_bytes("/tmp"))


def _add_programs(found: Facts, settings: dict[str, Any]) -> None:
    agent, guardian, note = (settings.get(name) for name in ("agent", "guardian", "shared_note"))
    found.add("tools", lambda: libraries.tools(settings["tools"]), dict.fromkeys(settings["tools"]))
    found.add("mpi", lambda: libraries.mpi(settings["tools"][0], paths.family_of(settings["address"])), {})
    found.add("agent", lambda: programs.version(agent) if agent else None)
    found.add("guardian", lambda: programs.guardian(guardian) if guardian else None)
    found.add("installed_guardians", lambda: programs.executable(settings.get("guardian_places", [])), {})
    found.add("running_jobs", lambda: programs.running_jobs(content_of("/proc/net/unix") or ""), [])
    # Opening, not only looking: a network file system may have cached that there is no such name.
    found.add("sees_note", lambda: content_of(note) is not None if note else None)


def say(message: dict[str, Any]) -> None:
    """One JSON line to the doctor."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(command: dict[str, Any], address: str) -> dict[str, Any]:
    """The answer to one command."""
    if "clock" in command:
        return {"time_s": time.time()}
    if "serve" in command:
        return paths.serve(address, command["serve"])
    if "rate" in command:
        return paths.rate_to(address, command["rate"])
    return paths.try_all(address, command["try"])


def main() -> None:
    """Facts at once, then answers until the input ends."""
    settings = json.loads(sys.stdin.buffer.readline().decode())
    say(facts(settings))
    for line in iter(sys.stdin.buffer.readline, b""):
        say(answer(json.loads(line.decode()), settings["address"]))


if __name__ == "__main__":
    main()
