"""A user's NPB tree: built, known by short names, run and compared. The tree here is a stand-in with NPB's layout."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fairlead.cli.main import command
from fairlead.errors import ConfigError, FairleadError, MissingToolError
from fairlead.programs import Verdict, npb, resolve, verdict, workloads

SOURCE = Path(__file__).with_name("npb_tree")
MAIN = [sys.executable, "-c", "from fairlead.cli.main import main; main()"]

REPORT = """
 CG Benchmark Completed.
 Class           =                        A
 Size            =                    14000
 Iterations      =                       15
 Time in seconds =                     1.25
 Total processes =                        8
 Active processes=                        8
 Mop/s total     =                  1196.80
 Mop/s/process   =                   149.60
 Operation type  =           floating point
 Verification    =               SUCCESSFUL
 Version         =                    3.4.3
"""


def test_a_report_is_read() -> None:
    assert npb.report(REPORT.encode()) == npb.NpbReport("cg", "A", 1.25, 8, True, 1196.8)
    said = verdict(b"noise\n" + REPORT.encode())
    assert (said.verified, said.timed_s) == (True, 1.25)
    assert said.data is not None and said.data["processes"] == 8


@pytest.mark.parametrize(
    ("change", "verified"),
    [(("  SUCCESSFUL", "UNSUCCESSFUL"), False), (("  SUCCESSFUL", "NOT PERFORMED"), None)],
)
def test_verification_in_all_its_words(change: tuple[str, str], verified: bool | None) -> None:
    found = npb.report(REPORT.replace(*change).encode())
    assert found is not None
    assert found.verified is verified


@pytest.mark.parametrize(
    "change",
    [("1.25", "****"), ("1.25", "nan"), (" Time in seconds", " Time"), ("  SUCCESSFUL", "  PERHAPS"), ("8\n", "\n")],
)
def test_half_a_report_is_none(change: tuple[str, str]) -> None:
    assert npb.report(REPORT.replace(*change).encode()) is None
    assert verdict(REPORT.replace(*change).encode()) == Verdict()


def test_process_counts() -> None:
    allowed = {app: [ranks for ranks in range(1, 19) if npb.runs_on(app, ranks)] for app in npb.APPS}
    assert allowed["bt"] == allowed["sp"] == [1, 4, 9, 16]
    assert allowed["cg"] == allowed["ft"] == allowed["is"] == allowed["mg"] == [1, 2, 4, 8, 16]
    assert allowed["lu"] == [1, 2, 4, 6, 8, 9, 12, 15, 16, 18]
    assert allowed["ep"] == list(range(1, 19))
    with pytest.raises(ConfigError, match=r"bt\.A does not run on 8 processes: BT needs a square number\n  use -n 4"):
        npb.check_ranks(npb.NpbProgram("bt", "A"), 8)
    with pytest.raises(ConfigError, match=r"cg\.B does not run on 12 .*power of two\n  use -n 8 or -n 16"):
        npb.check_ranks(npb.NpbProgram("cg", "B"), 12)


@pytest.mark.parametrize("name", ["dt.A", "cg.X", "cg", ".A"])
def test_what_is_no_benchmark(name: str) -> None:
    with pytest.raises(ConfigError, match="is not a benchmark of NPB"):
        npb.NpbProgram.parse(name)


def test_a_directory_that_is_no_tree(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a source tree of NPB's MPI version"):
        npb.tree(tmp_path)
    shutil.copytree(SOURCE, tmp_path / "NPB3.4-MPI")
    with pytest.raises(ConfigError, match=r"config/make\.def: not found"):
        npb.tree(tmp_path)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree that is configured for Open MPI, in a directory as NPB's archive makes it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    found = tmp_path / "NPB3.4.3" / "NPB3.4-MPI"
    shutil.copytree(SOURCE, found)
    (found / "config" / "make.def").write_text("MPICC = mpicc.openmpi\nCFLAGS = -O\n")
    return found


def invoke(*words: str | Path) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], standalone_mode=False)


@pytest.mark.mpi
def test_built_known_and_run(root: Path, tmp_path: Path) -> None:
    done = invoke("workload", "add", "npb", root.parent, "--apps", "cg", "--classes", "S,A")
    assert done.exception is None
    assert done.output.split() == [str(root / "bin" / name) for name in ("cg.S.x", "cg.A.x")]
    listed = invoke("workload", "list").output.splitlines()
    assert listed == [f"npb: {root}", "  npb:cg.S  openmpi", "  npb:cg.A  openmpi"]
    cluster = tmp_path / "here.toml"
    cluster.write_text(
        '[cluster]\nname = "here"\nexecutor = "local"\ninterface = "lo"\nmpirun = "mpirun.openmpi"\n'
        'cores_shared = true\n[[hosts]]\nname = "localhost"\naddress = "127.0.0.1"\nslots = 4\n'
    )
    words = ["run", str(cluster), "-n", "2", "--no-agents", "--results", str(tmp_path / "results"), "--", "npb:cg.A"]
    ran = subprocess.run([*MAIN, *words], capture_output=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    said = verdict(ran.stdout)
    assert (said.verified, said.timed_s) == (True, 1.25)
    refused = subprocess.run([*MAIN, *words[:3], "3", *words[4:]], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "cg.A does not run on 3 processes: CG needs a power of two\n  use -n 2 or -n 4" in refused.stderr
    cluster.write_text(cluster.read_text().replace("mpirun.openmpi", "mpirun.mpich"))
    refused = subprocess.run([*MAIN, *words], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "cg.A.x: was built for openmpi, and mpirun is mpich's\n  name openmpi's mpirun" in refused.stderr
    with pytest.raises(MissingToolError, match=r"mg\.A\.x: was not built\n.*--apps mg --classes A"):
        resolve(["npb:mg.A"], "openmpi", 4)
    assert invoke("workload", "remove", "npb").exception is None
    assert json.loads(workloads.registry_file().read_text()) == {}
    with pytest.raises(ConfigError, match="npb was not added"):
        resolve(["npb:cg.S"], "openmpi", 4)


GFORTRAN = """Error: Rank mismatch between actual argument at (1) and actual argument at (2) (scalar and rank-1)
Error: Hexadecimal constant at (1) uses nonstandard X instead of Z [see '-fno-allow-invalid-boz']
"""


def test_what_gfortran_wants_is_told(root: Path) -> None:
    """As of NPB 3.4 with the options that its template has."""
    (root / "refused").write_text(GFORTRAN)
    for line in (1, 2):
        (root / "Makefile").write_text(f"mg:\n\tsed -n {line}p refused; exit 1\n")
        with pytest.raises(FairleadError) as told:
            npb.build(root, npb.NpbProgram("mg", "S"))
        assert "FFLAGS = -O3 -fallow-argument-mismatch -fallow-invalid-boz" in told.value.hint
    (root / "refused").write_text(GFORTRAN.replace("Error", "Warning"))
    with pytest.raises(FairleadError) as told:
        npb.build(root, npb.NpbProgram("mg", "S"))
    assert told.value.hint == ""


@pytest.mark.mpi
def test_what_make_said_is_told(root: Path) -> None:
    with pytest.raises(FairleadError, match=r"`make is CLASS=S` did not make bin/is\.S\.x:\n(.|\n)*IS/is\.c: no such"):
        npb.build(root, npb.NpbProgram("is", "S"))
    done = invoke("workload", "add", "npb", root, "--apps", "is", "--classes", "S")
    assert isinstance(done.exception, FairleadError)
    assert workloads.trees() == {}


def test_a_registry_that_is_broken(root: Path) -> None:
    workloads.add("npb", root)
    workloads.registry_file().write_text("{")
    with pytest.raises(ConfigError, match=r"workloads\.json: cannot be read"):
        workloads.trees()
