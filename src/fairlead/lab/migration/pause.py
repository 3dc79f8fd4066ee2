"""Stops all processes of a virtual machine for a moment, as a hypervisor stops its processors."""

import signal
from pathlib import Path

from fairlead.runtime import Process

_UNSTOPPED = "RSDI"  # states of proc(5): what is stopped, traced or dead already is left as it is


def processes_in(network_id: int, states: str) -> list[Process]:
    """Processes of this PID namespace in a network namespace (by its inode) that are in one of ``states``."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if (entry / "ns" / "net").stat().st_ino == network_id and _state(entry) in states:
                found.append(Process.of(int(entry.name)))
        except OSError:
            continue  # it has ended
    return found


def stop(network_id: int, spare: frozenset[int]) -> list[Process]:
    """Stop what runs there, until a look finds nothing more that runs; returns the stopped ones."""
    stopped: list[Process] = []
    while running := [
        each for each in processes_in(network_id, _UNSTOPPED) if each.pid not in spare and each not in stopped
    ]:
        for process in running:
            process.send(signal.SIGSTOP)
        stopped += running
    return stopped


def go_on(processes: list[Process]) -> None:
    """Continue stopped processes."""
    for process in processes:
        process.send(signal.SIGCONT)


def _state(entry: Path) -> str:
    text = (entry / "stat").read_bytes()  # a name may be cut in the middle of a character
    return text.rpartition(b")")[2].split()[0].decode()
