"""Which addresses are this machine's."""

from pathlib import Path

import pytest

from fairlead.cluster import addresses
from fairlead.cluster.addresses import LauncherAddress
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.doctor.examine import examine
from fairlead.cluster.jobs.launch import prepare
from fairlead.errors import LaunchError


def test_own_addresses() -> None:
    assert addresses.is_own("127.0.0.1")
    assert not addresses.is_own("192.0.2.77")  # for documentation only: RFC 5737


def test_the_address_towards_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert addresses.towards("127.0.0.1") == LauncherAddress("127.0.0.1", "lo")
    (tmp_path / "ip").write_text("#!/bin/sh\necho RTNETLINK answers: Network is unreachable >&2; exit 2\n")
    (tmp_path / "ip").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(LaunchError, match=r"this machine, where mpirun is to run, has no route to 10\.1\.1\.1"):
        addresses.towards("10.1.1.1")


def test_a_job_knows_whether_mpirun_runs_on_one_of_its_hosts() -> None:
    """Nor is this machine told of twice where it is all there is."""
    here = Host("here", "127.0.0.1", interface="lo")
    cluster = Cluster("c", "ssh", (here,))
    assert prepare(cluster, ["true"], 1, job_id="1f3a9c02", launcher="openmpi4")[1].launcher_address is None
    apart = Cluster("c", "local", (Host("there", "192.0.2.77", interface="lo"),), mpirun="no-such-mpirun")
    assert [found.check for found in examine(apart) if "no-such-mpirun" in found.text] == ["mpirun"]
    assert prepare(apart, ["true"], 1, job_id="1f3a9c02", launcher="openmpi4")[1].launcher_address is None
