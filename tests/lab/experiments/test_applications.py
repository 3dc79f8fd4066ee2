"""The plan of applications from Debian's packages, in its smallest form: each tells its time and repeats its result."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.analysis.evaluations import dataset
from fairlead.analysis.program_results import RESULT
from fairlead.cli.main import command
from fairlead.store import Store

MISSING = [program for program in ("lmp", "pw.x", "hpcc") if shutil.which(program) is None]
pytestmark = [
    *(pytest.mark.userns, pytest.mark.mpi, pytest.mark.slow, pytest.mark.timeout(1200)),
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)}: not installed (make verify installs them)"),
]

PLAN = Path(__file__).parents[3] / "examples" / "evaluate" / "applications.toml"
SMALL = {
    "program": '["melt", "ions", "silicon"]',
    "neighbours": '["none"]',
    "replications.count": "1",
    "run.expected_s": "5",
}
RESULTS = {"melt": "TotEng", "ions": "TotEng", "silicon": "total energy"}


def test_applications_compute_the_same_whatever_is_beside_them(tmp_path: Path) -> None:
    changes = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
    done = CliRunner().invoke(command, ["evaluate", str(PLAN), *changes, "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    with Store.read(tmp_path) as store:
        record = dataset.find(store)
        data = dataset.load(store, record)
        results = store.series_of_children(record.id, RESULT)
    assert data.series == "timed_section_s"
    assert len(data.cells) == 3 * 2 * 2
    assert not data.failed
    assert not data.deviations
    programs = {run.id: str(run.labels["program"]) for run in data.rows}
    compared = {
        tuple(series.labels[name] for name in ("command", "environment", "mpirun", "ranks"))
        for found in results.values()
        for series in found
    }
    assert len(compared) == 3, "each program's runs are held against each other"
    for program, number in RESULTS.items():
        told = [
            (bool(series.labels["disturbed"]), series.scalar())
            for run, found in results.items()
            for series in found
            if programs.get(run) == program and series.labels["number"] == number
        ]
        assert len(told) == 4
        assert sorted(disturbed for disturbed, _ in told) == [False, True, True, True]
        assert max(value for _, value in told) == pytest.approx(min(value for _, value in told), rel=1e-6)
