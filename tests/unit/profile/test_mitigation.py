"""Pairs of ranks that spend more in transmission than in processing, and other hosts for them."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.profile import findings, json_form, mitigation, profile, tables
from fairlead.profile.json_form import Summary
from fairlead.profile.record import RECEIVE, SEND
from fairlead.report.profile import profile_report

from .kept_messages import a_record, end
from .profile_fixtures import a_record as counted


def four(time_s: float = 100.0) -> Summary:
    """Rank 2 waits 9 s for transfers from 0 and computes 1 s between them; rank 3 waits 1 s for 1 and computes 5 s."""
    ends = [
        [end(SEND, 2, 10, 10, 10), end(SEND, 2, 16, 16, 16)],
        [end(SEND, 3, 10, 10, 10), end(SEND, 3, 16, 16, 16)],
        [end(RECEIVE, 0, 10, 10, 15), end(RECEIVE, 0, 16, 16, 20)],
        [end(RECEIVE, 1, 10, 10, 10.5), end(RECEIVE, 1, 15.5, 16, 16.5)],
    ]
    sent_B = [[0, 0, 4000, 0], [0, 0, 0, 4000], [0] * 4, [0] * 4]
    records = [
        replace(
            a_record(rank, each, host=f"node{rank}", ranks=4),
            time_s=time_s,
            messages=counted(rank, sent_B[rank], mpi_s=1.0, ranks=4).messages,
        )
        for rank, each in enumerate(ends)
    ]
    on_one = json_form.of(profile.of(records, ["a"] * 4), ["./prog"])  # one clock
    return on_one.model_copy(update={"hosts": ["a", "b"], "host_of_rank": ["a", "a", "b", "b"]})


def test_pairs_whose_transmission_outweighs() -> None:
    assert mitigation.pairs(four()) == [mitigation.Pair(0, 2, ("a", "b"), 9.0, 1.0, 1, 4000)]
    assert mitigation.pairs(four(time_s=1000.0)) == []  # below a hundredth of the receiver's time


def test_a_file_of_before_tells_nothing() -> None:
    found = four()
    assert found.waiting is not None
    older = found.waiting.model_copy(update={"receiving_between_s": None, "processing_between_s": None})
    assert mitigation.pairs(found.model_copy(update={"waiting": older})) == []


def test_ranks_are_exchanged_between_the_same_hosts() -> None:
    change = mitigation.better(four())
    assert change is not None
    assert change.host_of_rank in (("a", "b", "a", "b"), ("b", "a", "b", "a"))
    assert (change.before_B, change.after_B) == (8000, 0)
    good = four().model_copy(update={"host_of_rank": ["a", "b", "a", "b"]})
    assert mitigation.better(good) is None


def test_of_very_many_ranks_none_are_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mitigation, "MOST_RANKS", 3)
    assert mitigation.better(four()) is None
    told = (
        "whether ranks should be swapped between hosts is looked for with up to 3 ranks; `fairlead placement` does so "
        "with more"
    )
    assert told in list(findings.caveats(four()))
    each_alone = four().model_copy(update={"hosts": list("abcd"), "host_of_rank": list("abcd")})
    assert told not in list(findings.caveats(each_alone)), "none is better than another there"
    monkeypatch.setattr(mitigation, "MOST_RANKS", 4)
    assert told not in list(findings.caveats(four()))


def test_it_is_told_and_shown(tmp_path: Path) -> None:
    found = four()
    lead = [text.replace("\u00a0", " ") for text in findings.lead(found)]
    assert (
        "1 pair of ranks spends more in transmission than the receiver computes between messages; waiting for it takes "
        "2.2 % of the ranks' time: place these ranks closer, or use larger parts"
    ) in lead
    assert any("would reduce traffic between hosts by 100.0 % (7.812 KiB to 0 B)" in text for text in lead)
    (row,) = tables.transmission(mitigation.of(found)).rows
    assert [each.shown.replace("\u00a0", " ") for each in row] == [
        "0", "2", "a → b", "1", "3.906 KiB", "9.00 s", "1.00 s",
    ]  # fmt: skip
    stored, html = tmp_path / "p.json", tmp_path / "p.html"
    sums = {"host_messages": [[0, 2], [0, 0]], "host_bytes_B": [[0, 8000], [0, 0]]}
    found = found.model_copy(update=sums)
    stored.write_text(found.to_json())
    done = CliRunner().invoke(command, ["profile", "show", str(stored)], standalone_mode=False)
    assert "More transmission than processing" in done.output
    assert "Ranks exchanged" in done.output
    profile_report.write(found, html)
    assert 'id="mitigation"' in html.read_text()
