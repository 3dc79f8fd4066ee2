"""The same managed runs without a fault: how long a program takes whose pair stays on its detour."""

from bench.faults import direct, injections, runs
from bench.faults.cells import AGENT_KILLED, DESTINATION, FaultCell
from bench.faults.direct import Direct
from bench.faults.hosts import ENDS, MANAGED, Hosts
from bench.faults.programs import command
from bench.faults.traffic import watched


def measure(hosts: Hosts, usual: Direct, cell: FaultCell) -> None:
    """Run a cell's program as the cell does, and hurt nothing; adds to ``usual.unhurt_s``.

    One run for each plane and program: cells whose program is longer take as many times as long.

    Raises:
        MeasurementError: it did not end, or did not verify.
    """
    length = injections.length(FaultCell(cell.plane, cell.reroutes, cell.program, DESTINATION, AGENT_KILLED))
    words = command(cell.program, round(usual.iterations[cell.program] * length))
    destination = ENDS[DESTINATION]
    peers = [host for host in MANAGED if host != destination]
    with (
        watched(hosts, destination, peers) as traffic,
        runs.started(hosts.cluster_file, runs.options(cell.plane, cell.reroutes), words, hosts.directory) as run,
    ):
        begin_s = direct.flowing(traffic, run, direct.TRIAL_LIMIT_S)
        direct.end(run, direct.TRIAL_LIMIT_S)
        usual.unhurt_s[cell.plane, cell.program] = (direct.last_progress_s(traffic) - begin_s) / length
