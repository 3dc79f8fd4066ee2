"""Foreign tables: what comes in, what is set aside, which factors are one; and what is refused, with nothing stored."""

import csv
import hashlib
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fairlead import config
from fairlead.analysis.evaluations import dataset, joined, quantities
from fairlead.analysis.evaluations.settings import ReportSettings
from fairlead.cli.main import command as fairlead
from fairlead.errors import ConfigError
from fairlead.published.check import read_and_check
from fairlead.published.claims import Claim
from fairlead.published.columns import ColumnMap, import_csv
from fairlead.report.evaluation import evaluation_report, evaluation_tables
from fairlead.store import Store

MAP = """[dataset]
name = "d"
[factors]
program = "app"
network = "net"
[values.time_s]
column = "t"
unit = "s"
[report]
configurations = ["network"]
baseline = { network = "plain" }
"""
HEADER = "app,net,note,t\n"


def rows(cells: dict[tuple[str, str], list[float]], note: str = "") -> str:
    return "".join(f"{app},{net},{note},{value}\n" for (app, net), values in cells.items() for value in values)


def bring_in(directory: Path, text: str, columns: str = MAP):
    """What was imported, and its analysis."""
    file = directory / "runs.csv"
    file.write_text(text)
    with Store.open(directory / "results") as store:
        found = import_csv(store, file, config.parse(columns, ColumnMap, source="map.toml"))
        return found, evaluation_report.load(store, config.parse(columns, ColumnMap, source="map.toml").dataset.name)


MEASURED = {("is", "plain"): [10, 10.1, 9.9, 10.2, 9.8, 10.05], ("is", "bond"): [8, 8.1, 7.9, 8.2, 7.8, 8.05]}
ASIDE = MAP + '[imputed_where]\nnote = ["imputed", "guess"]\n[exclude_where]\nnote = "warm-up"\n'


def test_the_file_is_kept_byte_for_byte_and_with_its_checksum(tmp_path):
    data = b"\xef\xbb\xbf" + (HEADER + rows(MEASURED)).replace("\n", "\r\n").encode()
    (tmp_path / "runs.csv").write_bytes(data)
    with Store.open(tmp_path / "results") as store:
        run = import_csv(store, tmp_path / "runs.csv", config.parse(MAP, ColumnMap, source="map.toml")).run
        assert store.run(run).facts["sha256"] == hashlib.sha256(data).hexdigest()
        assert {each.name: each.content for each in store.attachments(run)}["samples.csv"] == data


def test_texts_of_excluded_rows_are_no_missing_samples(tmp_path):
    missing = ASIDE.replace('name = "d"\n', 'name = "d"\nmissing = ["NA"]\n')
    text = HEADER + rows(MEASURED) + "is,plain,warm-up,broken\nis,plain,,NA\nis,plain,guess,9\n"
    found, _ = bring_in(tmp_path, text, missing)
    assert (found.missing, found.aside) == (1, {"imputed": 1, "excluded": 1})


