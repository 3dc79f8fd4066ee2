"""Every pattern of netgauge: the numbers of its output, by test, statistic and size."""

import numpy as np
import pytest

from fairlead.errors import MeasurementError
from fairlead.readers.netgauge import read as netgauge
from fairlead.readers.reading import ImportOptions, Reading

from . import netgauge_files as files

TICKS = ImportOptions(tick_rate_hz=2e9)


def column(text: str, benchmark: str, statistic: str, series: str = "time_s") -> list[float]:
    """The values of a column, in the order of the file."""
    (reading,) = [each for each in netgauge.read(text, "f") if each.benchmark == benchmark]
    return of(reading, statistic, series)


def of(reading: Reading, statistic: str, series: str = "time_s") -> list[float]:
    (found,) = [s for s in reading.series if s.name == series and s.labels.get("statistic") == statistic]
    return list(found.values)


def names(text: str, told: ImportOptions = TICKS) -> list[str]:
    return [each.benchmark for each in netgauge.read(text, "f", told)]


def test_one_one_from_its_file_and_with_its_deviation_missing() -> None:
    assert column(files.ONE_ONE, "netgauge one_one", "median") == pytest.approx([4.5e-6, 9e-6])
    assert column(files.ONE_ONE, "netgauge one_one", "sending median") == pytest.approx([1.1e-6, 1.1e-6])
    assert column(files.ONE_ONE, "netgauge one_one", "least", "rate_bps") == pytest.approx([8e6, 500e6])


def test_the_pattern_is_that_of_the_log_or_that_which_the_user_names() -> None:
    assert names(files.VERBOSE) == ["netgauge one_one_sync"]
    assert names(files.ONE_ONE, ImportOptions(test="one_one_mpi_bidirect")) == ["netgauge one_one_mpi_bidirect"]
    assert names(files.ONE_ONE, ImportOptions(test="overlap")) == ["netgauge overlap"]
    assert names(files.TO_ONE) == ["netgauge Nto1"]
    unnamed = files.TO_ONE[files.TO_ONE.index("\n") + 1 :]
    with pytest.raises(MeasurementError, match=r"f:6: several patterns of netgauge write this table") as refused:
        netgauge.read(unnamed, "f")
    assert "--test 1toN, Nto1" in refused.value.hint
    assert names(unnamed, ImportOptions(test="1toN")) == ["netgauge 1toN"]


def test_without_headers_the_time_is_the_least_or_the_median_by_pattern() -> None:
    assert column(files.TERSE, "netgauge one_one", "least") == pytest.approx([4e-6, 8e-6])
    assert column(files.TERSE, "netgauge one_one", "median", "rate_bps") == pytest.approx([14.22e6, 888.89e6])
    assert column(files.TERSE_MEDIANS, "netgauge 1toN", "median") == pytest.approx([4.5e-6])
    with pytest.raises(MeasurementError, match=r"f:2: 8 B in the least time, 4.6 us, are less than 14.22 Mbit/s"):
        netgauge.read(files.TERSE.replace("4.00", "4.60"), "f")
    with pytest.raises(MeasurementError, match=r"f:2: 8 B in 4\.4 us are not 14\.22 Mbit/s"):
        netgauge.read(files.TERSE_MEDIANS.replace("4.50", "4.40"), "f")


def test_strides_queues_pairs_and_perturbations_are_tests_of_their_own() -> None:
    assert names(files.STRIDES) == ["netgauge one_one_dtype, stride 1", "netgauge one_one_dtype, stride 2"]
    assert column(files.TERSE_STRIDES, "netgauge one_one_dtype, stride 4", "least") == pytest.approx([8e-6])
    assert names(files.QUEUE) == [f"netgauge one_one_req_queue, {n} requests" for n in (16, 32)]
    first, second = netgauge.read(files.ALL_PAIRS, "f")
    assert first.benchmark == second.benchmark == "netgauge one_one_all"
    assert (second.series[0].labels["rank"], second.series[0].labels["peer"]) == (0, 2)
    assert of(second, "least") == pytest.approx([3.0312e-6])
    with pytest.raises(MeasurementError, match="f:13: a second row of ranks 0 and 1"):
        netgauge.read(files.ALL_PAIRS.replace("2 100 - 3", "1 100 - 3"), "f")
    both = "netgauge one_one_perturb, compute and communicate"
    assert column(files.PERTURBED, both, "median wait") == pytest.approx([2.5e-6])
    assert column(files.PERTURBED, both, "median computation") == pytest.approx([900e-6])


def test_memory_and_processor() -> None:
    assert names(files.MEMORY) == ["netgauge memory, read", "netgauge memory, write", "netgauge memory, copy"]
    assert column(files.MEMORY, "netgauge memory, copy", "median") == pytest.approx([3.4e-6])
    assert column(files.TERSE_MEMORY, "netgauge memory, read", "mean", "rate_bps") == pytest.approx([4096 * 8e6])
    assert column(files.CHASE, "netgauge memory, pointer chase", "mean") == pytest.approx([5e-6])
    assert column(files.PROCESSOR, "netgauge cpu, vector loop", "median") == pytest.approx([2.5e-3])
    with pytest.raises(MeasurementError, match=r"f:2: 1e\+07 operations in 9000\.0 us are not 1000\.0 MFlop/s"):
        netgauge.read(files.PROCESSOR.replace("10000.00 us (1000", "9000.00 us (1000", 1), "f")


