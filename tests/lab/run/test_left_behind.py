"""What the fault matrix looks for at the end of each cell is found where it is there."""

import os
import signal
from pathlib import Path

import pytest
from bench.faults import cells, runs
from bench.faults.hosts import MANAGED, OURS, PROGRAMS, kill_all, network
from bench.faults.programs import command

pytestmark = [
    pytest.mark.root,
    pytest.mark.mpi,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="faults are made as root"),
]
STRAY = "/dev/shm/fairlead-stray"


def test_all_that_a_killed_run_leaves_is_seen(tmp_path: Path) -> None:
    with network(tmp_path) as hosts:
        assert hosts.left_behind() == []
        options = runs.options(cells.ROUTE, cells.BY_HAND)
        with runs.started(hosts.cluster_file, options, command(cells.CG, 10**6), tmp_path) as run:
            assert runs.wait_for(lambda: run.relay_of("h0", "h1") and hosts.processes("h1", "cg"), 30), run.text()
            run.process.send_signal(signal.SIGSTOP)  # it shall not clean
            for host in MANAGED:
                for name in reversed(OURS):
                    kill_all(hosts.processes(host, name))
            run.process.kill()
            run.process.wait()
        hosts.run("h3", f"touch {STRAY}")
        found = hosts.left_behind()
        for host in MANAGED:
            kinds = {line.split()[1] for line in found if line.startswith(f"{host}: ")}
            assert {"device", "rule", "route", "filter"} <= kinds, found
        assert {"h0: process cg", "h1: process cg", "h0: process mpirun.openmpi", "h1: process orted"} <= set(found)
        assert "of the run: process fairlead-enter" in found  # what mpirun was started by, in no host
        assert f"h3: file {STRAY}" in found
        assert len(runs.noted()) == 1
        runs.clean()
        assert runs.noted() == []
        hosts.run("h3", f"rm {STRAY}")
        for host in MANAGED:
            for name in PROGRAMS:
                kill_all(hosts.processes(host, name))
        assert runs.wait_for(lambda: not hosts.left_behind(), 10), hosts.left_behind()