def test_imputed_and_excluded_rows_are_set_aside_counted_and_told_with_their_effect(tmp_path):
    text = (
        HEADER
        + rows(MEASURED)
        + rows({("is", "bond"): [30, 31, 32]}, "imputed")
        + rows({("is", "plain"): [5]}, "guess")
    )
    found, analysis = bring_in(tmp_path, text + rows({("is", "plain"): [99]}, "warm-up"), ASIDE)
    assert (found.rows, found.cells, found.aside) == (17, 2, {"imputed": 4, "excluded": 1})
    assert {cell.levels: cell.n for cell in analysis.data.cells} == {("is", "plain"): 6, ("is", "bond"): 6}
    (pair,) = analysis.pairs
    assert (pair.verdict, pair.speed_value) == ("faster", pytest.approx(10.0083333 / 8.0083333 - 1))
    assert [each.kinds for each in analysis.alternatives] == [("imputed",), ("excluded",), ("imputed", "excluded")]
    with_imputed = next(iter(analysis.alternatives[0].pairs.values()))
    assert with_imputed.second.n == 9
    assert with_imputed.speed_value == pytest.approx(np.mean([*MEASURED["is", "plain"], 5]) / (141.05 / 9) - 1)
    (row,) = evaluation_tables.aside(analysis).rows
    assert row[2].shown == "DIFFERENT"
    told = evaluation_report.findings(analysis)[1]
    assert told.startswith(
        "Of 17 rows of the file 4 imputed and 1 excluded are set aside and not counted here. Including them "
        "would change 1 verdict"
    )
    page = evaluation_report.write(analysis, tmp_path / "page.html")[0].read_text()
    assert 'id="rows-set-aside"' in page and "with imputed and excluded rows" in page
    with Store.read(tmp_path / "results") as store:
        (first, second) = store.runs(dataset.ROW)
        assert {each.name: each.content for each in store.attachments(second.id)} == {
            "lines": b"8\n9\n10\n11\n12\n13",
            "lines_imputed": b"14\n15\n16",
        }
        assert {each.name for each in store.attachments(first.id)} == {"lines", "lines_imputed", "lines_excluded"}


def test_rows_that_were_set_aside_do_not_change_the_baseline(tmp_path):
    text = HEADER + rows({("is", "single"): [5, 5.1]}, "imputed") + rows(MEASURED)
    found, analysis = bring_in(tmp_path, text, ASIDE.split("[report]")[0] + '[imputed_where]\nnote = "imputed"\n')
    assert (found.aside, analysis.baseline) == ({"imputed": 2}, ("plain",))
    (alternative,) = analysis.alternatives
    assert set(alternative.pairs) == {
        (("is", "plain"), ("is", "bond")),
        (("is", "plain"), ("is", "single")),
    }
    (row,) = evaluation_tables.aside(analysis).rows
    assert row[1].shown == "single"


def test_a_claim_that_holds_only_with_imputed_rows_is_told_so(tmp_path):
    bring_in(
        tmp_path, HEADER + rows(MEASURED) + rows({("is", "bond"): [30, 31, 32]}, "imputed"), ASIDE.split("[excl")[0]
    )
    computation = {"figure": "mean", "of": {"network": "bond"}}
    claim = Claim.model_validate({"dataset": "d", "statement": "s", "published": 15.67, "computation": computation})
    with Store.read(tmp_path / "results") as store:
        (found,) = read_and_check(store, [claim], []).checked
    assert (found.verdict, found.remark) == ("does not follow", "it holds with imputed rows")


def test_an_excluded_row_may_hold_anything_an_imputed_one_must_be_a_time(tmp_path):
    text = HEADER + rows(MEASURED) + "is,bond,warm-up,crashed\nis,bond,guess,9\n"
    found, analysis = bring_in(tmp_path, text, ASIDE)
    assert found.aside == {"imputed": 1, "excluded": 1}
    assert next(iter(analysis.alternatives[2].pairs.values())).second.n == 7


def test_a_factor_that_is_a_function_of_another_is_joined_to_it(tmp_path):
    columns = MAP.replace('network = "net"', 'nics = "nics"\npolicy = "policy"\nnetwork = "config"')
    columns = columns.replace('["network"]', '["nics", "policy"]')
    columns = columns.replace('{ network = "plain" }', '{ nics = 1, policy = "none" }')
    networks = ((1, "none", "tcp", 10), (2, "l2", "bond2", 8), (4, "l2", "bond4", 5), (4, "l3", "l3", 6))
    text = "app,nics,policy,config,t\n" + "".join(
        f"{app},{nics},{policy},{config_},{value + k / 10}\n"
        for app in ("is", "ft")
        for nics, policy, config_, value in networks
        for k in range(6)
    )
    columns += '[[report.groups]]\nname = "two"\nwhere = { program = ["is", "ft"] }\n'
    found, analysis = bring_in(tmp_path, text, columns)
    assert found.joined == {"nics": "network", "policy": "network"}
    assert (analysis.data.factors, analysis.configurations) == (("program", "network"), ("network",))
    assert (analysis.baseline, analysis.cases) == (("tcp",), ("program",))
    assert len(analysis.pairs) == 6
    assert [group.cells for group in analysis.groups] == [2, 2, 2]
    assert "nics is a function of network: they count as one factor here, network." in analysis.warnings
    assert [cell.mean for cell in analysis.data.select(program="is", nics=4)] == pytest.approx([5.25, 6.25])


