"""Slow messages and the detours that explain them."""

from pathlib import Path

import numpy as np
import pytest

from fairlead.benchmarks.measuring import records
from fairlead.benchmarks.noise_effect import analyse as noise_effect_analysis
from fairlead.benchmarks.noise_effect import measure as noise_effect
from fairlead.benchmarks.noise_effect.analyse import NoiseEffectPart
from fairlead.benchmarks.page import report as reports
from fairlead.errors import MeasurementError
from fairlead.store import Store

NONE = np.empty((0, 2))


def part(lengths_s: list[float], near_s: list[tuple[float, float]], far: list[tuple[int, float]]) -> NoiseEffectPart:
    """Messages without a gap between them."""
    lengths = np.array(lengths_s)
    starts = np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
    near = np.array(near_s) if near_s else NONE
    return NoiseEffectPart(
        0.0,
        np.stack([starts, lengths], axis=1),
        near,
        np.arange(len(near)) % 4,
        np.array([length for _, length in far]),
        np.zeros(len(far), dtype=np.int64),
        np.array([message for message, _ in far], dtype=np.int64),
        1e-8,
        1e-7,
    )


def test_a_detour_counts_for_the_messages_that_it_overlaps() -> None:
    found = part([1.0, 1.0, 1.0], [(0.5, 0.25), (1.75, 0.5), (2.5, 9.0)], [(2, 0.5), (2, 0.25), (3, 1.0)])
    assert list(found.near_in_message_s()) == pytest.approx([0.25, 0.25, 0.75])
    # The last reply is followed by nothing: its detours go round to the first message.
    assert list(found.far_in_message_s()) == pytest.approx([1.0, 0.0, 0.75])


def test_slow_messages_are_explained_by_the_detours_of_either_rank() -> None:
    # The median is 1; slow are 3 (explained by its own), 5 (half its excess by the peer's), 4 (not), 9 (both together).
    lengths = [1.0] * 10 + [3.0] + [1.0] * 10 + [5.0] + [1.0] * 10 + [4.0] + [1.0] * 10 + [9.0]
    starts = np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
    near = [(float(starts[10]), 1.5), (float(starts[32]), 0.5), (float(starts[43]), 2.0), (float(starts[5]), 0.5)]
    found = noise_effect_analysis.effect([part(lengths, near, [(21, 2.0), (43, 2.0)])])
    assert (found.median_s, found.messages, found.slow) == (1.0, 44, 4)
    assert (found.near, found.far, found.either) == (1, 1, 3)
    # The third of the own detours was seen within a call that moves messages.
    assert found.waiting == 2
    assert found.share() == 0.75
    assert found.by_chance < 1.0


def test_what_the_program_tells_is_kept_and_checked(tmp_path: Path) -> None:
    # Two messages, one own detour in MPI_Test, one of the peer's during the second message.
    row = np.array([1e-8, 1e-7, 2, 1, 1, 0.0, 1e-5, 1e-5, 3e-5, 1.5e-5, 2e-5, 1, 1, 4e-6, 0])
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "noise-effect", "cluster": "c"}, plan={})
        noise_effect._keep(store, run, 0.5, row)
        with pytest.raises(MeasurementError, match="14 numbers are not 2 messages and 1 \\+ 1 detours"):
            noise_effect._keep(store, run, 1.5, row[:-1])
        store.finish_run(run)
        (found,) = noise_effect_analysis.parts(store, run)
    assert found.start_s == 0.5 and found.least_test_s == 1e-7
    assert found.messages_s.tolist() == [[0.0, 1e-5], [1e-5, 3e-5]]
    assert found.near_s.tolist() == [[1.5e-5, 2e-5]] and found.near_kind.tolist() == [1]
    assert found.far_kind.tolist() == [0] and found.far_message.tolist() == [1] and found.far_s.tolist() == [4e-6]
    text = "\n".join(reports.findings(reports.load([tmp_path])))
    # The median is 20 us: 30 us are slow only from 1.5 times on, and no more.
    assert "noise on the cores of the two ranks explains 0\u00a0% of these (0 of 0" in text
    assert "no slow messages: measure longer" in text


def test_most_slow_messages_are_the_systems_doing(tmp_path: Path) -> None:
    lengths = np.tile([1e-5] * 99 + [1e-4], 50)
    starts = np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
    with Store.open(tmp_path) as store:
        run = store.begin_run(records.KIND, {"benchmark": "noise-effect", "cluster": "c"}, plan={})
        labels = {"start_s": 0.0}
        least = {"least_reading_s": 1e-8, "least_test_s": 1e-7}
        store.add_series(run, "message_s", np.stack([starts, lengths], axis=1), "s", {**labels, **least})
        near = np.stack([starts[99::100], np.full(50, 9e-5), np.zeros(50)], axis=1)
        store.add_series(run, "near_detours", near, "1", labels)
        store.finish_run(run)
    found = reports.load([tmp_path])
    (drawing,) = reports.drawings(found)
    row = dict(zip(drawing.table.keys, drawing.table.rows[0], strict=True))
    assert (row["messages"].value, row["slow"].value, row["explained"].value) == (5000, 50, 50)
    text = "\n".join(reports.findings(found))
    assert "of 5000 messages 1.00\u00a0% took more than 1.5 times the median" in text
    assert "most slow messages are caused by the operating system, not by the network" in text
