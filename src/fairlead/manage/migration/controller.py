"""What the migration controller does now: all of its decisions, without any I/O or clock of its own."""

import statistics
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fairlead.cloud.inventory import Inventory
from fairlead.manage.migration.choice import (
    MigrationCandidate,
    MigrationChoice,
    MigrationSituation,
    RunProgress,
    choose_migration,
)
from fairlead.manage.migration.diagnosis import Diagnosis, Kind, diagnose
from fairlead.manage.migration.incoming import Incoming
from fairlead.manage.migration.settings import MigrationSettings
from fairlead.manage.migration.traffic import TrafficRates, rates_between

_MOST_SAMPLES = 60
_RECENT = 4
_MOST_LOST = 0.95
_NEARLY_ALL = 0.9
_ENOUGH = 3
_HARDLY_SLOW = 0.2
"""Share of the window: the program's own bursts make queues, too."""


@dataclass(frozen=True)
class Decision:
    """What to do, and why. ``move`` is None where everything stays."""

    move: MigrationCandidate | None
    server: str
    why: str


@dataclass(frozen=True)
class UnexpectedMove:
    """A machine of the job that is elsewhere than it was, and nobody here moved it."""

    vm: str
    source: str
    target: str


@dataclass
class _Run:
    """What is known of the program's run.

    Attributes:
        usual_bps: by machine, what came in while nothing was congested.
        recent: what came in at the last looks since something is congested.
        lost_s: time lost to congestion until now.
    """

    began_s: float
    expected_s: float | None
    usual_bps: dict[str, deque[float]] = field(default_factory=dict)
    recent: deque[TrafficRates] = field(default_factory=lambda: deque(maxlen=_RECENT))
    lost_s: float = 0.0


