"""Migrations in reports: read from events, in a table, in words, in a figure."""

from dataclasses import replace
from pathlib import Path

from fairlead.analysis.runs.migrations import MigrationDecision
from fairlead.report.run import migrations, run_report
from fairlead.store import Store


def record(store: Store) -> int:
    labels = {"program": "cg", "ranks": 8, "cluster": "servers8"}
    run = store.begin_run("run", labels, plan=["cg"])
    store.add_event(run, 100.0, "started", {})
    places = {"server": "server0", "to": "server4", "host": "h0"}
    store.add_event(run, 110.0, "migration", {"action": "stays", "vm": None, "reason": "it does not pay"})
    store.add_event(run, 120.0, "migration", {"action": "begins", "vm": "h0", "reason": "all is slow", **places})
    numbers = {"time_s": 2.0, "paused_s": 0.25, "copied_B": 1000}
    store.add_event(
        run, 122.0, "migration", {"action": "moved", "vm": "h0", "reason": "in 2.00 s", **places, **numbers}
    )
    store.add_series(run, "time_s", [40.0], "s")
    store.finish_run(run, "ok", 0)
    return run


def test_every_decision_stands_in_the_report_of_a_run(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        report = run_report.load(store, record(store))
    assert report.managed.migrations[2] == MigrationDecision(
        22.0, "moved", "h0", "server0", "server4", "in 2.00 s", 2.0, 0.25
    )
    table = migrations.decisions_table([(None, report.managed.migrations)])
    assert table.keys == ("t_s", "vm", "action", "server", "target", "time_s", "paused_s", "reason")
    assert [[each.value for each in row] for row in table.rows][:2] == [
        [10.0, None, "stays", None, None, None, None, "it does not pay"],
        [20.0, "h0", "begins", "server0", "server4", None, None, "all is slow"],
    ]
    run_report.write(report, tmp_path / "report.html")
    assert "all is slow" in (tmp_path / "report.html").read_text()


def test_migrations_are_told_in_words() -> None:
    stays = MigrationDecision(10.0, "stays", None, "server0", None, "it does not pay", None, None)
    moved = MigrationDecision(22.0, "moved", "h0", "server0", "server4", "in 2.00 s", 2.0, 0.25)
    assert migrations.sentence([]) == ""
    assert migrations.sentence([stays]) == "No virtual machine was migrated: it does not pay."
    unknown = replace(stays, action="unknown", vm="h0", reason="the cloud does not answer")
    said = "The outcome of the migration of h0 is unknown: the cloud does not answer."
    assert migrations.sentence([stays, unknown, stays]) == said
    found = replace(unknown, action="found", reason="by its provider: it is on s1 now and was on s0")
    assert migrations.sentence([unknown, found]) == "h0 was moved by its provider: it is on s1 now and was on s0."
    said = migrations.sentence([stays, moved]).replace("\N{NO-BREAK SPACE}", " ")
    assert said == "1 virtual machine migrated during the run: h0 to server4 after 22.0 s."


def test_the_figure_has_the_times_of_each_program() -> None:
    def moved(vm: str, time_s: float) -> MigrationDecision:
        return MigrationDecision(1.0, "moved", vm, "server0", "server4", "", time_s, 0.2)

    drawing = migrations.times(
        [("cg", [moved("h0", 3.0), moved("h1", 4.0)]), ("ep", []), ("nbody", [moved("h0", 2.0)])]
    )
    assert [[each.value for each in row] for row in drawing.table.rows] == [
        ["cg", "h0", 3.0, 0.2],
        ["cg", "h1", 4.0, 0.2],
        ["nbody", "h0", 2.0, 0.2],
    ]
    assert "<svg" in drawing.svg()
