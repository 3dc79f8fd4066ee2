"""Programs by name or path, and what they say of themselves."""

from pathlib import Path

import pytest

from fairlead import native
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster, Host
from fairlead.cluster.job import Job
from fairlead.errors import MissingToolError, NoProgramError
from fairlead.programs import Verdict, failure, linkage, looked_at, resolve, verdict
from fairlead.programs.linkage import Linkage


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


def test_a_misspelt_bundled_program_is_told_with_the_right_one(tmp_path: Path) -> None:
    (tmp_path / "here.toml").write_text(
        '[cluster]\nname = "here"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
    )
    cluster = load_cluster(tmp_path / "here.toml")
    for word, hint in (("nbdoy", "did you mean nbody, which comes with fairlead"), ("./nbdoy", "name an executable")):
        with pytest.raises(NoProgramError, match=rf"a: \S*{word.lstrip('.')} was not found\n  {hint}"):
            looked_at(cluster, Job("0a0b0c0d", (word,), ("a", "a")), "openmpi")


def test_a_program_for_another_processor_is_told_before_it_starts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    linkages = {"a": Linkage(), "b": Linkage(foreign=True), "c": Linkage(foreign=True)}
    monkeypatch.setattr(linkage, "on_hosts", lambda *_: linkages)
    cluster = Cluster("c", "ssh", tuple(Host(name, "127.0.0.1") for name in linkages))
    looked_at(cluster, Job("0a0b0c0d", ("/opt/solver",), tuple(linkages)), "openmpi")
    (line,) = caplog.messages
    assert line.startswith("b and 1 more: /opt/solver was built for another processor or word length, and starts")


@pytest.mark.parametrize(
    ("program", "way_out"),
    [
        ("nbdoy", "did you mean nbody, which comes with fairlead?"),
        ("no-such-solver", "name its path on the hosts, or let `fairlead run --bring FILE` copy it there"),
    ],
)
def test_a_name_that_is_in_nobody_s_path_is_told_before_mpirun_looks_for_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, program: str, way_out: str
) -> None:
    monkeypatch.setattr(linkage, "on_hosts", lambda *_: {"a": linkage.read("absent\n"), "b": linkage.read("absent\n")})
    cluster = Cluster("c", "ssh", (Host("a", "127.0.0.1"), Host("b", "127.0.0.2")))
    looked_at(cluster, Job("0a0b0c0d", (program,), ("a", "b")), "openmpi")
    assert caplog.messages == [f"a and 1 more: {program} is not in PATH there, nor on this machine: {way_out}"]
    caplog.clear()
    looked_at(cluster, Job("0a0b0c0d", ("sh",), ("a", "b")), "openmpi")  # a module may have put it into PATH here
    assert caplog.messages == []


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (b"", Verdict()),
        (b"hello\n{not json\n", Verdict()),
        (b'{"verified": true, "seconds": 2}\nbye\n', Verdict(True, 2.0, {"verified": True, "seconds": 2})),
        (b'{"verified": false}\n{ x\n', Verdict(False, None, {"verified": False})),
        (b'{"verified": true}\n' + b'{"a":' * 100_000, Verdict(True, None, {"verified": True})),
        (b'{"verified": "yes", "seconds": true}\n', Verdict(None, None, {"verified": "yes", "seconds": True})),
    ],
)
def test_verdict_is_the_last_json_line(output: bytes, expected: Verdict) -> None:
    assert verdict(output) == expected


NPB_REPORT = b"""
 CG Benchmark Completed.
 Class           =                        A
 Time in seconds =                     1.20
 Total processes =                        8
 Mop/s total     =                  1247.55
 Verification    =%s
"""


@pytest.mark.parametrize(
    ("program", "exit_code", "output", "expected"),
    [
        ("cg", 0, b'{"verified": true, "seconds": 2}\n', None),
        ("cg", 3, b'{"verified": true, "seconds": 2}\n', "exit code 3"),
        ("cg", 0, b'{"verified": false, "seconds": 2}\n', "its result is not verified"),
        # Another process's words in the middle of the line.
        ("cg", 0, b'{"verified": false, "sec[h0] warning\nonds": 2}\n', "its output holds no verdict that can be read"),
        ("cg", 0, b"", "its output holds no verdict that can be read"),
        ("npb:cg.A", 0, NPB_REPORT % b"SUCCESSFUL", None),
        ("npb:cg.A", 0, NPB_REPORT % b"NOT PERFORMED", None),
        # Lines of others', such as a path, may be in any encoding.
        ("npb:cg.A", 0, NPB_REPORT % b"SUCCESSFUL" + b" written to = /home/jos\xe9\n", None),
        ("npb:cg.A", 0, NPB_REPORT % b"UNSUCCESSFUL", "its result is not verified"),
        ("npb:cg.A", 0, NPB_REPORT % b"SUCC[h0] warning", "its output holds no verdict that can be read"),
        ("./of-my-own", 0, b"", None),
        ("./own", 0, b'{"seconds": -1.5}\n', "./own prints -1.5 as its own seconds, which is no time that a run takes"),
        ("./own", 0, b'{"seconds": 0}\n', "./own prints 0 as its own seconds, which is no time that a run takes"),
        ("./own", 0, b'{"seconds": NaN}\n', "./own prints nan as its own seconds, which is no time that a run takes"),
        (
            "./own",
            0,
            b'{"seconds": -Infinity}',
            "./own prints -inf as its own seconds, which is no time that a run takes",
        ),
        (
            "./own",
            0,
            b'{"seconds": 1%s}' % (400 * b"0"),
            "./own prints inf as its own seconds, which is no time that a run takes",
        ),
        ("npb:cg.A", 0, (NPB_REPORT % b"SUCCESSFUL").replace(b"1.20", b"0.00"), None),
    ],
)
def test_what_is_known_to_check_its_result_must_have_said_so(
    program: str, exit_code: int, output: bytes, expected: str | None
) -> None:
    assert failure(program, exit_code, verdict(output)) == expected
