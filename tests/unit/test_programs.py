"""Programs by name or path, and what they say of themselves."""

from pathlib import Path

import pytest

from fairlead import native
from fairlead.errors import MissingToolError
from fairlead.programs import Verdict, resolve, verdict


def test_bundled_program_is_found_for_its_mpi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "mpi" / "mpich" / "bin" / "cg"
    program.parent.mkdir(parents=True)
    program.touch()
    monkeypatch.setenv(native.ENVIRONMENT_VARIABLE, str(tmp_path))
    assert resolve(["cg", "--class", "S"], "mpich", 4) == (str(program), "--class", "S")
    with pytest.raises(MissingToolError, match="cg was not built for openmpi"):
        resolve(["cg"], "openmpi", 4)


def test_other_programs_stay_as_they_are() -> None:
    assert resolve(["./cg", "-x"], "openmpi", 4) == ("./cg", "-x")
    assert resolve(["cg"], None, 4) == ("cg",)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (b"", Verdict()),
        (b"hello\n{not json\n", Verdict()),
        (b'{"verified": true, "seconds": 2}\nbye\n', Verdict(True, 2.0, {"verified": True, "seconds": 2})),
        (b'{"verified": false}\n{ x\n', Verdict(False, None, {"verified": False})),
        (b'{"verified": "yes", "seconds": true}\n', Verdict(None, None, {"verified": "yes", "seconds": True})),
    ],
)
def test_verdict_is_the_last_json_line(output: bytes, expected: Verdict) -> None:
    assert verdict(output) == expected
