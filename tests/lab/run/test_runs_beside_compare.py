"""Managed runs with the results directory of a comparison that goes on: none of them waits, and all are kept."""

import json
from pathlib import Path

import pytest
from managed_runs import REROUTED, cluster_file, comparison_text, mesh_text, nothing_left, once, run, start, traffic

from fairlead import lab as labs
from fairlead.store import Store, apart

pytestmark = [pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow, pytest.mark.timeout(300)]


def test_runs_beside_a_comparison(lab: labs.Lab, tmp_path: Path) -> None:
    results = tmp_path / "results"
    (tmp_path / "lab.toml").write_text(mesh_text("beside"))
    (tmp_path / "plan.toml").write_text(comparison_text("beside"))
    file = cluster_file(lab, tmp_path)
    with start("compare", tmp_path / "plan.toml", "--results", results, results=results) as comparison:
        comparison.wait_to_hear("run 1 of 4")
        runs = [run(file, *REROUTED, program=traffic(2, seed), results=results) for seed in (1, 2)]
        for each in runs:
            with each:
                assert each.end() == 0, each.text()
        assert comparison.process.poll() is None, "it was over before the runs were"
        numbers = [int(each.text().splitlines()[-1].rpartition("--run ")[2]) for each in runs]
        for number in numbers:  # the comparison holds the store
            said = once("report", results, "--run", number, "--output", tmp_path / "run.html")
            assert said.returncode == 0, said.stderr
        listed = json.loads(once("report", results, "--list", "--json").stdout)
        assert [(each["run"], each["status"]) for each in listed if each["kind"] == "run"] == [
            (number, "ok") for number in sorted(numbers)
        ]
        assert comparison.end(200) == 0, comparison.text()
    assert nothing_left(lab)
    assert apart.stores(results) == []
    with Store.read(results) as store:
        (experiment,) = store.runs("experiment")
        assert experiment.status == "ok"
        assert len(store.runs("run", parent=experiment.id)) == 5  # the pilot and one of each scenario
        alone = [each for each in store.outermost_runs() if each.kind == "run"]
        assert [each.id for each in alone] == sorted(numbers)
        assert all(store.events(each.id, "rerouted") for each in alone)
        assert len({each.id for each in store.runs()}) == len(store.runs())