def test_which_factors_are_joined():
    levels = {"a": [1, 2, 3, 1], "b": ["x", "y", "y", "x"], "c": [0, 0, 0, 0], "d": ["p", "q", "r", "p"]}
    assert joined.find(levels) == {"b": "a", "d": "a"}  # c has one level and stays; of a and d the later one goes
    assert joined.find({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]}) == {}
    report = ReportSettings(configurations=("b",), baseline={"b": "x"})
    assert joined.report_of(report, {"b": "a"}, levels) == ReportSettings(configurations=("a",), baseline={"a": 1})


def test_a_configuration_may_be_several_columns_and_an_empty_cell_is_a_level(tmp_path):
    columns = MAP.replace('network = "net"', 'network = ["nics", "policy"]').replace("plain", "1, none")
    text = "app,nics,policy,t\n" + "".join(
        f"is,{nics},{policy},{value + k / 10}\n"
        for nics, policy, value in ((1, "", 10), (4, "l2", 5))
        for k in range(6)
    )
    _, analysis = bring_in(tmp_path, text, columns)
    assert [cell.levels for cell in analysis.data.cells] == [("is", "1, none"), ("is", "4, l2")]
    assert analysis.baseline == ("1, none",)


def test_a_column_with_an_empty_cell_among_numbers_keeps_its_level(tmp_path):
    columns = MAP.replace("plain", "none") + ""
    text = HEADER + "is,2,,5\nis,2,,5.1\nis,,,10\nis,,,10.1\n"
    _, analysis = bring_in(tmp_path, text, columns)
    assert [cell.levels for cell in analysis.data.cells] == [("is", "2"), ("is", "none")]


def test_unequal_replicates_and_outliers_are_named_by_cell_in_a_column_and_in_the_csv(tmp_path):
    scatter = (-0.16, 0.05, -0.1, 0.12, 0.0, -0.05, 0.17, 0.09, -0.02, -0.11, 0.02, -0.07)
    cells = {
        (f"p{k}", net): [round(10 + k + each, 2) for each in scatter] for k in range(9) for net in ("plain", "bond")
    }
    for k in range(8):
        cells[f"p{k}", "bond"][0] = 30.0 + k  # eight cells with an outlier: more than a warning names
    cells["p8", "bond"] = cells["p8", "bond"][:7]
    _, analysis = bring_in(tmp_path, HEADER + rows(cells))
    told = list(analysis.warnings)
    assert "program p8, network bond (7) has a different number of samples from most, which have 12." in told
    assert any(
        text.startswith("8 samples more than three") and "8 of 18 cells (listed in the table of cells" in text
        for text in told
    )
    assert not any("more have" in text for text in told)
    table = evaluation_tables.cells(analysis)
    found = list(csv.DictReader(io.StringIO(table.csv())))
    assert [row["notes"] for row in found if row["network"] == "bond"] == [
        *(f"1 outlier: {30 + k}.0\N{NO-BREAK SPACE}s" for k in range(8)),
        "most cells have 12 samples",
    ]
    assert all(row["notes"] == "" for row in found if row["network"] == "plain")


