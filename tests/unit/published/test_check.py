"""Stated figures against data: what holds, what does not follow, what nobody can decide."""

import json
import math
from pathlib import Path

import pytest

from fairlead import config
from fairlead.analysis.evaluations import dataset
from fairlead.cli.main import main
from fairlead.errors import ConfigError
from fairlead.published import claims
from fairlead.published.check import FAILS, HOLDS, UNDECIDABLE, CheckedClaims, read_and_check
from fairlead.published.columns import ColumnMap, import_csv
from fairlead.report.evaluation import claims_report
from fairlead.store import Store

from .published_data import DIRECTORY, MAPS, needs_published

MAP = """
[dataset]
name = "small"
[factors]
program = "app"
network = "net"
[values.time_s]
column = "t"
unit = "s"
"""
# Means: a/plain 10, a/bond 8, b/plain 20, b/bond 25; every sd is 1, so one standard error is 1/sqrt(3).
CSV = "app,net,t\n" + "".join(
    f"{app},{net},{mean + d}\n"
    for app, net, mean in [("a", "plain", 10), ("a", "bond", 8), ("b", "plain", 20), ("b", "bond", 25)]
    for d in (-1, 0, 1)
)
A, B = {"program": "a", "network": "bond"}, {"program": "b", "network": "bond"}
PLAIN_A, PLAIN_B = {"program": "a", "network": "plain"}, {"program": "b", "network": "plain"}


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "results") as opened:
        yield opened


def bring_in(store: Store, directory: Path, text: str = CSV, columns: str = MAP):
    file = directory / "runs.csv"
    file.write_text(text)
    return import_csv(store, file, config.parse(columns, ColumnMap, source="map.toml"))


def claim(published, **computation):
    return claims.Claim.model_validate(
        {"dataset": "small", "statement": "s", "published": published, "computation": computation}
    )


def verdict(store: Store, published, **computation):
    return read_and_check(store, [claim(published, **computation)], []).checked[0]


def test_cells_are_read_back_with_the_lines_they_came_from(store, tmp_path):
    found = bring_in(store, tmp_path)
    assert (found.rows, found.cells, found.missing) == (12, 4, 0)
    data = dataset.load(store, dataset.find(store, "small"))
    assert [cell.levels for cell in data.cells] == [("a", "plain"), ("a", "bond"), ("b", "plain"), ("b", "bond")]
    assert [cell.mean for cell in data.cells] == [10, 8, 20, 25]
    assert data.cells[1].values.tolist() == [7, 8, 9]
    run = int(data.cells[1].runs[0])
    assert store.attachments(run)[0].content == b"5\n6\n7"
    assert store.attachments(found.run)[0].content == CSV.encode()


@pytest.mark.parametrize(
    ("published", "computation", "recomputed", "expected"),
    [
        (25.0, {"figure": "gain", "of": A, "against": PLAIN_A}, 25.0, HOLDS),
        (20.0, {"figure": "gain", "of": A, "against": PLAIN_A}, 25.0, FAILS),  # the share of time saved is no gain
        (-20, {"figure": "gain", "of": B, "against": PLAIN_B}, -20.0, HOLDS),
        (8.0, {"figure": "mean", "of": A}, 8.0, HOLDS),
        (8.1, {"figure": "mean", "of": A}, 8.0, FAILS),
        ([8, 1, 1.73, 3], {"figure": "summary", "of": A, "digits": 3}, [8, 1, math.sqrt(3), 3], HOLDS),
        ([8, 1, 1.74, 3], {"figure": "summary", "of": A, "digits": 3}, [8, 1, math.sqrt(3), 3], FAILS),
        ("overlap", {"figure": "bars", "of": A, "against": PLAIN_A}, "overlap", HOLDS),
        ("overlap", {"figure": "bars", "of": B, "against": PLAIN_B}, "separate", FAILS),
        (11, {"figure": "all means below", "of": {"program": "a"}}, 10.0, HOLDS),
        (10, {"figure": "all means below", "of": {"program": "a"}}, 10.0, FAILS),
    ],
)
def test_every_figure(store, tmp_path, published, computation, recomputed, expected):
    bring_in(store, tmp_path)
    found = verdict(store, published, **computation)
    assert found.recomputed == pytest.approx(recomputed) if not isinstance(recomputed, str) else recomputed
    assert found.verdict == expected
    assert found.runs


