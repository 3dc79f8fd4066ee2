"""What detours would give a program: profile times latency matrix."""

import json
from pathlib import Path

import numpy as np
import pytest
from click import UsageError
from click.testing import CliRunner, Result

from fairlead.characterize.latency import LatencyMatrix
from fairlead.cli.main import command
from fairlead.errors import MeasurementError
from fairlead.prediction import saving
from fairlead.prediction.predict import PairPrediction, predict
from fairlead.prices.run_cost import RunCost
from fairlead.profile.ran import Ran
from fairlead.report.network import prediction_table
from fairlead.store import Store

from ..characterize.test_characterization import measured
from ..prices.test_prices import INSTANCE, book
from ..profile.test_profile_report import three

NAMES = ["a", "b", "c"]
NONE = [[0] * 3] * 3


def matrix(small_s: dict[str, float], large_s: dict[str, float]) -> LatencyMatrix:
    """Of 100 B and 1100 B between three hosts; what is not named takes 1 ms and 2 ms."""
    median = np.full((2, 3, 3), np.nan)
    for i, source in enumerate(NAMES):
        for j, destination in enumerate(NAMES):
            if i != j:
                pair = source + destination
                median[:, i, j] = small_s.get(pair, 1e-3), large_s.get(pair, 2e-3)
    ones = np.ones_like(median)
    return LatencyMatrix(
        (100, 1100), ones * 30, median, median, median, ones.astype(bool), np.zeros((3, 3)), median, 2 * median
    )


def sent(pair: str, amount: int) -> list[list[int]]:
    rows = [list(row) for row in NONE]
    rows[NAMES.index(pair[0])][NAMES.index(pair[1])] = amount
    return rows


def test_a_congested_path_gains_over_the_third_host() -> None:
    """10 messages of 600 B: direct 20 ms and half of 20 ms; over c twice 1 ms and half of the slower leg's 3 ms."""
    network = matrix({"ab": 20e-3}, {"ab": 40e-3, "cb": 4e-3})
    (found,) = predict(NAMES, sent("ab", 10), sent("ab", 6000), NAMES, network)
    assert (found.source, found.destination, found.relay) == ("a", "b", "c")
    assert found.direct_s == pytest.approx(10 * 30e-3)
    assert found.best_s == pytest.approx(10 * 3.5e-3)
    assert found.gain == pytest.approx(1 - 3.5 / 30)


def test_on_a_quiet_network_nothing_is_gained() -> None:
    (found,) = predict(NAMES, sent("ab", 10), sent("ab", 100), NAMES, matrix({}, {}))
    assert found == PairPrediction("a", "b", 10, 100, pytest.approx(10e-3), pytest.approx(10e-3), None)
    assert found.gain == 0.0


def test_hosts_without_ranks_are_relays_and_pairs_are_ordered_by_what_they_gain() -> None:
    messages, bytes_B = [[0, 10], [10, 0]], [[0, 1000], [1000, 0]]
    network = matrix({"ab": 5e-3, "ba": 9e-3}, {})
    found = predict(["a", "b"], messages, bytes_B, NAMES, network)
    assert [(each.source, each.relay, round(each.best_s - each.direct_s, 6)) for each in found] == [
        ("b", "c", -0.07),
        ("a", "c", -0.03),
    ]
    assert "2 of 2 pairs would gain: of 140 ms of messages, detours would save 71.4 %" in prediction_table.total(
        found
    ).replace("\u00a0", " ")


def test_what_was_not_measured_is_told() -> None:
    with pytest.raises(MeasurementError, match="ran on x, which is not among the hosts that were measured: a, b, c"):
        predict(["a", "x", "c"], NONE, NONE, NAMES, matrix({}, {}))
    with pytest.raises(MeasurementError, match="from a to b have 2000 B on average, and nothing larger than 1100 B"):
        predict(NAMES, sent("ab", 1), sent("ab", 2000), NAMES, matrix({}, {}))
    with pytest.raises(MeasurementError, match="no latency was measured"):
        predict(NAMES, sent("ab", 1), sent("ab", 100), NAMES, matrix({}, {}).of_sizes(()))
    with pytest.raises(MeasurementError, match="the latency from a to b was not measured"):
        predict(NAMES, sent("ab", 1), sent("ab", 200), NAMES, matrix({"ab": float("nan")}, {}))


