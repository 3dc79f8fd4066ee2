"""Words, tables, colours, the characterization's page, and the command."""

import base64
import json
import math
import re

import numpy as np
import pytest
from click.testing import CliRunner

from fairlead.characterize.characterization import Characterization
from fairlead.cli.characterize import command as characterize
from fairlead.cli.report import command
from fairlead.display import words
from fairlead.display.tables import cell, table
from fairlead.report import figures, palette
from fairlead.report.network import characterization_figures, characterization_report
from fairlead.statistics.estimates import Estimate
from fairlead.store import Store

from . import report_fixtures as fixtures


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (5.0, 3, "5.00"),
        (0.012345, 3, "0.0123"),
        (1234.5, 3, "1234"),
        (-4.556, 3, "−4.56"),
        (9.996, 3, "10.0"),
        (0, 3, "0"),
        (0.0999, 2, "0.10"),
        (math.inf, 3, "∞"),
        (-math.inf, 3, "−∞"),
        (math.nan, 3, "–"),
    ],
)
def test_significant_digits(value, digits, text):
    assert words.significant(value, digits) == text


@pytest.mark.parametrize(
    ("got", "text"),
    [
        (words.duration(5.0215), "5.02 s"),
        (words.duration(0.0123), "12.3 ms"),
        (words.duration(0.9998), "1.00 s"),
        (words.duration(85e-6), "85.0 µs"),
        (words.duration(0.0), "0 s"),
        (words.duration(0.137, 2, like_s=5.0), "0.14 s"),
        (words.duration(-0.5), "−500 ms"),
        (words.nanoseconds(3.5e-8), "35.0 ns"),
        (words.ranks_on("b", ["a", "b", "a", "b"]), "1 3"),
        (words.size(64), "64 B"),
        (words.size(1536), "1.5 KiB"),
        (words.size(4 << 20), "4 MiB"),
        (words.size(50 << 40), "50 TiB"),  # of a server's disks, or a long run's messages
        (words.size(3 << 50), "3 PiB"),
        (words.significant(math.nan), "–"),
        (words.rate(187.4e6), "187 Mbit/s"),
        (words.percent(0.91234), "91.2 %"),
        (words.percent(0.004, signed=True), "+0.4 %"),
        (words.percent(-0.0001, signed=True), "0.0 %"),
        (words.percent(math.inf), "∞"),
        (words.percent(math.nan), "–"),
        (words.range_of("2 s", "3 s"), "2 s to 3 s"),
        (words.range_of("2 s", "2 s"), "2 s"),
        (words.probability(0.0421), "0.042"),
        (words.probability(0.0009), "< 0.001"),
        (words.level(0.95), "95 %"),
        (words.level(0.999), "99.9 %"),
        (words.count(0, "run"), "no runs"),
        (words.count(1, "run"), "1 run"),
        (words.listing(["a", "b", "c"]), "a, b and c"),
        (words.moment(0), "1970-01-01 00:00:00 UTC"),
        (words.duration_interval(Estimate(5.0, 4.984, 5.1, 0.95, 6, "")), "4.98 to 5.10 s"),
        (words.percent_interval(Estimate(0.0, -0.012, 0.021, 0.95, 6, ""), signed=True), "−1.2 to +2.1 %"),
    ],
)
def test_words(got, text):
    assert got.replace("\u00a0", " ") == text


def test_tables_keep_unrounded_values_and_quote():
    made = table(
        [("time", "time_s"), ("why", "why")], [[cell(1 / 3, "0.33 s"), cell('a "b", c')], [cell(None), cell("")]]
    )
    assert made.csv() == f'time_s,why\n{1 / 3!r},"a ""b"", c"\n,\n'
    link = made.csv_link()
    assert base64.b64decode(link.removeprefix("data:text/csv;base64,")).decode() == made.csv()
    assert (made.numeric(0), made.numeric(1)) == (True, False)
    with pytest.raises(ValueError, match="1 rows do not have 2 cells"):
        table([("a", "a"), ("b", "b")], [[cell(1)]])


def _drawn(name, label):
    """A figure with a label."""
    with figures.styled():
        figure, (axis,) = figures.axes_of(1, 1.5)
        axis.set_xticks([0, 1], [label, "b"])
        axis.set_title(label)
    return figures.Drawing(name, f"{name}: times", "Caption.", figure, table([("n", "n")], [[cell(1)]]))


@pytest.mark.parametrize("label", ["$1 to $2", "$x_{$", r"$\frac$"])
def test_a_dollar_sign_in_a_label_is_no_formula(label):
    svg = _drawn("times", label).svg()
    assert svg.count(f">{label}</text>") == 2