class MigrationController:
    """Decides for one job. Times are seconds of one clock, which every call gets.

    Args:
        job: names of the job's hosts, in the agents' order.
        expected_s: how long the program takes on a clean network, where earlier runs tell. Else a run is expected to go
            on for as long as it has gone on already: whoever stops waiting at twice what waiting has cost does at most
            twice as badly as one who knew (the ski rental problem).
    """

    def __init__(
        self,
        job: Sequence[str],
        now_s: float,
        expected_s: float | None = None,
        settings: MigrationSettings | None = None,
    ) -> None:
        self.settings = settings or MigrationSettings()
        self._job = list(job)
        self._incoming = Incoming(self.settings.window_s)
        self._run = _Run(now_s, expected_s)
        self._inventory: Inventory | None = None
        self._seen_s = now_s
        self._traffic = TrafficRates()
        self._judge_from_s = now_s + self.settings.first_look_s
        self._decide_from_s = now_s
        self._refused_until: dict[str, float] = {}
        self._failures = 0
        self._told: dict[str, tuple[str, float]] = {}

    def level(self, source: str, destination: str, level: str, now_s: float) -> None:
        """An agent says that a path has changed its level."""
        self._incoming.level((source, destination), level, now_s)

    def suspects(self, now_s: float) -> list[str]:
        """Machines whose incoming paths should be measured, used or not: those of servers with a slow path."""
        if self._inventory is None or now_s < self._judge_from_s:
            return []
        place = {vm.name: vm.server for vm in self._inventory.vms if vm.name in self._job}
        slow = {
            place[path[1]]
            for path in self._incoming.slow_now()
            if path[1] in place and place.get(path[0]) != place[path[1]]
        }
        return [vm for vm, server in place.items() if server in slow]

    def see(self, inventory: Inventory, now_s: float) -> list[UnexpectedMove]:
        """The cloud's present state; returns moves that the provider made by itself."""
        before, self._inventory = self._inventory, inventory
        if before is None:
            self._seen_s = now_s
            return []
        self._traffic = rates_between(before, inventory)
        found = [
            UnexpectedMove(vm.name, old.server, vm.server)
            for vm in inventory.vms
            for old in before.vms
            if vm.name == old.name and vm.name in self._job and vm.server != old.server
        ]
        for each in found:
            self._has_moved(each.vm, now_s)
        self._note_pace(now_s)
        return found

    def step(self, now_s: float, last_move_s: float | None = None) -> list[Decision]:
        """What to do now; at most one decision has a move. Reasons to stay are repeated only now and then.

        Args:
            last_move_s: when a machine of this site was moved last, by any controller.
        """
        if self._inventory is None or now_s < max(self._judge_from_s, self._decide_from_s):
            return []
        if self._failures >= self.settings.most_failures:
            return []
        found = self._diagnoses(now_s)
        decisions = []
        for diagnosis in found:
            decision = self._decide(diagnosis, found, now_s, last_move_s)
            if decision.move is not None:
                return [decision]
            if self._is_news(decision, now_s):
                decisions.append(decision)
        return decisions

    def late_s(self, move: MigrationCandidate) -> float:
        """A migration that takes longer is aborted."""
        return self.settings.late_factor * move.copy_s + self.settings.late_s

    def moved(self, move: MigrationCandidate, now_s: float) -> None:
        """A migration has ended well: its machine is where it was to go, until the cloud says otherwise."""
        assert self._inventory is not None
        self._failures = 0
        vms = tuple(replace(vm, server=move.target) if vm.name == move.vm else vm for vm in self._inventory.vms)
        self._inventory = replace(self._inventory, vms=vms)
        self._has_moved(move.vm, now_s)

    def failed(self, now_s: float) -> str:
        """A migration failed or was aborted; returns what that means, in words."""
        self._failures += 1
        self._decide_from_s = now_s + self.settings.dwell_s * 2**self._failures
        if self._failures >= self.settings.most_failures:
            return f"{self._failures} failed in a row, so nothing more is migrated"
        return f"nothing is tried for {self._decide_from_s - now_s:.0f} s"

    def told(self, now_s: float) -> None:
        """A dry run has said what would be moved; it says so again later, if that is still so."""
        self._decide_from_s = now_s + self.settings.repeat_s

    def refused(self, move: MigrationCandidate, now_s: float) -> None:
        """The cloud will not move anything to this target now."""
        self._refused_until[move.target] = now_s + self.settings.refused_s

    def _has_moved(self, vm: str, now_s: float) -> None:
        self._incoming.forget(vm)
        self._traffic = TrafficRates()
        self._judge_from_s = max(self._judge_from_s, now_s + self.settings.settle_s)
        self._run.recent.clear()

    def _diagnoses(self, now_s: float) -> list[Diagnosis]:
        assert self._inventory is not None
        return diagnose(self._inventory, self._traffic, self._incoming, self._job, now_s, self.settings)

    def _decide(
        self, diagnosis: Diagnosis, every: Sequence[Diagnosis], now_s: float, last_move_s: float | None
    ) -> Decision:
        server = diagnosis.server
        if diagnosis.kind in (Kind.PATH, Kind.UNKNOWN):
            return Decision(None, server, diagnosis.why)
        if diagnosis.kind is Kind.INCAST:
            return Decision(
                None, server, f"{diagnosis.why}: a migration would only move the problem. {self._placement(diagnosis)}"
            )
        choice = self._choose(diagnosis, every, now_s)
        why = f"{diagnosis.why}; {choice.why}"
        if choice.move is None:
            return Decision(None, server, why)
        if last_move_s is not None and now_s - last_move_s < self.settings.dwell_s:
            return Decision(None, server, f"{diagnosis.why}; the last migration was less than {self._dwell()} ago")
        return Decision(choice.move, server, why)

    def _choose(self, diagnosis: Diagnosis, every: Sequence[Diagnosis], now_s: float) -> MigrationChoice:
        assert self._inventory is not None
        congested = {each.server for each in every if each.kind is not Kind.PATH}
        refused = {server for server, until_s in self._refused_until.items() if now_s < until_s}
        progress = self._progress(diagnosis, now_s)
        situation = MigrationSituation(self._inventory, self._traffic, progress, congested, refused, self.settings)
        return choose_migration(diagnosis, situation)

    def _placement(self, diagnosis: Diagnosis) -> str:
        """What would help against the program's own incast: its machines apart, as far as there is room."""
        assert self._inventory is not None
        heavy = sorted(diagnosis.vms, key=lambda vm: -self._traffic.into([vm]))
        rates = ", ".join(f"{vm} gets {self._traffic.into([vm]) / 1e6:.0f} Mbit/s" for vm in heavy)
        if len(heavy) == 1:
            what = "place the ranks that send to it on its own server"
        else:
            what = "place the ranks that send to each other on one server, and receivers on different ones"
        return f"{rates}: {what}; `fairlead placement` computes where from a profile"

    def _note_pace(self, now_s: float) -> None:
        step_s, self._seen_s = now_s - self._seen_s, now_s
        if not self._traffic.vms or now_s < self._judge_from_s:
            return
        # Paths are found to be slow some time after they are: what is partly slow is neither usual nor congested.
        slow = max((self._incoming.slow_share((a, b), now_s) for a in self._job for b in self._job), default=0.0)
        found = [each for each in self._diagnoses(now_s) if each.kind is not Kind.PATH]
        if found:
            self._run.recent.append(self._traffic)
            self._run.lost_s += step_s * max(self._lost_share(each) for each in found)
        elif slow < _HARDLY_SLOW:
            self._run.recent.clear()
            for vm, rate in self._traffic.vms.items():
                self._run.usual_bps.setdefault(vm, deque(maxlen=_MOST_SAMPLES)).append(rate.in_bps)

    def _usual_bps(self) -> dict[str, float]:
        """By machine, nearly the most that came in without congestion; nothing until that was seen for a while.

        The program's start is no measure of what it needs.
        """
        seen = {vm: sorted(rates) for vm, rates in self._run.usual_bps.items() if len(rates) >= _ENOUGH}
        return {vm: rates[round(_NEARLY_ALL * (len(rates) - 1))] for vm, rates in seen.items()}

    def _lost_share(self, diagnosis: Diagnosis) -> float:
        """By how much less comes into a server's machines than usual; where no usual time was seen, others' share.

        Other machines' traffic does not count: it may go on until the program waits for the slow ones.
        """
        vms = list(diagnosis.vms)
        usual_bps = sum(self._usual_bps().get(vm, 0.0) for vm in vms)
        if not usual_bps or not self._run.recent:
            return min(_MOST_LOST, diagnosis.foreign_share or 0.0)
        now_bps = statistics.fmean(traffic.into(vms) for traffic in self._run.recent)
        return min(_MOST_LOST, max(0.0, 1.0 - now_bps / usual_bps))

    def _progress(self, diagnosis: Diagnosis, now_s: float) -> RunProgress:
        """A run that should have ended already is expected to go on for as long as it is late."""
        run, lost = self._run, self._lost_share(diagnosis)
        rest_s = elapsed_s = now_s - run.began_s
        if run.expected_s is not None:
            left_s = run.expected_s - (elapsed_s - run.lost_s)
            rest_s = left_s / (1.0 - lost) if left_s > 0 else -left_s
        return RunProgress(lost, rest_s, self._usual_bps())

    def _is_news(self, decision: Decision, now_s: float) -> bool:
        """Whether this reason was not told of the server lately; numbers in it may differ."""
        words = "".join(char for char in decision.why if not char.isdigit())
        before = self._told.get(decision.server)
        if before is not None and before[0] == words and now_s - before[1] < self.settings.repeat_s:
            return False
        self._told[decision.server] = (words, now_s)
        return True

    def _dwell(self) -> str:
        return f"{self.settings.dwell_s:g} s"
