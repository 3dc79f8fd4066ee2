"""Tables on terminals of any width, and where there is none."""

from pathlib import Path

import pytest

from fairlead.cli import doctor
from fairlead.cluster.cluster_file import load_cluster
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


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_a_table_fits_the_terminal_and_nothing_is_cut(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    console().print(rich_table(TABLE, "Cells"))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    assert all(any(f"11.75 to 1{k}.85{NBSP}s" in line for line in lines) for k in (1, 2, 3))
    words = " ".join(lines).replace(NBSP, "_").split()
    assert "…" not in " ".join(words)
    for number in range(3):
        assert f"1{number + 1}.80_s" in words and f"1{number + 1}.85_s" in words
    assert [words.count(each) for each in ("0.123_s", "10.90_s", "12.70_s", "11.75")] == [3, 3, 3, 3]
    assert {"configuration", "mean", "interval", "standard", "deviation", "min", "max"} <= set(words)
    assert words.count("Cells") == 1


def test_a_part_of_a_table_names_its_rows(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [[cell(program), cell(scenario), cell(1.5), cell(2.25), cell(3.125)]
            for program in ("cg", "nbody") for scenario in ("clean", "congested")]  # fmt: skip
    names = ("program", "scenario", "first_number", "second_number", "third_number")
    monkeypatch.setenv("COLUMNS", "50")
    console().print(rich_table(table([(name, name) for name in names], rows), "Runs"))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 50
    heads = [line.split() for line in lines if "program" in line]
    assert heads == [["program", "scenario", "first_number"], ["program", "scenario", "second_number"],
                     ["program", "scenario", "third_number"]] or heads == [
        ["program", "scenario", "first_number", "second_number"], ["program", "scenario", "third_number"]]  # fmt: skip
    assert sum(line.split()[:2] == ["nbody", "congested"] for line in lines) == len(heads)


def test_what_cannot_be_narrower_is_not_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    console().print(rich_table(table([("n", "n"), ("rate", "r")], [[cell(1), cell(5.0, f"123.456{NBSP}Mbit/s")]]), ""))
    assert f"123.456{NBSP}Mbit/s" in capsys.readouterr().out


def test_brackets_in_titles_and_names_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    console().print(rich_table(table([("h[a]", "h"), ("b", "b")], [[cell("x[/y]"), cell(1)]]), "results [/old]"))
    shown = "".join(capsys.readouterr().out.split())  # a title is wrapped to the width of its table
    assert all(text in shown for text in ("h[a]", "x[/y]", "results[/old]"))


def test_nothing_is_wrapped_where_there_is_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    console().print(rich_table(TABLE, "Cells"))
    assert f"a long name of configuration 2   13.80{NBSP}s   11.75 to 13.85{NBSP}s" in capsys.readouterr().out
    path = "/" + "long/" * 30 + "file"
    (tmp_path / "c.toml").write_text(CLUSTER)
    cluster = load_cluster(tmp_path / "c.toml")
    doctor._print(cluster, [Finding(Severity.WARNING, "check", (), f"{path} is missing", f"make {path}")])
    said = capsys.readouterr().out
    assert f"{path} is missing" in said and f"→ make {path}" in said
