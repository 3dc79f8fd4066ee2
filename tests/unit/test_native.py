"""Where compiled programs are, and what is said where they are not: after `make demo`, or for one MPI only."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead import native
from fairlead.cli.demo import command as demo
from fairlead.errors import MissingToolError
from fairlead.programs import needs, resolve

DEMO = ("bin/fairlead-agent", "bin/fairlead-guardian", "mpi/openmpi/bin/cg", "mpi/openmpi/bin/nbody")


def build(directory: Path, names: Iterable[str]) -> None:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs are: those of `make demo`."""
    build(tmp_path, DEMO)
    monkeypatch.setenv(native.ENVIRONMENT_VARIABLE, str(tmp_path))
    return tmp_path


def test_what_the_demo_needs_is_found(built: Path) -> None:
    assert native.is_part()
    assert native.program("fairlead-agent") == built / "bin/fairlead-agent"
    assert resolve(["cg", "--class", "S"], "openmpi") == (str(built / "mpi/openmpi/bin/cg"), "--class", "S")


def test_what_the_demo_does_not_need_is_told_with_the_command_that_builds_it(built: Path) -> None:
    for what in (lambda: native.program("fairlead-noise"), lambda: native.library("libfairlead.so")):
        with pytest.raises(MissingToolError) as told:
            what()
        assert told.value.message.endswith(" was not built: `make demo` builds only what it needs")
        assert told.value.hint == "`make setup` in fairlead's source tree builds the rest, in a few minutes"
    for argv, family in ((["ep"], "openmpi"), (["cg"], "mpich")):
        with pytest.raises(MissingToolError) as told:
            resolve(argv, family)
        assert told.value.message == (
            f"the bundled program {argv[0]} was not built for {family}: `make demo` builds only what it needs"
        )
        assert "make setup" in told.value.hint


def test_where_all_was_built_it_is_a_matter_of_the_mpi(built: Path) -> None:
    build(built, ["lib/libfairlead.so"])
    assert not native.is_part()
    with pytest.raises(MissingToolError) as told:
        native.mpi_program("mpich", "cg")
    assert told.value.message == "the bundled program cg was not built for mpich"
    assert told.value.hint.startswith("install mpich's development package and run `make setup`")
    with pytest.raises(MissingToolError, match=r"/bin/fairlead-noise was not built\n  run `make setup`; it lists"):
        native.program("fairlead-noise")


def test_a_plan_s_programs_are_looked_for_before_anything_runs(built: Path) -> None:
    assert needs.not_built(["cg", "--class", "A"]) is None
    assert needs.not_built(["./ep"]) is None
    missing = needs.not_built(["ep"])
    assert missing is not None
    assert missing.message == "ep was not built: `make demo` builds only what it needs"
    build(built, ["lib/libfairlead.so"])
    assert needs.not_built(["ep"]) is None  # which MPI is to start it is not known yet


def test_the_live_demo_says_at_once_that_it_needs_the_rest(built: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(demo, ["--results", str(tmp_path / "results")], standalone_mode=False)
    assert isinstance(done.exception, MissingToolError)
    assert str(done.exception) == (
        "libfairlead.so was not built: `make demo` builds only what it needs\n"
        "  `make setup` in fairlead's source tree builds the rest, in a few minutes"
    )
    assert done.output == ""
    assert not (tmp_path / "results").exists()
