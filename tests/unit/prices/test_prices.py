"""Price books, what a measurement costs, and what money buys."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.benchmarks.imported import keep as imported
from fairlead.benchmarks.measuring.message_cell import MessageCell
from fairlead.benchmarks.page import report as reports
from fairlead.benchmarks.point_to_point.measure import LATENCY, THROUGHPUT
from fairlead.cli.main import command
from fairlead.errors import ConfigError
from fairlead.prices import book as prices
from fairlead.store import Store

from ..benchmarks.benchmark_fixtures import point_to_point_run
from ..readers.foreign_files import OSU_ALLREDUCE, OSU_BANDWIDTH, OSU_OLD_LATENCY

INSTANCE = """
[[instances]]
name = "big"
provider = "p"
region = "r"
price_per_hour = 3.0
date = 2026-11-01
cores = 36
memory_GiB = 192
interconnect = "Ethernet"
bandwidth_Gbps = 100
virtualisation = "none"
placement = "rack"
tenancy = "own"
"""
COSTS = """
[[costs]]
name = "storage"
per_hour = 0.5
each = "host"
idle = true
[[costs]]
name = "gateway"
per_hour = 1.0
"""


def book(path: Path, text: str) -> Path:
    path.write_text(f'currency = "EUR"\n{text}')
    return path


def test_a_system_pays_for_hosts_costs_and_idle_hours(tmp_path: Path) -> None:
    text = (
        INSTANCE + COSTS + '[systems.c]\ninstance = "big"\nhosts = 4\ncosts = ["storage", "gateway"]\nidle_hours = 2\n'
    )
    price = prices.load_prices(book(tmp_path / "b.toml", text)).price("x", "c")
    assert price is not None
    assert price.per_hour == pytest.approx(4 * 3.0 + 4 * 0.5 * 3 + 1.0)
    assert price.of_hosts(2) == pytest.approx(19.0 / 2)
    assert price.of_seconds(1800) == pytest.approx(9.5)
    assert prices.load_prices(tmp_path / "b.toml").price("y") is None


def test_a_book_builds_on_others_and_overrides_them(tmp_path: Path) -> None:
    book(tmp_path / "base.toml", INSTANCE + COSTS)
    cheaper = INSTANCE.replace("3.0", "2.0")
    own = book(tmp_path / "own.toml", f'extends = ["base.toml"]\n{cheaper}[systems.c]\ninstance = "big"\nhosts = 1\n')
    price = prices.load_prices(own).price("c")
    assert price is not None and price.per_hour == 2.0
    (tmp_path / "base.toml").write_text((tmp_path / "base.toml").read_text().replace("EUR", "USD"))
    with pytest.raises(ConfigError, match=r"own.toml:2: extends\[0\]: base.toml is in USD, this book in EUR"):
        prices.load_prices(own)


def test_systems_of_other_books_have_a_price(tmp_path: Path) -> None:
    book(tmp_path / "base.toml", INSTANCE + COSTS + '[systems.c]\ninstance = "big"\nhosts = 4\n')
    cheaper = INSTANCE.replace("3.0", "2.0")
    found = prices.load_prices(book(tmp_path / "own.toml", f'extends = ["base.toml"]\n{cheaper}'))
    assert not found.missing(["c"])
    kept = prices.Book.from_content(found.content())
    for each in (found, kept):
        price = each.price("c")
        assert price is not None and price.per_hour == 8.0
    own = book(tmp_path / "other.toml", 'extends = ["base.toml"]\n[systems.c]\ninstance = "big"\nhosts = 1\n')
    price = prices.load_prices(own).price("c")
    assert price is not None and price.hosts == 1
    book(tmp_path / "base.toml", '[systems.c]\ninstance = "big"\nhosts = 4\n')
    with pytest.raises(ConfigError, match=r"base\.toml:3: systems\.c\.instance: there is no 'big'"):
        prices.load_prices(book(tmp_path / "own.toml", 'extends = ["base.toml"]\n'))


def test_a_cost_that_a_system_has_twice_is_refused(tmp_path: Path) -> None:
    text = INSTANCE + COSTS + '[systems.c]\ninstance = "big"\nhosts = 1\ncosts = ["storage", "storage"]\n'
    with pytest.raises(ConfigError, match="'storage' is there twice, and would be paid twice"):
        prices.load_prices(book(tmp_path / "b.toml", text))


def test_a_book_that_is_kept_with_results_needs_no_file(tmp_path: Path) -> None:
    book(tmp_path / "base.toml", INSTANCE + COSTS)
    text = 'extends = ["base.toml"]\n[systems.c]\ninstance = "big"\nhosts = 4\ncosts = ["storage"]\n'
    found = prices.load_prices(book(tmp_path / "own.toml", text))
    plan = json.loads(json.dumps({"evaluation": {}, **prices.kept(found.path)}))
    for file in tmp_path.iterdir():
        file.unlink()
    again = prices.kept_with(plan)
    assert again is not None
    assert again.price("c") == found.price("c")
    assert (again.path, again.currency) == (found.path, "EUR")
    assert prices.kept(None) == {}
    assert prices.kept_with({"evaluation": {}}) is None
    assert prices.kept_with("demo") is None


def test_who_has_no_price_is_told_and_who_has_one_with_what_it_is_of(tmp_path: Path) -> None:
    path = book(tmp_path / "b.toml", INSTANCE + '[systems.c]\ninstance = "big"\nhosts = 4\n')
    found = prices.load_prices(path)
    assert found.missing(["c"]) == found.missing([]) == ""
    assert found.missing(["c", "x"]) == f"x has no price in {path}"
    assert found.missing(["x", "y", "x"]) == f"x and y have no price in {path}"
    assert found.describe(["x", "c"]) == f"Prices of {path}: c 12.0 EUR an hour for 4 hosts (p big, r, 2026-11-01)."
    assert found.describe(["x"]) == ""
    with pytest.raises(ConfigError, match=r"b\.toml: no \[systems\.x\]") as caught:
        found.known_price("x")
    for name in ("this machine", "slurm-12.0"):  # neither is a key of TOML without quotes
        with pytest.raises(ConfigError, match=rf'no \[systems\."{re.escape(name)}"\]\n'):
            found.known_price(name)
    assert caught.value.hint == "add it, or name no price book"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            INSTANCE + '[systems.c]\ninstance = "small"\nhosts = 1\n',
            r"b.toml:17: systems.c.instance: there is no 'small'",
        ),
        (
            INSTANCE + '[systems.c]\ninstance = "big"\nhosts = 1\ncosts = ["air"]\n',
            r"b.toml:19: systems.c.costs: there is no 'air'",
        ),
        (INSTANCE + INSTANCE, r"b.toml:\d+: instances\[1\].name: 'big' is there twice"),
        ('extends = ["b.toml"]\n', r"b.toml:2: extends\[0\]: b.toml: price books extend each other in a circle"),
        (INSTANCE.replace("price_per_hour = 3.0", "price_per_hour = inf"), r"price_per_hour: must be a finite number"),
        (INSTANCE.replace('name = "big"', 'name = ""'), r"b.toml:4: instances\[0\].name: must not be empty"),
        (re.sub("date = .*", "date = 0", INSTANCE), r"instances\[0\].date: must be a day, such as 2026-01-31"),
        (
            INSTANCE.replace("cores = 36", "cores = 0"),
            r"b.toml:9: instances\[0\].cores: must be greater than 0",
        ),
        (INSTANCE.replace('tenancy = "own"\n', ""), r"b.toml:3: instances\[0\].tenancy: is missing"),
    ],
)
def test_mistakes_are_told_with_their_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        prices.load_prices(book(tmp_path / "b.toml", text))


def test_the_example_book_is_usable() -> None:
    price = prices.load_prices(Path(__file__).parents[3] / "examples" / "prices.toml").price("cloud")
    assert price is not None
    assert price.per_hour == pytest.approx(8 * (3.888 + 3 * 0.05) + 3 * 0.045)


def test_what_money_buys_is_compared_with_intervals(tmp_path: Path) -> None:
    for name, latency_s in (("old", 20e-6), ("new", 10e-6)):
        point_to_point_run(tmp_path / name, LATENCY, {MessageCell(8): [latency_s] * 3}, cluster=name)
        point_to_point_run(tmp_path / name, THROUGHPUT, {MessageCell(10**6, window=8): [0.1] * 3}, cluster=name)
    text = INSTANCE + INSTANCE.replace("big", "huge").replace("3.0", "12.0")
    text += '[systems.old]\ninstance = "big"\nhosts = 4\n[systems.new]\ninstance = "huge"\nhosts = 2\n'
    found = reports.load(
        [tmp_path / "old", tmp_path / "new"], book=prices.load_prices(book(tmp_path / "b.toml", text)), baseline="old"
    )
    drawing = reports.drawings(found)[-1]
    assert (drawing.name, drawing.title) == ("per-price", "What one EUR buys")
    rows = {
        (row["system"].value, row["benchmark"].value): row
        for row in (dict(zip(drawing.table.keys, cells, strict=True)) for cells in drawing.table.rows)
    }
    # Two hosts at 3 an hour move 8 MB in 0.1 s, all but half a per cent.
    assert rows["old", THROUGHPUT]["price_per_hour"].value == 6.0
    assert rows["old", THROUGHPUT]["bought"].value == pytest.approx(0.08 * 3600 / 6 / 1.0035, rel=1e-4)
    assert rows["new", THROUGHPUT]["ratio"].value == pytest.approx(0.25)
    # Twice as fast for four times the price.
    assert rows["new", LATENCY]["ratio"].value == pytest.approx(0.5)
    assert rows["new", LATENCY]["verdict"].value == "worse"
    assert rows["new", LATENCY]["low"].value < 0.5 < rows["new", LATENCY]["high"].value
    text = "\n".join(reports.findings(found))
    assert "For the money: mpi-latency (1 pair, 8\u00a0B): old, 2.00 times as much as new; mpi-throughput" in text


def test_messages_of_all_pairs_of_hosts_are_bought_with_the_price_of_all(tmp_path: Path) -> None:
    """Twice the pairs on twice the hosts: twice the messages for twice the money."""
    pairs = {"one": (("h0", "h1"),), "two": (("h0", "h1"), ("h2", "h3"))}
    text = INSTANCE
    for name, between in pairs.items():
        for benchmark, cell, time_s in (
            (LATENCY, MessageCell(8, pairs=3), 20e-6),
            (THROUGHPUT, MessageCell(10**6, window=8), 0.1),
        ):
            point_to_point_run(tmp_path / name, benchmark, {cell: [time_s] * 3}, cluster=name, between=between)
        text += f'[systems.{name}]\ninstance = "big"\nhosts = 4\n'
    found = reports.load([tmp_path / name for name in pairs], book=prices.load_prices(book(tmp_path / "b.toml", text)))
    table = reports.drawings(found)[-1].table
    bought = {
        (row[0].value, row[1].value): dict(zip(table.keys, row, strict=True))["bought"].value for row in table.rows
    }
    assert bought["one", LATENCY] == pytest.approx(3 / 10e-6 / 1e6 * 3600 / 6, rel=0.01)
    assert bought["two", LATENCY] == pytest.approx(bought["one", LATENCY])
    assert bought["two", THROUGHPUT] == pytest.approx(bought["one", THROUGHPUT])


def test_files_of_other_programs_are_priced_where_two_hosts_are_busy(tmp_path: Path) -> None:
    for name, text in (("latency", OSU_OLD_LATENCY), ("bandwidth", OSU_BANDWIDTH), ("allreduce", OSU_ALLREDUCE)):
        (tmp_path / name).write_text(text)
        with Store.open(tmp_path / "r") as store:
            imported.keep(store, "c", "osu", imported.read("osu", [tmp_path / name]))
    text = INSTANCE + '[systems.c]\ninstance = "big"\nhosts = 4\n'
    found = reports.load([tmp_path / "r"], book=prices.load_prices(book(tmp_path / "b.toml", text)))
    table = reports.drawings(found)[-1].table
    rows = {row[1].value: dict(zip(table.keys, row, strict=True)) for row in table.rows}
    assert set(rows) == {"OSU Latency", "OSU Bi-Directional Bandwidth"}
    # Two hosts at 3 an hour: messages of 2 us; 2500 MB/s.
    assert rows["OSU Latency"]["bought"].value == pytest.approx(0.5 * 3600 / 6)
    assert rows["OSU Bi-Directional Bandwidth"]["bought"].value == pytest.approx(2.5 * 3600 / 6)


def test_a_system_without_a_price_is_told(tmp_path: Path) -> None:
    point_to_point_run(tmp_path / "r", LATENCY, {MessageCell(8): [1e-5] * 3})
    path = book(tmp_path / "b.toml", INSTANCE)
    done = CliRunner().invoke(command, ["report", str(tmp_path / "r"), "--prices", str(path)])
    assert done.exit_code == 0, done.output
    assert f"For the money: c has no price in {path}." in done.output.replace("\n", "")


def test_a_measurement_tells_its_cost_before_it_starts(tmp_path: Path) -> None:
    cluster = tmp_path / "c.toml"
    host = '[[hosts]]\nname = "localhost"\naddress = "127.0.0.1"\n'
    cluster.write_text(f'[cluster]\nname = "c"\nexecutor = "local"\ninterface = "lo"\n{host}')
    path = book(tmp_path / "b.toml", INSTANCE + '[systems.c]\ninstance = "big"\nhosts = 1\n')
    words = ["measure", str(cluster), "noise", "--seconds", "0.05", "--cpus", "0", "--results", str(tmp_path / "r")]
    done = CliRunner().invoke(command, [*words, "--prices", str(path)])
    assert "costs about 0.000042 EUR: 50.0\u00a0ms of 1 host at 3.00 EUR an hour" in done.output
    path.write_text(path.read_text().replace("hosts = 1", "hosts = 2"))
    failed = CliRunner().invoke(command, [*words, "--prices", str(path)])
    assert isinstance(failed.exception, ConfigError)
    assert "the cluster file has 1 compute host, the book 2" in str(failed.exception)


def test_a_level_that_would_do_nothing_is_refused(tmp_path: Path) -> None:
    point_to_point_run(tmp_path / "r", LATENCY, {MessageCell(8): [1e-5] * 3})
    done = CliRunner().invoke(command, ["report", str(tmp_path / "r"), "--level", "0.9"])
    assert (done.exit_code, "the intervals of benchmarks are at 95 %" in done.output) == (2, True)
