"""Tables on terminals of any width, and where there is none."""

from pathlib import Path

import pytest

from fairlead.cli import doctor
from fairlead.cluster.description import Cluster
from fairlead.cluster.doctor.findings import Finding, Severity
from fairlead.display.tables import Table, cell, table
from fairlead.display.terminal import console, rich_table

NBSP = "\u00a0"
CLUSTER = '[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n[[hosts]]\nname = "a"\naddress = "127.0.0.1"\n'
TABLE: Table = table(
    [("configuration", "c"), *((name, name) for name in ("mean", "95 % interval", "standard deviation", "min", "max"))],
    [
        [
            cell(f"a long name of configuration {number}"),
            cell(11.8 + number, f"1{number + 1}.80{NBSP}s"),
            cell(None, f"11.75 to 1{number + 1}.85{NBSP}s"),
            cell(0.123, f"0.123{NBSP}s"),
            cell(10.9, f"10.90{NBSP}s"),
            cell(12.7, f"12.70{NBSP}s"),
        ]
        for number in range(3)
    ],
)


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_no_number_and_no_column_is_cut(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    console().print(rich_table(TABLE, "Cells"))
    lines = capsys.readouterr().out.splitlines()
    assert all(any(f"11.75 to 1{k}.85{NBSP}s" in line for line in lines) for k in (1, 2, 3))
    words = " ".join(lines).replace(NBSP, "_").split()
    assert "…" not in " ".join(words)
    for number in range(3):
        assert f"1{number + 1}.80_s" in words and f"1{number + 1}.85_s" in words
    assert [words.count(each) for each in ("0.123_s", "10.90_s", "12.70_s", "11.75")] == [3, 3, 3, 3]
    assert {"configuration", "mean", "interval", "standard", "deviation", "min", "max"} <= set(words)
    assert max(map(len, lines)) <= max(columns, 90)  # no wider than it has to be


def test_nothing_is_wrapped_where_there_is_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    console().print(rich_table(TABLE, "Cells"))
    assert f"a long name of configuration 2   13.80{NBSP}s   11.75 to 13.85{NBSP}s" in capsys.readouterr().out
    path = "/" + "long/" * 30 + "file"
    (tmp_path / "c.toml").write_text(CLUSTER)
    cluster = Cluster.load(tmp_path / "c.toml")
    doctor._print(cluster, [Finding(Severity.WARNING, "check", (), f"{path} is missing", f"make {path}")])
    said = capsys.readouterr().out
    assert f"{path} is missing" in said and f"→ make {path}" in said