def test_intervals_are_two_columns_of_the_csv(tmp_path):
    _, analysis = bring_in(tmp_path, HEADER + rows(MEASURED))
    (row,) = csv.DictReader(io.StringIO(evaluation_tables.gains(analysis, analysis.pairs).csv()))
    pair = analysis.pairs[0]
    assert (float(row["speed_low"]), float(row["speed_high"])) == (pair.speed.low, pair.speed.high)
    first = next(csv.DictReader(io.StringIO(evaluation_tables.cells(analysis).csv())))
    assert float(first["mean_low"]) < float(first["mean"]) < float(first["mean_high"])
    assert not any("interval" in name or "|" in name for name in first)


def test_cells_with_several_modes_are_drawn_with_gains_by_medians_and_disagreement_is_warned_of(tmp_path):
    draw = np.random.default_rng(5)
    two = [*draw.normal(8, 0.1, 18), *draw.normal(16, 0.2, 12)]  # mean 11.2, median 8.1
    cells = {("is", "plain"): draw.normal(10, 0.1, 30), ("is", "bond"): two}
    cells = {key: [round(float(v), 7) for v in values] for key, values in cells.items()}
    _, analysis = bring_in(tmp_path, HEADER + rows(cells))
    (row,) = evaluation_tables.modes(analysis).rows
    assert row[2].value < 0 < row[3].value
    assert row[4].shown == "DISAGREE"
    assert any(
        text.startswith("Mean and median disagree about gain or loss: program is, network bond (")
        for text in analysis.warnings
    )
    assert any("network bond has several modes" in text for text in analysis.warnings)
    assert "modes" in [each.name for each in evaluation_report.drawings(analysis)]
    page = evaluation_report.write(analysis, tmp_path / "page.html")[0].read_text()
    assert 'id="several-modes"' in page


def test_the_page_lets_the_reader_choose_a_case_and_is_readable_without_scripts(tmp_path):
    cells = {(f"p<{k}>", net): [10 + k, 10.1 + k, 10.3 + k] for k in range(15) for net in ("plain", "bond")}
    _, analysis = bring_in(tmp_path, HEADER + rows(cells))
    page = evaluation_report.write(analysis, tmp_path / "page.html")[0].read_text()
    found = re.search(r'<script type="application/json" id="choose-data">(.*?)</script>', page, re.DOTALL)
    chosen = json.loads(found[1])
    assert [case["name"] for case in chosen["cases"]] == [f"program p<{k}>" for k in range(15)]
    assert [cell["name"] for cell in chosen["cases"][14]["cells"]] == ["plain", "bond"]
    assert chosen["cases"][14]["cells"][0]["values"] == [24, 24.1, 24.3]
    assert chosen["cases"][0]["cells"][1]["gain"] == "0.0\N{NO-BREAK SPACE}%"
    assert '<figure id="choose" hidden>' in page  # the script shows it
    assert '<figure id="lines">' in page and "The first 12 of 15 cases" in page
    assert not re.search(r'(src|href)="(https?:)?//', page)


def test_the_verdict_stands_right_after_what_is_compared():
    """At 1300 px the first seven columns show; the page never scrolls to a verdict."""
    named = {("a", f"c{k}"): [1.0 + k, 1.1 + k, 1.2 + k] for k in range(3)}
    record = dataset.Run(1, None, dataset.KIND, {"name": "d"}, {}, None, None, {}, 0.0, 1.0, "ok", None, None)
    cells = tuple(
        dataset.DesignCell(levels, np.array(v), np.zeros(3, dtype=np.int64), np.arange(3))
        for levels, v in named.items()
    )
    data = dataset.Dataset(record, "time_s", "s", ("program", "network"), cells, {})
    analysis = evaluation_report.analyse(data, ReportSettings(configurations=("network",)))
    assert evaluation_tables.gains(analysis, analysis.pairs).keys[:4] == ("program", "configuration", "base", "verdict")


# ---------------------------------------------------------------- what is refused