@pytest.mark.parametrize("name", ['a" onload="x', "a<script>b", "../../a", "cg A", r"a\1", "läuft"])
def test_a_name_that_a_user_chose_harms_neither_page_nor_files(name, tmp_path):
    drawing = _drawn(f"run-times-{name}", "a")
    assert re.fullmatch(r"[A-Za-z0-9_.-]+", drawing.name)
    svg = drawing.svg()
    assert f'id="{drawing.name}--' in svg
    assert "<script>" not in svg and 'onload="' not in svg
    saved = drawing.save(tmp_path)
    assert sorted(path.parent for path in saved) == [tmp_path] * 3
    assert drawing.name != _drawn(f"run-times-{name}.", "a").name


def test_a_logarithmic_axis_has_numbers_as_labels():
    drawing = _drawn("times", "a")
    axis = drawing.figure.axes[0]
    axis.plot([0, 1], [3, 4000])
    axis.set_yscale("log")
    svg = drawing.svg()
    assert re.search(">10+</text>", svg)
    assert "mathdefault" not in svg and "$" not in svg


def test_a_plain_name_stays():
    assert _drawn("run-times-cg.places.ring", "a").name == "run-times-cg.places.ring"


def _luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(a, b):
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_are_readable(theme):
    """WCAG 2.1: 4.5 for text, 3 for marks."""
    surface = getattr(palette.SURFACE, theme)
    for colour in (palette.INK, palette.MUTED):
        assert _contrast(getattr(colour, theme), surface) >= 4.5
    for colour in (palette.PLAIN, palette.MANAGED, palette.GOOD, palette.HIGH):
        assert _contrast(getattr(colour, theme), surface) >= 3
    assert _contrast(surface, getattr(palette.MANAGED, theme)) >= 4.5  # type on bars, links


def test_colours_can_be_told_from_each_other_in_a_drawing():
    values = [colour.light for colour in palette.ALL]
    assert len(set(values)) == len(values)
    assert palette.themed(f'fill="{palette.INK.light}"') == 'fill="var(--ink)"'


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    directory = tmp_path_factory.mktemp("results")
    fixtures.build(directory, {"cg": fixtures.TIMES_S["cg"]}, replications=2)
    return directory


@pytest.fixture(scope="module")
def characterized(results):
    with Store.read(results) as store:
        return Characterization.read(store, store.runs("characterization")[0])


def test_characterization_in_words(characterized):
    (text,) = characterization_report.findings(characterized)
    text = text.replace("\u00a0", " ")
    times = characterized.latency.median_s[0]
    assert text.startswith("8 hosts measured in 4")
    assert f"takes {np.nanmedian(times) * 1e6:.0f} µs between most hosts" in text
    assert "48 of 56 host pairs have a detour around their bottleneck; for 64 KiB the best takes 2.0 times" in text
    fresh = characterization_report.caveats(characterized, now_s=characterized.ended_s + 60)
    assert fresh == []
    (stale,) = characterization_report.caveats(characterized, now_s=characterized.ended_s + 3 * 86400)
    assert "3 days ago" in stale


def test_characterization_tables_hold_all_pairs(characterized, tmp_path):
    written = characterization_report.write(characterized, tmp_path / "c.html", figures=tmp_path / "figures")
    assert {path.name for path in written} >= {"c.html", "latency.csv", "relation.svg", "detours.png", "capacity.csv"}
    latency = (tmp_path / "figures/latency.csv").read_text().splitlines()
    assert latency[0] == "source,destination,size_B,median_s,p5_s,p95_s,n,kind,by_clock_s,clock_error_s,round_trip_s"
    assert len(latency) == 1 + 56 * 4
    source, destination, size_B, median_s, _, _, n, kind, *clocks = latency[1].split(",")
    assert (source, destination, size_B, n, kind) == ("h0", "h1", "64", "30", "one-way")
    latencies = characterized.latency
    taken = (latencies.by_clock_s, latencies.clock_error_s, latencies.round_trip_s)
    assert [float(each) for each in clocks] == [each.reshape(-1, *each.shape[-2:])[0, 0, 1] for each in taken]
    assert float(median_s) == characterized.latency.median_s[0, 0, 1]
    relation = (tmp_path / "figures/relation.csv").read_text().splitlines()
    hurt = characterized.sensitivity.hurt_by((0, 1))
    assert int(relation[1].split(",")[1]) == int(hurt.sum())
    detours = (tmp_path / "figures/detours.csv").read_text().splitlines()
    assert len(detours) == 1 + 56 * 6
    assert sum(line.endswith(",shared") for line in detours) == sum(
        each.shares_bottleneck
        for pair in characterization_figures.pairs_of(characterized)
        for each in characterized.candidates(pair)
    )
    assert "<script" not in (tmp_path / "c.html").read_text()


def test_an_interrupted_characterization_is_shown_as_far_as_it_goes(tmp_path):
    clock = fixtures.Clock()
    with fixtures.at(clock), Store.open(tmp_path) as store:
        facts = {"hosts": [{"name": name, "address": "10.0.0.1"} for name in fixtures.HOSTS]}
        run = store.begin_run("characterization", {"cluster": "mesh8"}, facts=facts)
        sink = fixtures.StoreSink(store, run)
        sink.exchanges(fixtures._exchanges((0, 1), 64, np.random.default_rng(1)))
    with Store.read(tmp_path) as store:
        found = Characterization.read(store, store.runs()[0])
    assert [each.name for each in characterization_report.drawings(found)] == ["latency"]
    assert characterization_report.caveats(found)[0].startswith("Incomplete: ")
    characterization_report.write(found, tmp_path / "c.html")


