"""The two programs of the matrix, and how long they are made to run."""

from bench.faults.cells import CG, RING

# (before the number of iterations, after it). Both verify their result.
COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    CG: (("cg", "--class", "W", "--iterations"), ()),
    RING: (("nbody", "--particles", "256", "--payload", "8192", "--steps"), ()),  # blocks of 1 MiB go round
}
LENGTH_S = 6.0  # without fairlead, where nothing is hurt
TRIED = {CG: 30, RING: 20}
PROCESS = {CG: "cg", RING: "nbody"}


def command(program: str, iterations: int) -> list[str]:
    """Its words."""
    before, after = COMMANDS[program]
    return [*before, str(iterations), *after]