def test_a_program_without_messages_between_hosts() -> None:
    assert "nothing to gain" in prediction_table.total(predict(NAMES, NONE, NONE, NAMES, matrix({}, {})))


def test_the_command(tmp_path: Path) -> None:
    stored = tmp_path / "p.json"
    stored.write_text(three(["h0", "h1", "h2"]).to_json())
    with Store.open(tmp_path / "results") as store:
        number = measured(store)
    words = ["predict", str(stored), "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.exception is None
    assert f"sim, run {number}, measured" in done.output
    assert "h0 → h1" in done.output
    data = json.loads(CliRunner().invoke(command, [*words, "--json"], standalone_mode=False).output)
    assert {(each["source"], each["destination"], each["messages"], each["bytes_B"]) for each in data} == {
        ("h0", "h1", 1, 1000),
        ("h1", "h2", 1, 5000),
        ("h2", "h0", 1, 70),
    }


EIGHT_FOR_12_S = RunCost(24.0, 12.0, "EUR", 8)


def pair(direct_s: float, best_s: float) -> PairPrediction:
    return PairPrediction("a", "b", 1, 1, direct_s, best_s, "c" if best_s < direct_s else None)


def test_detours_save_at_most_the_time_of_all_messages_of_the_price() -> None:
    found = saving.of([pair(5.0, 2.0), pair(1.0, 1.0), pair(4.0, 1.0)], EIGHT_FOR_12_S)
    assert found.most_s == pytest.approx(6.0)
    assert found.most == pytest.approx(24.0 * 6 / 3600)
    assert found.describe().replace("\u00a0", " ") == (
        "the profiled run cost 0.0800 EUR: 12.0 s of 8 hosts at 24.0 EUR an hour. Detours would save at most 0.0400 "
        "EUR a run: the 6.00 s that the messages take less one after another, if all of it were run time"
    )


def test_of_messages_that_overlap_more_than_the_run_is_long_no_price_is_told() -> None:
    found = saving.of([pair(20.0, 10.0), pair(20.0, 18.0)], EIGHT_FOR_12_S)
    assert found.most is None
    told = found.describe().replace("\u00a0", " ")
    assert told.startswith("the profiled run cost 0.0800 EUR: 12.0 s of 8 hosts at 24.0 EUR an hour. What detours")
    assert "is not known: one after another the messages take 12.0 s less" in told


def test_where_nothing_is_gained_nothing_is_saved() -> None:
    found = saving.of([pair(1.0, 1.0)], EIGHT_FOR_12_S)
    assert found.most == 0.0
    assert found.describe().endswith("Detours would save nothing of the price")


def test_the_command_prices_a_profile_that_says_what_it_ran_on(tmp_path: Path) -> None:
    stored, bare = tmp_path / "p.json", tmp_path / "bare.json"
    profiled = three(["h0", "h1", "h2"])
    bare.write_text(profiled.to_json())
    ran = Ran(cluster="sim", compute_hosts=3, time_s=10.0)
    stored.write_text(profiled.model_copy(update={"ran": ran}).to_json())
    prices = book(tmp_path / "b.toml", INSTANCE + '[systems.sim]\ninstance = "big"\nhosts = 3\n')
    with Store.open(tmp_path / "results") as store:
        measured(store)
    results = ["--results", str(tmp_path / "results")]

    def predicted(*words: str | Path) -> Result:
        return CliRunner().invoke(command, ["predict", *map(str, words), *results], standalone_mode=False)

    done = predicted(stored, "--prices", prices)
    assert done.exception is None
    assert "the profiled run cost 0.0250 EUR: 10.0 s of 3 hosts at 9.00 EUR an hour" in done.output.replace(
        "\u00a0", " "
    )
    assert "would save" in done.output.splitlines()[-1]
    assert "cost" not in predicted(stored).output
    again = tmp_path / "priced.json"
    shown = CliRunner().invoke(
        command, ["profile", "show", str(stored), "--prices", str(prices), "--json", str(again)], standalone_mode=False
    )
    assert shown.exception is None
    assert predicted(again).output.splitlines()[-1] == done.output.splitlines()[-1]
    assert "does not say which cluster the program ran on" in str(predicted(bare, "--prices", prices).exception)
    refused = predicted(stored, "--prices", prices, "--json").exception
    assert isinstance(refused, UsageError) and "--json lists pairs, which have no price" in refused.message