def test_command_makes_the_report_again(results, tmp_path):
    output = tmp_path / "again/report.html"
    done = CliRunner().invoke(command, [str(results), "--output", str(output), "--level", "0.9"])
    assert done.exit_code == 0, done.output
    assert str(output) in done.output.replace("\n", "")
    made = json.loads((tmp_path / "again/summary.json").read_text())
    assert made["level"] == 0.9
    assert made["experiment"] == 2
    assert "cg" in output.read_text()


def test_command_prints_json(results, tmp_path):
    done = CliRunner().invoke(command, [str(results), "--output", str(tmp_path / "r.html"), "--json"])
    assert json.loads(done.stdout)["programs"]["cg"]["n_runs"] == 8
    assert str(tmp_path / "r.html") in done.stderr


def test_a_stored_characterization_tells_its_network(results):
    """Eight hosts, each by itself as older stores have them, two on each of four switches that are joined pairwise."""
    said = CliRunner().invoke(characterize, ["show", "1", "--results", str(results)])
    assert said.exit_code == 0, said.output
    assert "  No link and no host pair is slower than others of its kind" in said.output
    done = CliRunner().invoke(characterize, ["show", "1", "--results", str(results), "--json"])
    network = json.loads(done.stdout)["network"]
    assert [each["hosts"] for each in network["groups"]] == [[host] for host in range(8)]
    assert network["meetings"] == 4
    trunks = [each for each in network["links"] if each["tail"]["kind"] == each["head"]["kind"] == "meeting"]
    assert (len(network["links"]), len(trunks)) == (2 * 8 + 4 * 3, 4 * 3)
    assert sorted(len(each["crossed_by"]) for each in trunks) == [4] * 12
    assert network["joined"] == []


def test_command_reports_a_characterization(results, tmp_path):
    done = CliRunner().invoke(command, [str(results), "--characterization", "1", "--output", str(tmp_path / "c.html")])
    assert done.exit_code == 0, done.output
    assert "mesh8" in (tmp_path / "c.html").read_text()
    both = CliRunner().invoke(command, [str(results), "--characterization", "1", "--experiment", "2"])
    assert both.exit_code == 2
    assert "exclude each other" in both.output


@pytest.mark.parametrize(
    ("options", "reason", "code"),
    [
        (["--experiment", "1"], "is of kind characterization, not experiment", 2),
        (["--experiment", "99"], "there is no run 99", 2),
        (["--characterization", "2"], "not a characterization", 2),
        (["--output", "/proc/none/report.html"], "cannot be written", 1),
    ],
)
def test_command_says_what_is_wrong(results, options, reason, code):
    done = CliRunner().invoke(command, [str(results), *options])
    assert reason in str(done.exception)
    assert done.exception.exit_code == code


def test_a_directory_is_listed(tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    with Store.open(tmp_path) as store:
        by_itself = store.begin_run("run", {"program": "cg", "cluster": "mesh8", "ranks": 8}, plan=["cg"])
        store.finish_run(by_itself, "failed", 3)
        comparison = store.begin_run("experiment", {"name": "demo"})
        for _ in range(2):
            store.finish_run(store.begin_run("run", {"program": "cg"}, parent=comparison), "ok", 0)
    begun = words.moment(store_of(tmp_path)[0].started_s)
    done = CliRunner().invoke(command, [str(tmp_path), "--list"])
    assert done.exit_code == 0
    rows = [" ".join(line.split()) for line in done.output.splitlines() if "UTC" in line]
    assert rows[0] == f"1 run {begun} cluster mesh8, program cg, ranks 8 failed, exit code 3"
    assert rows[1].startswith("2 experiment ") and rows[1].endswith(" name demo, 2 runs interrupted")
    assert len(rows) == 2
    done = CliRunner().invoke(command, [str(tmp_path), "--list", "--json"])
    found = json.loads(done.output)
    assert [(each["run"], each["kind"], each["runs"], each["status"]) for each in found] == [
        (1, "run", 0, "failed"),
        (2, "experiment", 2, "interrupted"),
    ]
    assert found[0]["labels"] == {"program": "cg", "cluster": "mesh8", "ranks": 8} and found[0]["exit_code"] == 3
    missing = CliRunner().invoke(command, [str(tmp_path), "--run", "99"])
    assert f"`fairlead report {tmp_path} --list` lists what there is" in str(missing.exception)
    assert CliRunner().invoke(command, [str(tmp_path), "--list", "--run", "1"]).exit_code == 2


def store_of(directory):
    with Store.read(directory) as store:
        return store.runs()
