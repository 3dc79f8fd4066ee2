"""What `fairlead doctor` shows: a table that fits the terminal, and JSON with every finding."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli import doctor
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster
from fairlead.cluster.doctor import examine as examination
from fairlead.cluster.doctor.facts import ClusterFacts
from fairlead.cluster.doctor.findings import Finding, Severity, judge

from .doctor_facts import healthy, setting, several

CLUSTER = """\
[cluster]
name = "c"
executor = "ssh"
interface = "eth0"
[[hosts]]
name = "h0"
address = "10.64.0.1"
[[hosts]]
name = "h1"
address = "10.64.0.2"
[[hosts]]
name = "h2"
address = "10.64.0.3"
"""
WRONG = several(
    setting("facts", "system", "machine", value="riscv64"),
    setting("facts", "links", 0, "duplex", value="half"),
    setting("facts", "firewall", "ufw", value=True),
    setting("facts", "mpi", "parameters", value=[{"name": "btl", "value": "self", "where": "/home/a/" + "long" * 30}]),
)
Consult = Callable[..., tuple[int, str]]


@pytest.fixture
def consult(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Consult:
    """`fairlead doctor` with made-up facts in place of hosts."""
    path = tmp_path / "c.toml"
    path.write_text(CLUSTER)
    monkeypatch.setattr(examination, "gather", lambda *_: healthy(WRONG))

    def run(*options: str, columns: int | None = None) -> tuple[int, str]:
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns:
            monkeypatch.setenv("COLUMNS", str(columns))
        done = CliRunner().invoke(doctor.command, [str(path), *options], standalone_mode=False)
        assert done.exception is None, done.exception
        return done.return_value, done.stdout

    return run


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_the_terminal_and_says_everything(consult: Consult, columns: int) -> None:
    code, said = consult(columns=columns)
    assert code == 1
    assert max(map(len, said.splitlines())) <= columns
    cells = [line.split("│")[3].strip() for line in said.splitlines() if line.count("│") == 4]
    whole = "".join(cells).replace(" ", "")
    for finding in judge(healthy(WRONG)):
        for words in (finding.text, finding.fix):
            assert words.replace(" ", "") in whole
    assert said.splitlines()[-1] == "1 error, 2 warnings"


def test_mpirun_is_looked_for_at_the_path_by_which_runs_call_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "mpirun.site"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr("fairlead.cluster.addresses.is_own", lambda address: address == "10.64.0.2")
    looked_for: list[str] = []

    def gather(cluster: Cluster, *_: object) -> ClusterFacts:
        looked_for.append(cluster.mpirun)
        return healthy()

    monkeypatch.setattr(examination, "gather", gather)
    (tmp_path / "c.toml").write_text(CLUSTER.replace("[[hosts]]", 'launch_from = "here"\n[[hosts]]', 1))
    words = [str(tmp_path / "c.toml"), "--json", "--mpirun", program.name]
    assert CliRunner().invoke(doctor.command, words, standalone_mode=False).exception is None
    assert looked_for == [str(program)]


def test_colours_are_for_terminals(consult: Consult) -> None:
    _, said = consult()
    assert "\x1b[" not in said
    assert "c: 3 hosts" in said


def test_json_has_every_finding_with_its_fix(consult: Consult) -> None:
    code, said = consult("--json")
    expected = [
        {
            "severity": str(each.severity),
            "check": each.check,
            "hosts": list(each.hosts),
            "text": each.text,
            "fix": each.fix,
        }
        for each in judge(healthy(WRONG))
    ]
    assert json.loads(said) == expected
    assert {"architectures", "link_duplex", "firewall_service", "mpi_parameters"} <= {
        item["check"] for item in expected
    }
    assert code == 1


def test_many_hosts_are_not_all_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "c.toml"
    path.write_text(CLUSTER + "".join(f'[[hosts]]\nname = "n{k}"\naddress = "10.64.1.{k}"\n' for k in range(1, 20)))
    names = tuple(f"n{k}" for k in range(1, 13))
    doctor._print(load_cluster(path), [Finding(Severity.WARNING, "busy", names, "x", "y")])
    said = capsys.readouterr().out
    assert "n8 and 4" in said and "n9" not in said