GOOD = HEADER + rows({("is", "plain"): [10, 10.1], ("is", "bond"): [8, 8.1]})
TABLES = [
    ("", ":1: holds no row", "must name the columns"),
    (HEADER, ": holds no row", "one row a sample"),
    ("app,net,t,note,t\nis,plain,1,,2\n", ":1: the column 't' is there 2 times (columns 3, 5)", "a name of its own"),
    (GOOD + "is,bond,8.3\n", ":6: has 3 columns, the first line 4", "double quotes"),
    (GOOD + "is,bond,,0\n", ":6: t: 0 is not a time: it must be more than 0", "dataset.missing"),
    (GOOD + "is,bond,,-3\nis,bond,,-4\n", ":6: t: -3 is not a time", "lines 6, 7"),
    (GOOD + "is,bond,,fast\n", ":6: t: 'fast' is not a number", "dataset.missing"),
    (GOOD + "is,bond,,\n", ":6: t: '' is not a number", "dataset.missing"),
    (GOOD + "is,bond,,1_0\n", ":6: t: '1_0' is not a number", "dataset.missing"),
    (GOOD + "is,bond,,nan\n", ":6: t: 'nan' is not a number", "dataset.missing"),
    (GOOD + "is,bond,,8.1\nis,plain,,10\n", ":6: is the same row as line 5; 2 rows are there twice: lines 6, 7", ""),
    (GOOD.replace(",", ";"), "map.toml:4: factors.program: ", "separated by commas"),
    (GOOD + 'is,"bond,,9\n', ": is not CSV: ", "open quote"),
    (GOOD.replace("bond", "b\xf6nd"), ":4: is not UTF-8 text", "save it as UTF-8"),
    (GOOD + "is,bond\0,,8.3\n", ":6: a byte of 0: this is no CSV", "save it as UTF-8"),
    (GOOD + "is,bond,,1e999\n", ":6: t: '1e999' is not a number", "dataset.missing"),
    (GOOD + "is,bond,,\xd9\xa3\n", ":6: t: '\u0663' is not a number", "dataset.missing"),
    (GOOD + "is,bond,,8,3\n", ":6: has 5 columns, the first line 4", "double quotes"),
    pytest.param(GOOD + f"is,bond,{'x' * 200_000},8\n", ":6: is not CSV: field larger", "", id="a long field"),
]  # fmt: skip
MAPS_ = [
    ("[dataset\n", "map.toml:1: not valid TOML", ""),
    (MAP.replace("[dataset]\n", "[dataset]\nnames = 3\n"), "map.toml:2: dataset.names: unknown key", "mean `name`"),
    (MAP.replace('name = "d"\n', ""), "map.toml:1: dataset.name: is missing", ""),
    (MAP.replace('"app"', '"prog"'), "map.toml:4: factors.program: ", "its columns: app, net, note, t"),
    (MAP.replace('column = "t"', 'column = "time"'), "map.toml:7: values.time_s.column: ", "its columns: app"),
    (MAP.replace('unit = "s"', 'unit = "ms"'), "map.toml:8: values.time_s.unit: must be one of s", "`scale`"),
    (MAP.replace('unit = "s"', 'unit = "s"\nscale = -1'), ":9: values.time_s.scale: must be greater than 0", ""),
    (MAP.replace('unit = "s"', 'unit = "s"\nscale = inf'), ":9: values.time_s.scale: must be a finite number", ""),
    (MAP.replace('program = "app"', '"my program" = "app"'), ":3: factors: 'my program' is not a name", "use letters"),
    (MAP.replace('program = "app"', 'block = "app"'), "map.toml:3: factors: 'block' is not a name for a factor", ""),
    (MAP.replace('["network"]', '["net"]'), "map.toml:9: report: there is no factor net", "correct the map"),
    (MAP + "mpi_share = { is = 94 }\n", "report.mpi_share: is is 94, and a share is from 0 to 1", "correct the map"),
    (MAP.replace('"plain" }', '"plane" }'), "map.toml:9: report: network has no level 'plane'", "it has plain, bond"),
    (MAP + '[where]\nnote = "x"\n', "map.toml:12: where: ", "note: ''"),
    (MAP + '[imputed_where]\nnote = "x"\n', "map.toml:12: imputed_where: ", "note: ''"),
    (MAP + '[exclude_where]\nremark = "x"\n', "map.toml:13: exclude_where.remark: ", "no column 'remark'"),
    (MAP + '[exclude_where]\napp = "is"\n', "map.toml:1: dataset: ", "all rows are set aside"),
    (MAP.replace('name = "d"', 'name = "d"\nreplicate = "n"'), "map.toml:3: dataset.replicate: ", "no column 'n'"),
    (MAP.replace("time_s]", "time_B]"), "map.toml:8: values.time_B.unit: time_B ends with _B", "must be 'B'"),
]  # fmt: skip