def test_figures_over_many_cells_say_where(store, tmp_path):
    bring_in(store, tmp_path)
    over = {
        "of": {"program": "{p}", "network": "bond"},
        "against": {"program": "{p}", "network": "plain"},
        "each": {"p": ["a", "b"]},
    }
    greatest = verdict(store, 25, figure="greatest gain", **over)
    assert (greatest.verdict, greatest.recomputed, greatest.remark) == (HOLDS, 25.0, "found at program a, network bond")
    all_better = verdict(store, 2, figure="better in all", **over)
    assert (all_better.verdict, all_better.recomputed, all_better.remark) == (
        FAILS,
        1.0,
        "not for program b, network bond",
    )


def test_a_number_may_be_rounded_or_cut_to_the_digits_it_was_printed_with(store, tmp_path):
    bring_in(store, tmp_path, "app,net,t\nx,n,2.6666\nx,n,2.6668\ny,n,2.4\ny,n,2.6\n")
    x, y = {"program": "x", "network": "n"}, {"program": "y", "network": "n"}
    assert [verdict(store, p, figure="mean", of=x).verdict for p in (2.67, 2.66, 2.7, 3, 2, 2.65, 4)] == [
        *(HOLDS, HOLDS, HOLDS, HOLDS, HOLDS),
        *(FAILS, FAILS),
    ]
    assert verdict(store, 2.66, figure="mean", of=x).remark == "cut"
    assert verdict(store, 2.6, figure="mean", of=x, decimals=2).verdict == FAILS
    assert verdict(store, 3, figure="mean", of=y).verdict == HOLDS