def test_the_rounds_of_a_bisection_are_samples() -> None:
    (reading,) = netgauge.read(files.BISECTION, "f")
    assert reading.benchmark == "netgauge ebb, 4 ranks"
    (samples,) = reading.series
    assert (samples.name, samples.labels) == ("sample_bps", {"size_B": 1024})
    assert list(samples.values) == pytest.approx([1024 * 8e6, 512 * 8e6])
    with pytest.raises(MeasurementError, match="the rounds take 10 us on average, not 15 us"):
        netgauge.read(files.BISECTION.replace("average: 20.0", "average: 10.0"), "f")
    with pytest.raises(MeasurementError, match="9 times in buckets, 8 told, 8 in rounds"):
        netgauge.read(files.BISECTION.replace("MiB/s): 3", "MiB/s): 4"), "f")


def test_a_collective_is_of_one_call_quiet_and_loaded() -> None:
    loaded = "netgauge collvsnoise, allreduce on 4 of 8 ranks, loaded"
    assert column(files.COLLECTIVE, loaded, "median") == pytest.approx([15e-6])
    assert len(names(files.COLLECTIVE)) == 4
    quiet, _ = netgauge.read(files.COLLECTIVE_TRIES, "f")
    assert list(quiet.series[0].values) == pytest.approx([8e-6, 12e-6])
    with pytest.raises(MeasurementError, match="f:4: the tries take 100 us on average, not 101 us"):
        netgauge.read(files.COLLECTIVE_TRIES.replace(":: 100.0", ":: 101.0"), "f")
    cut = files.COLLECTIVE_TRIES[: files.COLLECTIVE_TRIES.index("# acc")]
    with pytest.raises(MeasurementError, match="f:3: the tries are not summed up"):
        netgauge.read(cut, "f")


def test_loggp_has_its_times_and_parameters_and_the_newest_fit_of_a_size() -> None:
    (reading,) = netgauge.read(files.LOGGP, "f")
    assert of(reading, "median") == pytest.approx([10e-6, 12e-6, 14e-6])
    assert of(reading, "g") == pytest.approx([np.nan, 2e-6, 2.5e-6], nan_ok=True)
    assert of(reading, "o_s") == pytest.approx([1e-6, -0.1e-6, 1e-6])
    assert of(reading, "G (a byte)")[2] == pytest.approx(2e-9)
    assert reading.plan["messages"] == 16
    with pytest.raises(MeasurementError, match=r"f:5: L, 6 us, is not half of the first PRTT\(1,0,s\), 10 us"):
        netgauge.read(files.LOGGP.replace("190.500000 5.0", "190.500000 6.0"), "f")


def test_ticks_need_their_rate() -> None:
    (reading,) = netgauge.read(files.CLOCKS, "f", TICKS)
    assert list(reading.series[0].values) == pytest.approx([10e-6, 15e-6])
    with pytest.raises(MeasurementError, match="distrtt counts in ticks of an unknown rate") as refused:
        netgauge.read(files.CLOCKS, "f")
    assert refused.value.hint == "give it: --tick-rate HZ"
    with pytest.raises(MeasurementError, match=r"at 1000 ticks a second the round trips take 50 s of the 0\.2002 s"):
        netgauge.read(files.CLOCKS, "f", ImportOptions(tick_rate_hz=1000))


def test_fixed_quanta_of_work_and_of_time() -> None:
    (work,) = netgauge.read(files.FWQ, "f")
    assert work.series[0].labels["host"] == "n7" and list(work.series[0].values) == pytest.approx([1e-4, 1e-4, 1.8e-4])
    (done,) = netgauge.read(files.FTQ, "f")
    assert (done.benchmark, done.plan["quantum_s"]) == ("noise-ftq", pytest.approx(1e-3))
    assert (done.series[0].name, list(done.series[0].values)) == ("work_count", [4000, 4000, 3000, 3900])
    with pytest.raises(MeasurementError, match="there are 3 cycles where 4 cycles should be"):
        netgauge.read(files.FTQ.replace(" 3                3900\n", ""), "f")


@pytest.mark.parametrize("kind", files.EVERY)
def test_launches_one_after_the_other_repeat_each_other(kind: str) -> None:
    text = files.EVERY[kind]
    once, thrice = names(text), names("mpirun says hello\n" + text * 3)
    assert thrice == 3 * once


def test_what_is_not_read_is_named() -> None:
    with pytest.raises(MeasurementError, match=r"f:1: there is no pattern of netgauge that is read \(pattern mprobe\)"):
        netgauge.read(files.started("mprobe") + "[0] size: 1 took 1.000000 us\n", "f")
