"""The cells of the fault matrix as data: what is hurt, where, and under which program, plane and kind of reroute."""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fairlead.errors import ConfigError

SOURCE, RELAY, DESTINATION = PLACES = ("source", "relay", "destination")
ROUTE, RELAYED = PLANES = ("route", "relay")
CG, RING = PROGRAMS = ("cg", "ring")
BY_HAND, AUTOMATIC = REROUTES = ("hand", "automatic")

AGENT_KILLED = "agent killed"
AGENT_STOPPED = "agent stopped"
SSH_DROPPED = "agent's ssh dropped"
GUARDIAN_KILLED = "guardian killed"
HOST_SILENT = "host silent"
PORT_BLOCKED = "overlay port blocked"
FORWARDING_DROPPED = "forwarding dropped"
CLOCK_STEPPED = "clock stepped"
FILES_EXHAUSTED = "file descriptors exhausted"
BOTH_KILLED = "agent and guardian killed"
OF_A_PLACE = (
    AGENT_KILLED,
    AGENT_STOPPED,
    SSH_DROPPED,
    GUARDIAN_KILLED,
    BOTH_KILLED,
    HOST_SILENT,
    PORT_BLOCKED,
    FORWARDING_DROPPED,
    CLOCK_STEPPED,
    FILES_EXHAUSTED,
)

SUPERVISOR_KILLED = "supervisor killed"
SUPERVISOR_SILENT = "supervisor silent"
SUPERVISOR_CUT_OFF = "supervisor cut off from one host"
PROGRAM_KILLED = "program killed"
TWO_JOBS = "two jobs"
DIRECT_CUT = "direct path cut"
OF_THE_RUN = (SUPERVISOR_KILLED, SUPERVISOR_SILENT, SUPERVISOR_CUT_OFF, PROGRAM_KILLED, TWO_JOBS, DIRECT_CUT)

OVER_SSH = (SSH_DROPPED, SUPERVISOR_CUT_OFF)


@dataclass(frozen=True)
class FaultCell:
    """One cell. ``place`` is empty where the run as a whole is hurt; two jobs: the relay's agent of one is killed."""

    plane: str
    reroutes: str
    program: str
    place: str
    fault: str

    @property
    def name(self) -> str:
        """As ``--cells`` takes it, for example ``route/hand/cg/relay/agent-killed``."""
        words = (self.plane, self.reroutes, self.program, self.place or "run", self.fault)
        return "/".join(word.replace("'", "").replace(" ", "-") for word in words)

    @property
    def over_ssh(self) -> bool:
        """Whether the hosts must be reached by ssh."""
        return self.fault in OVER_SSH


def matrix() -> list[FaultCell]:
    """All cells, those that share a network and a kind of reroute next to each other."""
    return [
        FaultCell(plane, reroutes, program, place, fault)
        for reroutes in REROUTES
        for plane in PLANES
        for program in PROGRAMS
        for place, fault in _hurt()
    ]


def _hurt() -> Iterator[tuple[str, str]]:
    for fault in OF_A_PLACE:
        for place in PLACES:
            yield place, fault
    for fault in OF_THE_RUN:
        yield "", fault


def why_not(cell: FaultCell) -> str | None:
    """Why a cell is not tested; None: it is."""
    if cell.plane == RELAYED and cell.fault in (GUARDIAN_KILLED, BOTH_KILLED):
        return "the relay plane has no guardian"
    if cell.plane == RELAYED and cell.fault == FORWARDING_DROPPED:
        return "on the relay plane agents carry rerouted traffic; no kernel forwards it"
    if cell.plane == RELAYED and cell.fault == DIRECT_CUT:
        return "on the relay plane collective calls stay on the direct path, by design"
    if cell.over_ssh and cell.reroutes == AUTOMATIC:
        return "ssh fails alike for manual and automatic reroutes: see the manual cell"
    return None


def together(cells: Sequence[FaultCell]) -> list[list[FaultCell]]:
    """Cells by the run that they are of: some share one, in which the fault is made at one place after the other."""
    runs: dict[FaultCell, list[FaultCell]] = {}
    for cell in cells:
        runs.setdefault(replace(cell, place="") if _disturbs_nothing(cell) else cell, []).append(cell)
    return list(runs.values())


def _disturbs_nothing(cell: FaultCell) -> bool:
    """Whether a fault is taken back, and the pair stays on its detour meanwhile."""
    if cell.fault == FORWARDING_DROPPED:
        return cell.plane == ROUTE and cell.place != RELAY
    return cell.fault in (CLOCK_STEPPED, FILES_EXHAUSTED)


def chosen(wanted: Sequence[str]) -> list[FaultCell]:
    """Cells whose name has one of these words in it, or all of a word's parts that are joined by ``+``.

    Raises:
        ConfigError: a word that is in no cell's name.
    """
    cells = matrix()
    if not wanted:
        return cells
    found: set[FaultCell] = set()
    for word in wanted:
        these = {cell for cell in cells if all(part in cell.name for part in word.split("+"))}
        if not these:
            raise ConfigError(f"--cells {word}: no cell's name has that in it", hint="--list shows all names")
        found |= these
    return [cell for cell in cells if cell in found]


def drawn(cells: Sequence[FaultCell], share: float, seed: str) -> list[FaultCell]:
    """A share of the cells, at least one, drawn by ``seed``, in their order."""
    draw = random.Random(hashlib.sha256(seed.encode()).digest())
    count = max(1, round(share * len(cells)))
    picked = set(draw.sample(range(len(cells)), count)) if cells else set()
    return [cell for place, cell in enumerate(cells) if place in picked]
