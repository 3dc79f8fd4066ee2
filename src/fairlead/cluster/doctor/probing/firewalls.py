"""Packet filters, and who keeps them. Rules are for root's eyes; that firewalld or ufw runs is for everybody's."""

from __future__ import annotations

import re
import socket
from typing import Any

from fairlead.cluster.doctor.probing.system import content_of, lines_of, text_of

# A last rule that refuses all: no match before the verdict (nft(8)).
_REFUSES_ALL = re.compile(r'^(counter packets \d+ bytes \d+ )?(drop|reject( with .*)?)( comment ".*")?$')


def refusing_chains(text: str) -> list[dict[str, str]]:
    """Chains at the hooks input and forward that refuse what no rule admits, from ``nft list ruleset``."""
    found, table, chain = [], ("", ""), ""
    hook, policy, last = "", "", ""
    for line in (line.strip() for line in text.splitlines()):
        words = line.split()
        if re.match(r"table \w+ \S+ \{", line):
            table = (words[1], words[2])
        elif re.match(r"chain \S+ \{", line):
            chain, hook, policy, last = words[1], "", "", ""
        elif line.startswith("type filter hook"):
            hook = words[3]
            policy = "drop" if "policy drop;" in line else "accept"
        elif line == "}" and chain:
            why = "policy drop" if policy == "drop" else last if _REFUSES_ALL.match(last) else ""
            if hook in ("input", "forward") and why and not table[1].startswith("fairlead_"):
                found.append({"family": table[0], "table": table[1], "chain": chain, "hook": hook, "why": why})
            chain = ""
        elif chain:
            last = line
    return found


def ufw_is_on(text: str) -> bool:
    """Whether /etc/ufw/ufw.conf starts ufw with the system."""
    return re.search(r"^\s*ENABLED\s*=\s*yes\b", text, re.MULTILINE | re.IGNORECASE) is not None


def parse_zone(text: str | None) -> str | None:
    """What ``firewall-cmd --get-zone-of-interface`` prints, or None for an interface of no zone."""
    return text if text and re.fullmatch(r"[\w-]+", text) else None


def firewalld(interface: str) -> dict[str, Any] | None:
    """The zone of an interface, or None where firewalld does not run."""
    if text_of("systemctl", "is-active", "firewalld") != "active" and text_of("firewall-cmd", "--state") != "running":
        return None
    zone = parse_zone(text_of("firewall-cmd", f"--get-zone-of-interface={interface}"))
    return {"zone": zone or parse_zone(text_of("firewall-cmd", "--get-default-zone"))}


def legacy(chain: str, tool: str) -> list[str] | None:
    """Rules of the older iptables, where they are not those that `iptables` shows; never loads its modules."""
    names = "/proc/net/ip_tables_names" if tool == "iptables" else "/proc/net/ip6_tables_names"
    if "filter" not in (content_of(names) or "").split():
        return None
    return lines_of(f"{tool}-legacy", "-S", chain)


def firewall(interface: str, family: int = socket.AF_INET) -> dict[str, Any]:
    """Packet filters of this host, as far as this user may see them (None: he may not, or there is none)."""
    tool = "iptables" if family == socket.AF_INET else "ip6tables"
    ruleset = text_of("nft", "list", "ruleset")
    return {
        "input": lines_of(tool, "-S", "INPUT"),
        "forward": lines_of(tool, "-S", "FORWARD"),
        "legacy_input": legacy("INPUT", tool),
        "legacy_forward": legacy("FORWARD", tool),
        "nft": None if ruleset is None else refusing_chains(ruleset),
        "firewalld": firewalld(interface),
        "ufw": ufw_is_on(content_of("/etc/ufw/ufw.conf") or ""),
    }
