"""Stops all processes of a virtual machine for a moment, as a hypervisor stops its processors."""

import os
import signal
from pathlib import Path

_UNSTOPPED = "RSDI"  # states of proc(5): what is stopped, traced or dead already is left as it is


def processes_in(network_id: int, states: str) -> list[int]:
    """Processes of this PID namespace in a network namespace (by its inode) that are in one of ``states``."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if (entry / "ns" / "net").stat().st_ino == network_id and _state(entry) in states:
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended
    return found


def stop(network_id: int, spare: frozenset[int]) -> list[int]:
    """Stop what runs there, until a look finds nothing more that runs; returns the stopped ones."""
    stopped: list[int] = []
    while running := [pid for pid in processes_in(network_id, _UNSTOPPED) if pid not in spare and pid not in stopped]:
        for pid in running:
            _send(pid, signal.SIGSTOP)
        stopped += running
    return stopped


def go_on(pids: list[int]) -> None:
    """Continue stopped processes."""
    for pid in pids:
        _send(pid, signal.SIGCONT)


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _state(entry: Path) -> str:
    return (entry / "stat").read_text().rpartition(")")[2].split()[0]
