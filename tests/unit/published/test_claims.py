"""Kinds of statements that papers make, each with a verdict; and claims with mistakes, which stop no other."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead import config
from fairlead.cli.evaluate import command
from fairlead.cli.main import command as fairlead
from fairlead.errors import ConfigError
from fairlead.published import claims
from fairlead.published.check import FAILS, HOLDS, UNDECIDABLE, CheckedClaims, read_and_check
from fairlead.published.columns import ColumnMap, import_csv
from fairlead.report.evaluation import claims_report
from fairlead.store import Store

from .published_data import DIRECTORY, MAPS, needs_published

MAP = """
[dataset]
name = "bonds"
[factors]
program = "app"
nics = "nics"
policy = "policy"
[values.time_s]
column = "t"
unit = "s"
[report]
configurations = ["nics", "policy"]
baseline = { nics = 1, policy = "none" }
[[report.groups]]
name = "high"
where = { program = ["is", "ft"] }
[[report.groups]]
name = "low"
where = { program = ["ep"] }
"""
MEANS = {
    ("is", 1, "none"): 10, ("is", 2, "l2"): 8, ("is", 4, "l2"): 5, ("is", 2, "l34"): 12.5, ("is", 4, "l34"): 10.05,
    ("ft", 1, "none"): 20, ("ft", 2, "l2"): 16, ("ft", 4, "l2"): 12.5, ("ft", 2, "l34"): 19.9, ("ft", 4, "l34"): 16,
    ("ep", 1, "none"): 40, ("ep", 2, "l2"): 40.02, ("ep", 4, "l2"): 39.98, ("ep", 2, "l34"): 40, ("ep", 4, "l34"): 50,
}  # fmt: skip
SCATTER = (-0.1, -0.05, -0.01, 0.01, 0.05, 0.1)
CSV = "app,nics,policy,t\n" + "".join(
    f"{app},{nics},{policy},{mean + d:.4f}\n" for (app, nics, policy), mean in MEANS.items() for d in SCATTER
)
BASE = {"nics": 1, "policy": "none"}
L2_OF_IS = {"program": "is", "nics": 4, "policy": "l2"}


def test_a_reading_fills_all_its_texts() -> None:
    reading = claims.ComputationRule(
        dataset="bonds", statement="(?P<app>\\w+) along (?P<factor>\\w+) in (?P<unit>\\w+), table (?P<number>\\d)",
        figure="mean", of={"program": "{app}"}, over="grows", along="{factor}", average_over=("{factor}2",),
        unit="{unit}", table="table {number}", no_data="{app} is not published", each={"k": ("{app}", "{k}")},
    )  # fmt: skip
    claim = claims.Claim(dataset="bonds", statement="is along nics in ms, table 3")
    (read,) = claims.read([claim], [reading])
    found = read.computation
    assert found is not None
    assert (found.along, found.unit, found.table, found.no_data) == ("nics", "ms", "table 3", "is is not published")
    assert (found.average_over, found.each) == (("nics2",), {"k": ("is", "{k}")})


def test_a_published_number_is_shown_as_it_is_written() -> None:
    shown = {
        each: claims_report._as_printed(each) for each in (491.0, 12345.678, 99.99999, 0.5, 7, "4.80", None, False)
    }
    assert list(shown.values()) == ["491", "12345.678", "99.99999", "0.5", "7", "4.80", "yes", "no"]


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("claims")
    file = directory / "runs.csv"
    file.write_text(CSV)
    with Store.open(directory / "results") as store:
        import_csv(store, file, config.parse(MAP, ColumnMap, source="map.toml"))
    return directory / "results"


def stated(*entries: object) -> str:
    """A file of claims; entries are whole claims, or pairs of a published figure and a computation."""
    return json.dumps(
        [
            entry
            if not isinstance(entry, tuple)
            else {"dataset": "bonds", "statement": f"claim {k}", "published": entry[0], "computation": entry[1]}
            for k, entry in enumerate(entries)
        ],
        indent=1,
    )


def check(results: Path, directory: Path, text: str) -> CheckedClaims:
    file = directory / "claims.json"
    file.write_text(text)
    with Store.read(results) as store:
        return read_and_check(store, claims.load(file), [])


def gain(**more: object) -> dict[str, object]:
    return {"figure": "gain", "against": BASE, **more}


@pytest.mark.parametrize(
    ("published", "computation", "recomputed", "expected"),
    [
        # averages over a group of cases
        (50, gain(of={"program": ["is", "ft"], "policy": "l2"}, over="mean"), (25 + 100 + 25 + 60) / 4, FAILS),
        (52.5, gain(of={"group": "high", "policy": "l2"}, over="mean"), 52.5, HOLDS),
        (42.5, gain(of={"group": "high", "policy": "l2"}, over="median"), 42.5, HOLDS),
        (80, gain(of={"group": "high", "nics": 4, "policy": "l2"}, average_over=["program"]), 80, HOLDS),
        (80, gain(of={"group": "high"}, average_over=["program"], over="greatest", at={"nics": 4}), 80, HOLDS),
        (80, gain(of={"group": "high"}, average_over=["program"], over="greatest", at={"nics": 2}), 80, FAILS),
        # extremes, with where they are
        (100, gain(of={"program": "*"}, over="greatest", at={"program": "is", "nics": 4}), 100, HOLDS),
        (100, gain(of={"program": "*"}, over="greatest", at={"program": "ft"}), 100, FAILS),
        (-20, gain(over="least", of={"policy": "l34"}), -20, HOLDS),
        (20, {"figure": "loss", "of": {"policy": "l34"}, "against": BASE, "over": "greatest"}, 20, HOLDS),
        # bounds and ranges
        ([25, 100], gain(of={"group": "high", "policy": "l2"}, over="every", relation="between"), [25, 100], HOLDS),
        ([30, 100], gain(of={"group": "high", "policy": "l2"}, over="every", relation="between"), [25, 100], FAILS),
        ([25, 100], gain(of={"group": "high", "policy": "l2"}, over="range"), [25, 100], HOLDS),
        ([20, 100], gain(of={"group": "high", "policy": "l2"}, over="range"), [25, 100], FAILS),
        (100, gain(of={"policy": "l2"}, over="greatest", relation="at most"), 100, HOLDS),
        (99, gain(of={"policy": "l2"}, over="greatest", relation="at most"), 100, FAILS),
        (24, gain(of=L2_OF_IS, relation="at least"), 100, HOLDS),
        (100, gain(of=L2_OF_IS, relation="above"), 100, FAILS),
        (98, gain(of=L2_OF_IS, relation="about", within=3), 100, HOLDS),
        (96, gain(of=L2_OF_IS, relation="about", within=3), 100, FAILS),
        # counts and shares
        (9, gain(over="count"), 7, FAILS),
        (7, gain(over="count", counted="gained"), 7, HOLDS),
        ([7, 12], gain(over="count"), [7, 12], HOLDS),
        ([7, 11], gain(over="count"), [7, 12], FAILS),
        (4, gain(over="count", counted="lost"), 4, HOLDS),
        (58, gain(over="share"), 100 * 7 / 12, HOLDS),
        (50, gain(over="share", relation="above"), 100 * 7 / 12, HOLDS),  # "most of them"
        (5, gain(over="count", counted="above", bound=25), 2, FAILS),  # three gain 25 %
        (2, gain(over="count", counted="above", bound=25), 2, HOLDS),
        (5, gain(over="count", counted="faster"), 5, HOLDS),
        (2, gain(over="count", counted="slower"), 2, HOLDS),
        (5, gain(over="count", counted="no difference"), 5, HOLDS),
        (100, gain(over="share", counted="better runs", of={"group": "high", "policy": "l2"}), 100, HOLDS),
        # other definitions
        (50, {"figure": "time saved", "of": L2_OF_IS, "against": BASE}, 50, HOLDS),
        (100, {"figure": "time saved", "of": L2_OF_IS, "against": BASE}, 50, FAILS),
        (25, {"figure": "time added", "of": {**L2_OF_IS, "nics": 2, "policy": "l34"}, "against": BASE}, 25, HOLDS),
        (2, {"figure": "speedup", "of": L2_OF_IS, "against": BASE}, 2, HOLDS),
        (0.5, {"figure": "slowdown", "of": L2_OF_IS, "against": BASE}, 0.5, HOLDS),
        (-5, {"figure": "difference", "of": L2_OF_IS, "against": BASE}, -5, HOLDS),
        (-5000, {"figure": "difference", "of": L2_OF_IS, "against": BASE, "unit": "ms"}, -5000, HOLDS),
        (5, {"figure": "median", "of": L2_OF_IS}, 5, HOLDS),
        (6, {"figure": "runs", "of": L2_OF_IS}, 6, HOLDS),
        (4.9, {"figure": "shortest run", "of": L2_OF_IS}, 4.9, HOLDS),
        (1.4, {"figure": "coefficient of variation", "of": L2_OF_IS}, 1.41987, HOLDS),
        (0.08, {"figure": "standard deviation", "over": "greatest", "relation": "at most"}, 0.0709930, HOLDS),
    ],
)
def test_numbers_of_many_kinds(results, tmp_path, published, computation, recomputed, expected):
    result = check(results, tmp_path, stated((published, computation)))
    assert result.mistakes == ()
    (found,) = result.checked
    assert found.recomputed == pytest.approx(recomputed, rel=1e-4)
    assert found.verdict == expected
    assert found.runs


@pytest.mark.parametrize(
    ("published", "computation", "expected"),
    [
        (None, {"figure": "faster", "of": L2_OF_IS, "against": BASE}, HOLDS),
        (None, {"figure": "faster", "of": {"program": "ep", "nics": 4, "policy": "l2"}, "against": BASE}, FAILS),
        (False, {"figure": "faster", "of": {"program": "ep", "nics": 4, "policy": "l2"}, "against": BASE}, HOLDS),
        ("slower", {"figure": "slower", "of": {"program": "is", "nics": 2, "policy": "l34"}, "against": BASE}, HOLDS),
        (None, {"figure": "no difference", "of": {"program": "ep", "policy": "l2"}, "against": BASE}, HOLDS),
        (None, {"figure": "no difference", "of": {"program": "ep"}, "against": BASE}, FAILS),
        (None, {"figure": "faster", "of": {"nics": 4, "policy": "l2"}, "against": {"policy": "l34"}}, HOLDS),
        # the best of all: against every other level
        (None, {"figure": "faster", "of": {"program": "is", "nics": 4, "policy": "l2"},
                "against": {"nics": "*", "policy": "*"}}, HOLDS),
        (None, {"figure": "all gain", "of": {"group": "high", "policy": "l2"}, "against": BASE}, HOLDS),
        (None, {"figure": "all gain", "of": {"group": "high"}, "against": BASE}, FAILS),
        (False, {"figure": "all gain", "of": {"group": "high"}, "against": BASE}, HOLDS),
        (None, {"figure": "all lose", "of": {"program": "is", "policy": "l34"}, "against": BASE}, HOLDS),
        (None, gain(of={"group": "high"}, over="grows", along="nics"), HOLDS),
        (None, gain(of={"policy": "l34"}, over="grows", along="nics"), FAILS),
        (None, {"figure": "mean", "of": {"program": ["is", "ft"], "nics": 1}, "over": "grows", "along": "program"},
         HOLDS),
        (None, {"figure": "mean", "of": {"nics": [1, 2, 4], "policy": ["none", "l2"], "program": "is"},
                "average_over": ["policy"], "over": "falls", "along": "nics"}, HOLDS),
        # groups beside each other, and numbers of averages
        (None, gain(of={"group": ["low", "high"], "policy": "l2"}, average_over=["program"], over="grows",
                    along="group"), HOLDS),
        (None, gain(of={"group": ["high", "low"], "policy": "l2"}, average_over=["program"], over="grows",
                    along="group"), FAILS),
        (["l2", "l34"], {"figure": "order", "of": {"nics": 2}, "along": "policy"}, FAILS),
        (["l2", "l34"], {"figure": "order", "of": {"nics": 4}, "along": "policy"}, HOLDS),
        (["l34", "l2"], {"figure": "mean", "of": {"nics": 4}, "over": "order", "along": "policy"}, HOLDS),
        (["4", "2"], gain(of={"policy": "l2", "group": "high"}, over="order", along="nics"), HOLDS),
        ([2, 4], gain(of={"policy": "l2", "group": "high"}, over="order", along="nics"), FAILS),
        ("overlap", {"figure": "bars", "of": {"program": "ep", "nics": 2, "policy": "l2"}, "against": BASE}, HOLDS),
    ],
)  # fmt: skip
def test_statements_in_words(results, tmp_path, published, computation, expected):
    result = check(results, tmp_path, stated((published, computation)))
    assert result.mistakes == ()
    assert result.checked[0].verdict == expected


def test_what_fails_by_one_definition_and_holds_by_another_is_told_so(results, tmp_path):
    found = check(
        results,
        tmp_path,
        stated(
            (50, {"figure": "gain", "of": L2_OF_IS, "against": BASE}),
            (100, {"figure": "time saved", "of": L2_OF_IS, "against": BASE}),
            (20, {"figure": "gain", "of": {"program": "is", "nics": 2, "policy": "l34"}, "against": BASE}),
            (71.43, gain(of={"group": "high", "nics": 4, "policy": "l2"}, over="mean")),
            (None, {"figure": "faster", "of": {"program": "ep", "nics": 4, "policy": "l2"}, "against": BASE}),
        ),
    ).checked
    assert [each.verdict for each in found] == [FAILS] * 5
    assert found[0].remark == "it holds as share of time saved (1 - t / base), in %: 50.00"
    assert found[1].remark == "it holds as gain in speed, ratio of means (base / t - 1), in %: 100.0"
    assert "it holds as loss of speed (1 - base / t), in %: 20.00" in found[2].remark
    assert found[3].remark.startswith("it holds as ratio of the averaged means")  # 30 / 17.5 - 1
    assert "it holds by means alone" in found[4].remark


@pytest.mark.parametrize("published", [0, 1, 0.0])
def test_a_number_is_no_word_of_bars(results, tmp_path, published):
    """0 is not false here, which would be "separate": Python takes one for the other."""
    computation = {"figure": "bars", "of": {"program": "ep", "nics": 2, "policy": "l2"}, "against": BASE}
    result = check(results, tmp_path, stated((published, computation)))
    assert not result.checked
    assert 'must be "overlap" or "separate"' in str(result.mistakes[0])


def test_a_claim_on_data_without_samples_stops_no_other(tmp_path):
    (tmp_path / "runs.csv").write_text(CSV)
    with Store.open(tmp_path / "results") as store:
        import_csv(store, tmp_path / "runs.csv", config.parse(MAP, ColumnMap, source="map.toml"))
        facts = {"factors": ["nics"], "series": {"time_s": "s"}, "value": "time_s"}
        store.begin_run("evaluation", {"name": "empty", "origin": "run"}, plan={}, facts=facts)
    claim = {"dataset": "empty", "statement": "nothing is known of it"}
    text = stated(claim, (100, {"figure": "gain", "of": L2_OF_IS, "against": BASE}))
    found = check(tmp_path / "results", tmp_path, text)
    assert [each.verdict for each in found.checked] == [UNDECIDABLE, HOLDS]
    assert "has no sample of time_s yet" in found.checked[0].remark


def test_numbers_are_levels_as_well_as_texts(results, tmp_path):
    spelt = [{**L2_OF_IS, "nics": each} for each in (4, "4", 4.0)]
    found = check(results, tmp_path, stated(*((100, gain(of=each)) for each in spelt)))
    assert [each.verdict for each in found.checked] == [HOLDS] * 3


def test_zeros_at_the_end_of_a_text_count(results, tmp_path):
    of = {"program": "is", "nics": 4, "policy": "l34"}
    found = check(
        results, tmp_path, stated((10, {"figure": "mean", "of": of}), ("10.00", {"figure": "mean", "of": of}))
    )
    assert [each.verdict for each in found.checked] == [HOLDS, FAILS]  # it is 10.05


def test_of_many_cells_a_remark_names_where(results, tmp_path):
    (found,) = check(results, tmp_path, stated((100, gain(over="greatest", at={"program": "ft"})))).checked
    assert found.remark == "found at program is, nics 4, policy l2, not at program ft"
    (found,) = check(results, tmp_path, stated((None, {"figure": "all gain", "against": BASE}))).checked
    assert found.remark == (
        "not for program is, nics 2, policy l34 (−20.00); program is, nics 4, policy l34 (−0.4975); "
        "program ep, nics 2, policy l2 (−0.04998); program ep, nics 2, policy l34 (0); "
        "program ep, nics 4, policy l34 (−20.00)"
    )


MISTAKES = [
    (
        {"figure": "gian", "of": L2_OF_IS, "against": BASE},
        "computation.figure",
        "'gian' is unknown (did you mean 'gain'?); known are gain, ",
    ),
    ({"figure": "gain", "of": {"progam": "is"}, "against": BASE}, "computation.of.progam", "did you mean 'program'?"),
    ({"figure": "gain", "of": {"program": "iss"}, "against": BASE}, "computation.of.program", "known are is, ft, ep"),
    ({"figure": "gain", "of": {"nics": 3}, "against": BASE}, "computation.of.nics", "'3' is not a level of nics"),
    ({"figure": "gain", "of": {"group": "hihg"}, "against": BASE}, "computation.of.group", "known are high, low"),
    ({"figure": "mean", "of": L2_OF_IS, "value": "time"}, "computation.value", "did you mean 'time_s'?"),
    ({"figure": "mean", "of": L2_OF_IS, "data": "bond"}, "computation.data", "did you mean 'bonds'? known are bonds"),
    (
        {"figure": "mean", "of": {"program": "is"}},
        "computation.of",
        "5 cells are program is: name a level of nics, policy",
    ),
    ({"figure": "mean", "of": L2_OF_IS, "unit": "sec"}, "computation.unit", "known are s, ms, us, ns, min, h"),
    ({"figure": "gain", "of": L2_OF_IS}, "computation.against", "is missing"),
    ({"figure": "gain", "off": L2_OF_IS, "against": BASE}, "computation.off", "did you mean `of`?"),
    ({"figure": "gain", "of": L2_OF_IS, "against": BASE, "over": "avg"}, "computation.over", "must be one of 'mean'"),
    ({"figure": "mean", "over": "grows", "along": "policy"}, "computation.along", "are not numbers"),
    ({"figure": "gain", "against": BASE, "over": "grows", "along": "nic"}, "computation.along", "did you mean 'nics'?"),
    ({"figure": "mean", "of": {"nics": True}}, "computation.of.nics", "must be a string"),
]


@pytest.mark.parametrize(("computation", "key", "reason"), MISTAKES)
def test_a_mistake_is_named_by_file_line_and_key_and_the_others_are_checked(
    results, tmp_path, computation, key, reason
):
    right = (100, gain(of=L2_OF_IS))
    text = stated(right, (None if computation.get("over") == "grows" else 100, computation), right)
    result = check(results, tmp_path, text)
    assert [each.verdict for each in result.checked] == [HOLDS, HOLDS]
    (mistake,) = result.mistakes
    assert mistake.key == f"[1].{key}"
    assert reason in mistake.reason
    line = text.splitlines()[mistake.line - 1].strip()
    written = key.rpartition(".")[2]
    assert line.startswith(f'"{written}"') or '"computation"' in line  # the nearest key that is written
    assert claims_report.totals(result).endswith(", 1 cannot be read")


@pytest.mark.parametrize(
    ("entry", "key", "reason"),
    [
        (
            {"dataset": "bond", "statement": "s", "published": 1},
            "dataset",
            "'bond' is not a data set here; did you mean",
        ),
        ({"statement": "s", "published": 1}, "dataset", "is missing"),
        ({"dataset": "bonds", "statement": 5, "published": 1}, "statement", "must be a string"),
        ({"dataset": "bonds", "statement": "s", "publishd": 1}, "publishd", "did you mean `published`?"),
        ({"dataset": "bonds", "statement": "s", "published": {}}, "published", "must be"),
        (
            {"dataset": "bonds", "statement": "s", "published": "many", "computation": gain(of=L2_OF_IS)},
            "published",
            "must be a number for this figure, not 'many'",
        ),
        (
            {"dataset": "bonds", "statement": "s", "published": 3, "computation": {**gain(), "figure": "faster"}},
            "published",
            "must be true or false",
        ),
        (17, "", "must be an object"),
        ({"dataset": "", "statement": "s", "published": 1}, "dataset", "must not be empty"),
        ({"dataset": "bonds", "statement": "s", "reproduces": "perhaps"}, "reproduces", "must be true or false"),
        (
            {"dataset": "bonds", "statement": "s", "published": "1e999", "computation": gain(of=L2_OF_IS)},
            "published",
            "number",
        ),
    ],
)
def test_mistakes_beside_the_computation(results, tmp_path, entry, key, reason):
    result = check(results, tmp_path, stated((100, gain(of=L2_OF_IS)), entry))
    assert [each.verdict for each in result.checked] == [HOLDS]
    assert result.mistakes[0].key == (f"[1].{key}" if key else "[1]")
    assert reason in result.mistakes[0].reason


def test_the_terminal_names_and_counts_mistakes(results, tmp_path):
    file = tmp_path / "claims.json"
    file.write_text(stated((100, gain(of=L2_OF_IS)), (1, gain(of={"nics": 3})), (7, gain(of=L2_OF_IS))))
    done = CliRunner().invoke(command, ["check", str(file), "--results", str(results)], standalone_mode=False)
    assert done.return_value == 2
    (line,) = [each for each in done.output.splitlines() if each.startswith(str(file))]
    number = file.read_text().splitlines().index('    "nics": 3') + 1
    assert line == f"{file}:{number}: [1].computation.of.nics: bonds: '3' is not a level of nics; known are 1, 2, 4"
    assert "1 hold, 1 do not follow from the data, 0 the data cannot decide, 1 cannot be read" in done.output
    as_json = CliRunner().invoke(command, ["check", str(file), "--json", "--results", str(results)])
    assert json.loads(as_json.stdout)["mistakes"][0]["line"] == number


WHOLE_FILES = [
    ("", ":1: is not JSON", "a list of claims"),
    ("{", ":1: is not JSON: a key must be a string", "a list of claims"),
    ('{"dataset": "bonds"}', ":1: file: must be a list of claims", "a list of claims"),
    ("[]", ":1: file: holds no claim", "a list of claims"),
    ("[\n {},\n]", ":3: is not JSON: a comma before the end", "a list of claims"),
    ('[\n {"dataset" "bonds"}]', ":2: is not JSON: a colon is missing", "a list of claims"),
    ('[\n {"dataset": "bonds"}\n {}]', ":3: is not JSON: a comma or ] is missing", "a list of claims"),
    ('[\n {"published": NaN}]', ":2: is not JSON: NaN is not a number", "a list of claims"),
    ("[" * 100_000, ":1: is not JSON: is nested too deeply", "a list of claims"),
    ('[\n {"published": ' + "9" * 5000, ":2: is not JSON: Exceeds the limit", "a list of claims"),
    ("[]\n[]", ":2: is not JSON: text after the end", "a list of claims"),
    ("[\xf6]", ": is not UTF-8 text", ""),
]


@pytest.mark.parametrize(("text", "complaint", "way_out"), WHOLE_FILES)
def test_a_file_that_is_no_list_of_claims_is_refused_by_line(results, tmp_path, text, complaint, way_out):
    file = tmp_path / "claims.json"
    file.write_bytes(text.encode("latin-1"))
    done = CliRunner().invoke(fairlead, ["evaluate", "check", str(file), "--results", str(results)])
    assert isinstance(done.exception, ConfigError)  # the command line ends with code 2
    assert f"{file}{complaint}" in str(done.exception) and way_out in str(done.exception)


# ---------------------------------------------------------------- published measurements

FILES = {"iccsa": "ICCSA", "iscc": "ISCC"}


@pytest.fixture(scope="module")
def published_results(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("published") / "results"
    with Store.open(directory) as store:
        for name in ("iccsa", "iscc", "iscc_intel"):
            import_csv(store, DIRECTORY / f"{name}.csv", config.load(MAPS / f"{name}.toml", ColumnMap))
    return directory


@needs_published
@pytest.mark.parametrize("name", FILES)
def test_the_written_claims_have_the_verdicts_that_the_published_ones_have(published_results, name):
    """Every statement of the published file that has raw data has one of the same words in the example."""
    known = {
        entry["statement"]: entry["reproduces"]
        for entry in json.loads((DIRECTORY / "published_claims.json").read_text())
        if entry["dataset"] == FILES[name] and "ping-pong latency 1 byte" not in entry["statement"]
    }
    with Store.read(published_results) as store:
        result = read_and_check(store, claims.load(MAPS / f"{name}_claims.json"), [])
    assert result.mistakes == ()
    found = {each.claim.statement: each.verdict for each in result.checked}
    assert set(known) <= set(found)
    assert {statement: found[statement] == HOLDS for statement in known} == known
    assert not any(each.verdict == UNDECIDABLE for each in result.checked)
    assert not any(each.differs_from_file for each in result.checked)
