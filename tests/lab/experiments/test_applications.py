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
    "neighbours": '["none"]',
    "replications.count": "1",
    "run.expected_s": "5",
}
RESULTS = {"melt": "TotEng", "ions": "TotEng", "silicon": "total energy"}


@pytest.mark.drawn
@pytest.mark.parametrize(("program", "number"), RESULTS.items(), ids=RESULTS)
def test_an_application_computes_the_same_whatever_is_beside_it(tmp_path: Path, program: str, number: str) -> None:
    changes = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
    changes += ["--set", f'program=["{program}"]']
    done = CliRunner().invoke(command, ["evaluate", str(PLAN), *changes, "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    with Store.read(tmp_path) as store:
        record = dataset.find(store)
        data = dataset.load(store, record)
        results = store.series_of_children(record.id, RESULT)
    assert data.series == "timed_section_s"
    assert len(data.cells) == 2 * 2
    assert not data.failed
    assert not data.deviations
    compared = {
        tuple(series.labels[name] for name in ("command", "environment", "mpirun", "ranks"))
        for found in results.values()
        for series in found
    }
    assert len(compared) == 1, "all runs are held against each other"
    told = {
        run: (bool(series.labels["disturbed"]), series.scalar())
        for run, found in results.items()
        for series in found
        if series.labels["number"] == number
    }
    of_cells = {run for cell in data.cells for run in cell.runs.tolist()}  # not that by which rates were chosen
    assert sorted(told[run][0] for run in of_cells) == [False, True, True, True]
    values = [value for _, value in told.values()]
    assert max(values) == pytest.approx(min(values), rel=1e-6)
