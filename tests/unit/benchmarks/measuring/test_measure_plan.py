"""Plans of benchmarks: what a step may be, what is told before it starts, and that a failure does not end the rest."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fairlead.benchmarks.all_pairs import analyse as all_pairs_analysis
from fairlead.benchmarks.infiniband import measure as infiniband
from fairlead.benchmarks.measuring import probe, session
from fairlead.benchmarks.measuring.repeat import Until, repeat
from fairlead.cli.main import command
from fairlead.cli.measure import command as measure
from fairlead.cli.measuring.options import BenchmarkCommand
from fairlead.cluster.description import Cluster
from fairlead.errors import ConfigError, MeasurementError, MissingDeviceError
from fairlead.store import Store

from ...prices.test_prices import INSTANCE, book

EXAMPLES = Path(__file__).parents[4] / "examples/measure"


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    path = tmp_path / "one.toml"
    host = '[[hosts]]\nname = "h0"\naddress = "127.0.0.1"\n[[hosts]]\nname = "h1"\naddress = "127.0.0.2"\n'
    path.write_text(f'[cluster]\nname = "one"\nexecutor = "local"\ninterface = "lo"\n{host}')
    return path


def planned(cluster: Path, plan: Path, *options: str) -> Result:
    results = str(cluster.parent / "r")
    words = ["measure", str(cluster), "plan", str(plan), "--results", results, *options]
    return CliRunner().invoke(command, words, standalone_mode=False)


def written(directory: Path, *steps: str) -> Path:
    path = directory / "plan.toml"
    path.write_text('title = "a test"\nsteps = [\n' + "".join(f'    "{step}",\n' for step in steps) + "]\n")
    return path


def test_the_plan_of_the_thesis_has_its_numbers() -> None:
    with (group := measure.make_context("measure", ["x.toml", "plan"])):
        from fairlead import config
        from fairlead.cli.measuring.plan import PlanFile, read

        path = EXAMPLES / "noise-thesis.toml"
        steps = read(group, path, config.load(path, PlanFile), {"between": (("a", "b"),), "mpirun": None})
    lasts_s = {step.name: step.asked.lasts_s for step in steps}
    assert lasts_s["tcp"] == 25 * 4 * 31 + 30  # 25 runs of 1 and 16 streams, one way and both
    assert lasts_s["burst"] == pytest.approx(10 * 2 * 31 * 2.002002002)  # and the messages
    assert (lasts_s["stress"], lasts_s["noise"]) == (900, 300)


def test_what_a_plan_takes_is_told_and_nothing_is_measured_when_it_is_only_asked_for(cluster: Path) -> None:
    done = planned(cluster, EXAMPLES / "small.toml", "--dry-run")
    assert done.return_value == 0, done.output
    assert "15\u00a0s  stress --size 256KiB --seconds 15" in done.output
    assert "3\u00a0min  about, for all: the measurements of the noise thesis, in small" in done.output
    assert not (cluster.parent / "r").exists()


def test_what_a_plan_costs_is_told_before_it_starts(cluster: Path, tmp_path: Path) -> None:
    prices = book(tmp_path / "prices.toml", INSTANCE + '[systems.one]\ninstance = "big"\nhosts = 2\n')
    done = planned(cluster, written(tmp_path, "stress --seconds 600"), "--dry-run", "--prices", str(prices))
    assert "costs about 1.0 EUR: 600\u00a0s of 2 hosts at 6.00 EUR an hour" in done.output


def test_a_step_of_which_nobody_knows_how_long_it_takes_is_told_as_such(cluster: Path, tmp_path: Path) -> None:
    prices = book(tmp_path / "prices.toml", INSTANCE + '[systems.one]\ninstance = "big"\nhosts = 2\n')
    plan = written(tmp_path, "all-pairs --exactly 5", "stress --seconds 15")
    done = planned(cluster, plan, "--dry-run", "--prices", str(prices))
    assert done.return_value == 0, done.output
    assert done.output.splitlines() == [
        "   unknown  all-pairs --exactly 5",
        "      15\u00a0s  stress --seconds 15",
        "   unknown  about, for all: a test",
        "costs 6.00 EUR an hour: 2 hosts, for as long as it takes",
    ]


def test_all_pairs_are_measured_exactly_so_often_without_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Steady:
        def introduction(self) -> probe.Introduction:
            return probe.Introduction("an MPI library", 1e-9, ())

        def ask(self, request: dict[str, object], timeout_s: float, what: str) -> list[list[float]]:
            return [[1e-4] * 3]

    path = tmp_path / "four.toml"
    hosts = "".join(f'[[hosts]]\nname = "h{k}"\naddress = "127.0.0.{k + 1}"\n' for k in range(4))
    path.write_text(f'[cluster]\nname = "four"\nexecutor = "local"\ninterface = "lo"\n{hosts}')
    asked: list[Until] = []

    def noted(cells: Any, measured: Any, until: Until, **options: Any) -> Any:
        asked.append(until)
        return repeat(cells, measured, until, **options)

    monkeypatch.setattr(probe, "running", lambda *_: nullcontext(Steady()))
    monkeypatch.setattr(session, "introduce", lambda *_: None)
    monkeypatch.setattr("fairlead.benchmarks.measuring.repeat.repeat", noted)
    for budget in ([], ["--budget", "60"]):
        words = ["measure", str(path), "all-pairs", "--exactly", "5", *budget, "--results", str(tmp_path / "r")]
        done = CliRunner().invoke(command, words, standalone_mode=False)
        assert done.exception is None and not done.return_value, done.output
    with Store.read(tmp_path / "r") as store:
        for run in store.runs("benchmark"):
            found = all_pairs_analysis.matrix(store, run.id)
            assert {len(values) for values in (*found.latency_s.values(), *found.rate_bps.values())} == {5}
            assert len(found.rate_bps) == 12
    assert [until.budget_s for until in asked] == [None, None, 15, 45]


def test_what_carries_messages_may_be_left_to_the_library_and_is_kept_with_the_run(
    cluster: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def refused(used: Cluster, *_: object) -> None:
        asked.append(used.transport or "tcp")
        raise MeasurementError("nothing is started here")

    monkeypatch.setattr(probe, "running", refused)
    plan = written(tmp_path, "mpi-latency", "loggp --transport tcp", "burst --transport native", "timer")
    for options in ([], ["--transport", "native"]):
        planned(cluster, plan, *options)
    words = ["measure", str(cluster), "stress", "--results", str(cluster.parent / "r"), "--transport", "native"]
    CliRunner().invoke(command, words, standalone_mode=False)
    with Store.read(cluster.parent / "r") as store:
        kept = [(run.labels["benchmark"], run.plan.get("transport")) for run in store.runs("benchmark")]
    assert kept == [
        *(("mpi-latency", "tcp"), ("loggp", "tcp"), ("burst", "native"), ("timer", None)),
        *(("mpi-latency", "native"), ("loggp", "tcp"), ("burst", "native"), ("timer", None)),
        ("stress", "native"),
    ]
    assert asked == [transport for _, transport in kept if transport]


def no_device(*_: object) -> int:
    """As where perftest and a device are missing, whatever this machine has."""
    raise MissingDeviceError("h0 has no InfiniBand or RoCE device")


def test_one_that_fails_is_told_and_the_others_go_on(
    cluster: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infiniband, "measure", no_device)
    done = planned(cluster, written(tmp_path, "all-pairs", "infiniband", "timer"))
    assert done.return_value == 1
    assert "fairlead: all-pairs: " in done.output and "slow pairs are found among at least 4" in done.output
    assert "fairlead: infiniband is skipped: h0 has no InfiniBand or RoCE device" in done.output
    with Store.read(cluster.parent / "r") as store:
        assert [run.labels["benchmark"] for run in store.runs("benchmark")] == ["timer"]
    assert planned(cluster, written(tmp_path, "infiniband", "timer")).return_value == 0


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("warmth", "plan.toml:4: steps[1]: warmth: is not a benchmark"),
        ("import osu f", "import osu f: is not a benchmark"),
        ("tcp --streams none", "plan.toml:4: steps[1]: tcp --streams none: Invalid value for '--streams'"),
        ("tcp --warmth 3", "plan.toml:4: steps[1]: tcp --warmth 3: No such option"),
        (
            "all-pairs --train-size 1MiB",
            "plan.toml:4: steps[1]: all-pairs --train-size 1MiB: `--train-size` was renamed: write `--bulk-size`",
        ),
        ("network-noise --train-size 1MiB", "`--train-size` was renamed: write `--bulk-size`"),
        (
            "mpi-latency --within 5",
            "plan.toml:4: steps[1]: mpi-latency --within 5: `--within` was renamed: write `--precision`",
        ),
        ("timer --train-size 1MiB", "timer --train-size 1MiB: No such option"),
        ("tcp --results r", "--results applies to the whole plan"),
        ("tcp --help", "--help cannot be used in a plan"),
        ("tcp 'x", "is not a benchmark with options"),
        ("", "is not a benchmark with options"),
    ],
)
def test_a_step_that_is_wrong_is_told_with_its_line(cluster: Path, tmp_path: Path, step: str, message: str) -> None:
    done = planned(cluster, written(tmp_path, "timer", step))
    assert isinstance(done.exception, ConfigError)
    assert message in str(done.exception)
    assert not (cluster.parent / "r").exists()


def test_options_of_a_plan_hold_for_steps_without_their_own(cluster: Path, tmp_path: Path) -> None:
    done = planned(cluster, written(tmp_path, "mpi-latency --between h0 h0", "timer"), "--between", "h0", "hx")
    assert "--between h0 h0: give two different hosts" in done.output
    done = planned(cluster, written(tmp_path, "mpi-latency", "timer"), "--between", "h0", "hx")
    assert "hx" in done.output and done.return_value == 1


@pytest.mark.parametrize("name", [n for n, each in measure.commands.items() if isinstance(each, BenchmarkCommand)])
def test_every_benchmark_can_be_a_step(cluster: Path, tmp_path: Path, name: str) -> None:
    assert planned(cluster, written(tmp_path, name), "--dry-run").return_value == 0
