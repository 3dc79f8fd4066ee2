"""What the command line says to those who type it in another order."""

from pathlib import Path

from click.testing import CliRunner

from fairlead.cli.main import command


def test_a_benchmark_without_cluster_says_where_the_cluster_belongs() -> None:
    done = CliRunner().invoke(command, ["measure", "impact", "--quick"], prog_name="fairlead")
    assert done.exit_code == 2
    assert done.output.splitlines()[-1] == "Error: CLUSTER comes first: fairlead measure CLUSTER impact --quick"


def test_an_import_names_no_cluster() -> None:
    done = CliRunner().invoke(command, ["measure", "import", "--help"], prog_name="fairlead")
    assert done.exit_code == 0
    assert done.output.splitlines()[0] == "Usage: fairlead measure import [OPTIONS] FORMAT FILE.."


def test_a_launch_line_of_ones_own_names_its_mpirun(tmp_path: Path) -> None:
    (tmp_path / "c.toml").touch()
    line = ["--own-mpirun", "--mpirun", "mpirun.mpich", "--", "mpirun", "./x"]
    for words in (["run", str(tmp_path / "c.toml"), *line], ["profile", *line]):
        done = CliRunner().invoke(command, words, prog_name="fairlead")
        assert done.exit_code == 2
        assert done.output.splitlines()[-1] == (
            "Error: --mpirun: with --own-mpirun the launch line names its mpirun: leave --mpirun out"
        )
