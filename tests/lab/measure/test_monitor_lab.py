"""The message monitor over the hosts of a lab: what it counts is what `fairlead profile` counts; nothing is left."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

from fairlead.analysis.runs import communication
from fairlead.cli.main import command
from fairlead.lab import Lab
from fairlead.store import Store

pytestmark = [pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow]
PROGRAM = ["nbody", "--particles", "1536", "--payload", "64", "--steps", "150"]


def fairlead(*words: str) -> Result:
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.exception is None, done.output
    assert not done.return_value, done.output
    return done


def test_every_message_between_hosts_is_seen(lab: Lab, tmp_path: Path) -> None:
    cluster, stored, results = tmp_path / "three.cluster.toml", tmp_path / "nbody.json", tmp_path / "results"
    cluster.write_text(lab.cluster_file_text())
    fairlead("profile", "--cluster", str(cluster), "-n", "3", "--json", str(stored), "--", *PROGRAM)
    profile = json.loads(stored.read_text())
    kept = tmp_path / "kept"  # in this machine's /tmp: the hosts have their own
    monitored = ["run", str(cluster), "-n", "3", "--no-detection", "--monitor", "--messages", str(kept)]
    monitored += ["--results", str(results)]
    fairlead(*monitored, "--", *PROGRAM)
    with Store.open(results) as store:
        found = communication.read(store, store.runs("run")[-1])
    assert found is not None
    assert (found.dropped, found.mismatches) == (0, 0)
    hosts = profile["hosts"]
    counted = {
        (hosts[i], hosts[j]): (profile["host_messages"][i][j], profile["host_bytes_B"][i][j])
        for i in range(3)
        for j in range(3)
        if i != j and profile["host_messages"][i][j]
    }
    assert {pair: (times.messages, times.size_B) for pair, times in found.pairs.items()} == counted
    fairlead("export", str(kept), "--format", "parquet", "--output", str(tmp_path / "tables"))
    messages = pyarrow.parquet.read_table(tmp_path / "tables" / "messages.parquet")
    assert messages["receive_done_s"].null_count == messages["send_done_s"].null_count == 0
    listed = zip(messages["source_host"].to_pylist(), messages["destination_host"].to_pylist(), strict=True)
    numbers = Counter((source, destination) for source, destination in listed if source != destination)
    assert numbers == {pair: number for pair, (number, _) in counted.items()}
    for times in found.pairs.values():
        assert times.known_s <= times.waited_s + 1e-9
        assert times.network_s + times.late_sender_s == pytest.approx(times.known_s)
        assert times.latency_s is not None
        assert times.clock_error_s > 0
    for host in hosts:
        listed = subprocess.run(lab.enter_command(host, ["ls", "/dev/shm"]), capture_output=True, text=True, check=True)
        assert "fairlead" not in listed.stdout