def content(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> Path:
    """A directory with a store that holds an earlier import."""
    directory = tmp_path_factory.mktemp("refused")
    bring_in(directory, GOOD)
    return directory


def refused(directory: Path, table: str, columns: str, results: Path) -> str:
    (directory / "runs.csv").write_bytes(table.encode("latin-1"))
    (directory / "map.toml").write_text(columns)
    words = ["evaluate", "import", str(directory / "runs.csv"), "--columns", str(directory / "map.toml")]
    done = CliRunner().invoke(fairlead, [*words, "--results", str(results)])
    assert isinstance(done.exception, ConfigError), done.output  # the command line ends with code 2
    return str(done.exception)


@pytest.mark.parametrize(("table", "complaint", "way_out"), TABLES)
def test_a_table_is_refused_by_line_and_nothing_is_stored(filled, tmp_path, table, complaint, way_out):
    before = content(filled / "results")
    told = refused(tmp_path, table, MAP, filled / "results")
    assert complaint in told and way_out in told
    assert content(filled / "results") == before
    refused(tmp_path, table, MAP, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(("columns", "complaint", "way_out"), MAPS_)
def test_a_map_is_refused_by_line_and_key_and_nothing_is_stored(filled, tmp_path, columns, complaint, way_out):
    before = content(filled / "results")
    told = refused(tmp_path, GOOD, columns, filled / "results")
    assert complaint in told and way_out in told
    assert content(filled / "results") == before


def test_a_run_number_may_stand_once_in_a_cell(tmp_path):
    columns = MAP.replace('name = "d"', 'name = "d"\nreplicate = "note"')
    table = HEADER + "is,plain,1,10\nis,plain,2,10\nis,bond,1,8\nis,bond,1,8.5\n"
    told = refused(tmp_path, table, columns, tmp_path / "results")
    assert ":5: has the note and the levels of line 4" in told
    assert bring_in(tmp_path, table.replace("is,bond,1,8.5", "is,bond,2,8"), columns)[0].rows == 4
    kept = MAP.replace('name = "d"', 'name = "d"\nequal_rows = "keep"')
    assert bring_in(tmp_path, GOOD + "is,bond,,8.1\n", kept)[0].rows == 5


def test_a_field_with_a_line_break_is_one_row(tmp_path):
    found, _ = bring_in(tmp_path, GOOD.replace("is,bond,,8\n", 'is,bond,"two\nlines",8\n'))
    assert found.rows == 4


LOST = (
    MAP.partition("[values")[0]
    + MAP[MAP.index("[report]") :]
    + """[values.lost_count]
column = "t"
unit = "count"
"""
)
FEWER = {("is", "plain"): [40, 41, 39, 42, 38], ("is", "bond"): [20, 21, 19, 22, 18]}


def of_lost(directory: Path, better: str):
    return bring_in(directory, HEADER + rows(FEWER), f'{LOST}better = "{better}"\n')[1]


@pytest.mark.parametrize("unit", ["count", "1", "B"])
def test_values_whose_unit_does_not_say_what_is_better_are_refused_without_it(tmp_path, unit):
    file, columns = tmp_path / "runs.csv", tmp_path / "map.toml"
    file.write_text(HEADER + rows(FEWER))
    columns.write_text(MAP.replace("time_s", "lost").replace('unit = "s"', f'unit = "{unit}"'))
    done = CliRunner().invoke(
        fairlead, ["evaluate", "import", str(file), "--columns", str(columns), "--results", str(tmp_path / "r")]
    )
    assert isinstance(done.exception, ConfigError)
    assert str(done.exception) == (
        f"{columns}:6: values.lost.better: values in {unit} may be better lower or higher\n"
        '  add better = "lower" or better = "higher"'
    )
    assert not (tmp_path / "r").exists()


def test_another_word_than_lower_or_higher_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"map\.toml:12: values\.lost_count\.better: .*'lower' or 'higher'"):
        of_lost(tmp_path, "less")


def test_gains_verdicts_and_figures_follow_what_is_better(tmp_path):
    for better, gain, verdict in (("lower", 1.0, "better"), ("higher", -0.5, "worse")):
        (tmp_path / better).mkdir()
        analysis = of_lost(tmp_path / better, better)
        (pair,) = analysis.pairs
        assert pair.speed_value == pytest.approx(gain)
        assert pair.better_runs == (5 if better == "lower" else 0)
        assert evaluation_tables.verdict_words(analysis.data, pair.verdict) == verdict
        said = " ".join(evaluation_report.findings(analysis))
        assert f"of which {better} is better" in said and f"1 {verdict}" in said.replace(" of 1 cells are", "")
        assert "speed" not in said
        (drawn, *_) = evaluation_report.drawings(analysis)
        assert drawn.title == "Gain" and f"{better} is better" in drawn.caption
        evaluation_report.write(analysis, tmp_path / better / "page.html")
        assert "Speed gained" not in (tmp_path / better / "page.html").read_text()


def test_claims_on_values_of_which_fewer_are_better(tmp_path):
    of_lost(tmp_path, "lower")
    claims = [
        {
            "dataset": "d",
            "statement": f"{figure} {published}",
            "published": published,
            "computation": {"figure": figure, "of": {"network": "bond"}, "against": {"network": "plain"}},
        }
        for figure, published in (("gain", 100), ("time saved", 50), ("faster", True))
    ]
    with Store.read(tmp_path / "results") as store:
        checked = read_and_check(store, [Claim.model_validate(each) for each in claims], [])
    assert [each.verdict for each in checked.checked] == ["holds"] * 3


def test_times_that_are_better_longer_are_what_the_map_says(tmp_path):
    columns = MAP.replace('unit = "s"', 'unit = "s"\nbetter = "higher"')
    (pair,) = bring_in(tmp_path, HEADER + rows(MEASURED), columns)[1].pairs
    assert pair.verdict == "slower" and pair.speed_value < 0


@pytest.mark.parametrize(
    ("unit", "better", "gain", "saved"),
    [
        ("s", "lower", "gain in speed, ratio of means (base / t - 1)", "share of time saved (1 - t / base)"),
        ("B/s", "higher", "gain in speed, ratio of means (rate / base - 1)", "share of time saved (1 - base / rate)"),
        ("count", "lower", "gain, ratio of means (base / value - 1, lower is better)",
         "share saved (1 - value / base, lower is better)"),
        ("1", "higher", "gain, ratio of means (value / base - 1, higher is better)",
         "share saved (1 - base / value, higher is better)"),
    ],
)  # fmt: skip
def test_the_definition_of_a_figure_says_what_is_better(tmp_path, unit, better, gain, saved):
    columns = MAP.replace("time_s", "v").replace('unit = "s"', f'unit = "{unit}"\nbetter = "{better}"')
    data = bring_in(tmp_path, HEADER + rows(MEASURED), columns)[1].data
    assert quantities.PAIR_QUANTITIES["gain"].words(data) == gain
    assert quantities.PAIR_QUANTITIES["time saved"].words(data) == saved