@pytest.mark.parametrize(("published", "code"), [([8.0, 8.1], 1), ([8.0], 0)])
def test_the_exit_code_tells_whether_all_claims_hold(store, tmp_path, monkeypatch, capsys, published, code):
    bring_in(store, tmp_path)
    of_nobody = {"program": "c", "network": "bond"}  # undecidable, which is no failure
    undecidable = claim(1.0, figure="mean", of=of_nobody, no_data="c was not measured")
    stated = [*(claim(each, figure="mean", of=A) for each in published), undecidable]
    (tmp_path / "claims.json").write_text(json.dumps([each.model_dump(mode="json") for each in stated]))
    words = ["evaluate", "check", str(tmp_path / "claims.json"), "--json", "--results", str(tmp_path / "results")]
    monkeypatch.setattr("sys.argv", ["fairlead", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    assert json.loads(capsys.readouterr().out)["totals"].get(FAILS, 0) == code


def test_the_example_shows_all_three_kinds(tmp_path):
    with Store.open(tmp_path) as store:
        import_csv(store, MAPS / "example.csv", config.load(MAPS / "example.toml", ColumnMap))
        result = read_and_check(store, claims.load(MAPS / "example_claims.json"), claims.readings())
    assert [each.verdict for each in result.checked] == [HOLDS, HOLDS, FAILS, UNDECIDABLE]


def test_what_has_no_data_or_no_reading_is_undecidable(store, tmp_path):
    lines = [line for line in CSV.splitlines() if not line.startswith("b,bond")]
    bring_in(store, tmp_path, "\n".join(lines) + "\n")
    nothing = verdict(store, 1, figure="mean", of=B)
    assert (nothing.verdict, nothing.remark) == (UNDECIDABLE, "small has no samples of program b, network bond")
    known = verdict(store, 1, figure="mean", of={"program": "c"}, no_data="c was not measured")
    assert (known.verdict, known.remark) == (UNDECIDABLE, "c was not measured")
    elsewhere = verdict(store, 1, figure="mean", of=A, data="other", no_data="not published")
    assert (elsewhere.verdict, elsewhere.remark) == (UNDECIDABLE, "not published")
    unread = claims.Claim(dataset="small", statement="all is well", published="yes")
    assert read_and_check(store, [unread], []).checked[0].verdict == UNDECIDABLE


def test_a_table_whose_intervals_are_something_else_is_told(store, tmp_path):
    bring_in(store, tmp_path)
    stated = {"figure": "half width", "stated": "three standard errors", "table": "table 7", "decimals": 2}
    result = read_and_check(store, [claim(0.58, of=A, **stated), claim(0.58, of=B, **stated)], [])
    assert [each.verdict for each in result.checked] == [HOLDS, HOLDS]
    assert result.checked[0].remark == "mislabelled: stated as three standard errors"
    assert result.findings == (
        "table 7: its half widths are stated as three standard errors; 2 of 2 are one standard error: "
        "the interval is mislabelled",
    )
    right = read_and_check(store, [claim(1.73, of=A, **stated)], [])
    assert (right.checked[0].verdict, right.findings) == (HOLDS, ())


def test_a_definition_that_fits_no_more_than_the_stated_one_mislabels_nothing(store, tmp_path):
    bring_in(store, tmp_path)
    bring_in(store, tmp_path, columns=MAP.replace('"small"', '"other"'))
    stated = {"figure": "half width", "stated": "three standard errors", "decimals": 2}
    # 0.58 is one standard error, 1.73 three of them.
    tie = [claim(0.58, of=A, table="t", **stated), claim(1.73, of=B, table="t", **stated)]
    result = read_and_check(store, tie, [])
    assert [(each.verdict, each.definition) for each in result.checked] == [
        (FAILS, "three standard errors"),
        (HOLDS, "three standard errors"),
    ]
    assert not any("mislabelled" in (each.remark or "") for each in result.checked)
    elsewhere = [
        claim(0.58, of=A, table="t", data="other", **stated),
        claim(0.58, of=B, table="t", data="other", **stated),
    ]
    result = read_and_check(store, [*tie, *elsewhere], [])
    assert [each.verdict for each in result.checked] == [FAILS, HOLDS, HOLDS, HOLDS]
    assert len(result.findings) == 1
    assert "2 of 2 are one standard error" in result.findings[0]


def test_an_order_leaves_out_cases_that_lack_a_level(store, tmp_path):
    rows = ["a,plain,10", "a,bond,8", "a,wide,6", "b,plain,20", "b,bond,25"]
    bring_in(store, tmp_path, "app,net,t\n" + "".join(f"{row}\n" for row in rows))
    order = {"figure": "order", "of": {}, "along": "network"}
    found = verdict(store, ["wide", "bond", "plain"], **order)
    assert (found.verdict, found.recomputed) == (HOLDS, "in this order: 1 of 1")
    assert found.remark == "left out: b (no network wide)"
    other = verdict(store, ["plain", "bond", "wide"], **order)
    assert (other.verdict, other.remark) == (FAILS, "a: wide, bond, plain; left out: b (no network wide)")
    means = verdict(store, ["plain", "bond", "wide"], figure="mean", of={}, over="order", along="network")
    assert (means.verdict, means.remark) == (HOLDS, "left out: b (no network wide)")
    none = verdict(store, ["wide", "bond", "plain"], **{**order, "of": {"program": "b"}})
    assert none.verdict == UNDECIDABLE
    assert none.remark == "small has no case with all these levels of network; left out: b (no network wide)"


def test_an_error_bar_of_no_table_is_judged_alone(store, tmp_path):
    bring_in(store, tmp_path)
    stated = {"figure": "half width", "stated": "three standard errors", "decimals": 2}
    result = read_and_check(
        store, [claim(0.58, of=A, **stated), claim(0.58, of=B, **stated), claim(1.73, of=A, **stated)], []
    )
    assert [(each.verdict, each.definition) for each in result.checked] == [
        (HOLDS, "one standard error"),
        (HOLDS, "one standard error"),
        (HOLDS, "three standard errors"),
    ]
    assert ["mislabelled" in (each.remark or "") for each in result.checked] == [True, True, False]
    assert result.findings == ()


@pytest.mark.parametrize(
    ("text", "columns", "complaint"),
    [
        ("app,net\na,b\n", MAP, "runs.csv:1: there is no column 't'"),
        ("app,net,t\na,b,1\na,b,fast\n", MAP, "runs.csv:3: t: 'fast' is not a number"),
        ("app,net,t\na,b,1\na,b,nan\n", MAP, "runs.csv:3: t: 'nan' is not a number"),
        ("app,net,t\na,b\n", MAP, "runs.csv:2: has 2 columns, the first line 3"),
        ("app,net,t\n", MAP, "runs.csv: holds no row"),
        (CSV, MAP + '[report]\nconfigurations = ["net"]\n', "report: there is no factor net"),
        (CSV, MAP + '[report]\nconfigurations = ["network"]\nbaseline = { network = "x" }', "network has no level 'x'"),
        (CSV, MAP + '[report]\nconfigurations = ["network"]\n', "baseline: network is missing"),
    ],
)
def test_files_that_cannot_be_imported_leave_nothing(store, tmp_path, text, columns, complaint):
    with pytest.raises(ConfigError, match=complaint.replace("[", r"\[")):
        bring_in(store, tmp_path, text, columns)
    assert store.runs() == []


def test_missing_samples_are_those_that_the_map_names(store, tmp_path):
    columns = MAP.replace('name = "small"', 'name = "small"\nmissing = ["NA"]')
    found = bring_in(store, tmp_path, "app,net,t\na,b,1\na,b,NA\na,b,3\n", columns)
    assert (found.rows, found.missing) == (3, 1)
    assert dataset.load(store, dataset.find(store)).cells[0].values.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is not JSON"),
        ("[]", "claims.json:1: file: holds no claim"),
    ],
)
def test_files_of_claims_are_complained_about(tmp_path, text, complaint):
    file = tmp_path / "claims.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=complaint):
        claims.load(file)


