"""The tables of docs/reference/benchmarks.md are those of the registered benchmarks."""

import importlib
import re

from scripts.reference import benchmarks as tables
from scripts.reference.__main__ import DOCS

from fairlead.benchmarks.registration import BENCHMARKS, of_run


def test_the_documents_tables_are_those_of_the_registry() -> None:
    text = (DOCS / tables.PAGE).read_text(encoding="utf-8")
    assert tables.written(text) == text, "run `make reference`"
    found = dict(re.findall(r"<!-- table (\w+) -->(.*?)<!-- end -->", text, flags=re.DOTALL))
    assert list(found) == list(tables.TABLES) == ["benchmarks", "compared"]
    assert all(table.count("\n| `stress` |") == 1 for table in found.values())


def test_the_order_of_the_page() -> None:
    assert BENCHMARKS.names() == (
        "mpi-latency",
        "mpi-throughput",
        "collectives",
        "tcp",
        "infiniband",
        "stress",
        "burst",
        "all-pairs",
        "impact",
        "network-noise",
        "loggp",
        "noise",
        "noise-effect",
        "timer",
        "imported",
        "mpiP",
    )


def test_runs_are_known_by_their_names_in_the_store() -> None:
    noise = BENCHMARKS.get("noise")
    assert of_run("noise") is of_run("noise-fwq") is noise
    assert of_run("OSU Latency") is None


def test_benchmarks_measure_under_the_names_that_they_registered() -> None:
    for each in BENCHMARKS:
        if each.command is not None and each.prepared is None:
            measure = importlib.import_module(f"{each.package}.measure")
            assert each.name == measure.BENCHMARK
