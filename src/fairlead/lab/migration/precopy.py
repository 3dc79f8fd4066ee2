"""Pre-copy live migration as pure arithmetic: what each round copies, and when the rest is small enough to pause for.

Memory is copied while the machine runs; what it writes meanwhile is copied again, round after round, until the rest
can be copied within the permitted downtime (Clark et al., NSDI 2005, section 3).
"""

from dataclasses import dataclass

from fairlead.lab.topology import LabVm

MOST_ROUNDS = 30
"""As many as QEMU's and Xen's users see before they call a migration one that does not converge."""


@dataclass(frozen=True)
class PrecopyRound:
    """One round: ``size_B`` copied in ``time_s``."""

    size_B: int
    time_s: float

    @property
    def rate_Bps(self) -> float:
        return self.size_B / self.time_s if self.time_s > 0 else float("inf")


def left_after(rounds: list[PrecopyRound], vm: LabVm) -> int:
    """Bytes still to be copied: all of memory at first, then what the last round's time let the machine write."""
    if not rounds:
        return vm.memory_B
    return min(vm.memory_B, round(vm.dirty_Bps * rounds[-1].time_s))


def may_pause(rounds: list[PrecopyRound], vm: LabVm) -> bool:
    """Whether the rest fits into the permitted downtime at the last round's rate."""
    return bool(rounds) and left_after(rounds, vm) <= vm.downtime_s * rounds[-1].rate_Bps


def gives_up(rounds: list[PrecopyRound], vm: LabVm) -> str | None:
    """Why copying goes on for ever, in words; None while it may still end."""
    if len(rounds) < MOST_ROUNDS or may_pause(rounds, vm):
        return None
    written, copied = vm.dirty_Bps * 8e-6, rounds[-1].rate_Bps * 8e-6
    return (
        f"it does not converge: after {len(rounds)} rounds {left_after(rounds, vm)} B are left; the machine writes"
        f" {written:.1f} Mbit/s and {copied:.1f} Mbit/s are copied"
    )


def expected_time_s(vm_memory_B: float, dirty_Bps: float, rate_Bps: float, downtime_s: float) -> float:
    """How long the copy takes at a steady rate; infinite if the machine writes too fast, as `gives_up` has it.

    The rounds are a geometric series with the ratio dirty / rate that ends when a round fits into the downtime.
    """
    if rate_Bps <= 0 or dirty_Bps >= rate_Bps:
        return float("inf")
    time_s = total_s = vm_memory_B / rate_Bps
    ratio = dirty_Bps / rate_Bps
    for _ in range(MOST_ROUNDS):
        time_s *= ratio
        total_s += time_s
        if time_s <= downtime_s:
            return total_s
    return float("inf")