# ---------------------------------------------------------------- published measurements

UNFOUNDED = {
    "section 3: FT, 4 NICs layer3+4 vs Regular TCP",
    "conclusion: 4 NICs better than 2 NICs for all applications and any hash policy",
    'thesis table 5.1: ALYA DS4 "confidence interval" half-width',
    "thesis 5.2.1: latency 64 B: F8 vs DS4 error bars overlap",
}


def published(directory: Path, **altered: str) -> CheckedClaims:
    """Verdicts on all published claims; ``altered``: by file, its text in place of the published one."""
    with Store.open(directory / "results") as store:
        for name in ("iccsa", "iscc", "iscc_intel"):
            file = directory / f"{name}.csv"
            file.write_text(altered.get(name, (DIRECTORY / f"{name}.csv").read_text()))
            import_csv(store, file, config.load(MAPS / f"{name}.toml", ColumnMap))
        return read_and_check(store, claims.load(DIRECTORY / "published_claims.json"), claims.readings())


@needs_published
def test_published_claims_are_decided_as_the_raw_data_decide_them(tmp_path):
    result = published(tmp_path)
    assert {each.claim.statement for each in result.checked if each.verdict == FAILS} == UNFOUNDED
    undecided = [each.claim.statement for each in result.checked if each.verdict == UNDECIDABLE]
    assert len(undecided) == 7
    assert all(statement.startswith("LabBook tibble: ping-pong latency") for statement in undecided)
    assert (len(result.checked), result.count(HOLDS)) == (124, 113)
    assert not any(each.differs_from_file for each in result.checked)
    assert result.findings == (
        "table 5.1: its half widths are stated as three standard errors; 26 of 27 are one standard error: "
        "the interval is mislabelled",
    )
    given = {
        entry["statement"]: entry["recomputed"]
        for entry in json.loads((DIRECTORY / "published_claims.json").read_text())
    }
    for each in result.checked:
        if each.verdict != UNDECIDABLE:
            expected = given[each.claim.statement]
            assert each.recomputed == (
                expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-3, abs=6e-5)
            )


@needs_published
def test_altered_data_change_the_verdicts(tmp_path):
    def slower(line: str, factor: float) -> str:
        words = line.split(",")
        return ",".join([*words[:4], repr(float(words[4]) * factor), *words[5:]])

    lines = (DIRECTORY / "iccsa.csv").read_text().splitlines()
    base = sum(float(each.split(",")[4]) for each in lines if each.startswith("FT,1")) / 30
    four = sum(float(each.split(",")[4]) for each in lines if each.startswith("FT,4,layer3+4")) / 30
    factor = {
        "IS,4,layer2,": 1.05,
        "FT,4,layer3+4,": base / 1.0483 / four,
        "IS,4,layer3+4,": 0.5,
        "FT,2,layer3+4,": 1.2,
    }
    text = "\n".join(
        next((slower(line, f) for start, f in factor.items() if line.startswith(start)), line) for line in lines
    )
    result = published(tmp_path, iccsa=text + "\n")
    changed = {each.claim.statement: each.verdict for each in result.checked if each.differs_from_file}
    assert changed == {
        "section 3: IS, 4 NICs layer2 vs Regular TCP": FAILS,
        "section 3: IS, 4 NICs layer3+4 vs Regular TCP": FAILS,
        "abstract/conclusion: up to ~40% / IS 40.37%": FAILS,
        "section 3: FT, 2 NICs layer3+4 vs Regular TCP": FAILS,
        "LabBook tibble: FT 802.3ad-2NICs-layer3+4: average, std, ste=3*std/sqrt(n), N": FAILS,
        "section 3: FT, 4 NICs layer3+4 vs Regular TCP": HOLDS,
        "conclusion: 4 NICs better than 2 NICs for all applications and any hash policy": HOLDS,
    }
    assert len(claims_report.disagreements(result)) == 7
