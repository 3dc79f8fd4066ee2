"""What the run of a profile cost: in JSON, in words, and where it is not known."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairlead.cli.main import command
from fairlead.errors import ConfigError
from fairlead.prices.book import load_prices
from fairlead.profile import findings, json_form, priced, profile
from fairlead.profile.json_form import Summary
from fairlead.profile.ran import Ran
from fairlead.profile.run import run_profiled
from fairlead.programs.launch_request import LaunchRequest
from fairlead.report.profile import profile_report

from ..prices.test_prices import INSTANCE, book
from .profile_fixtures import three_ranks

RAN = Ran(cluster="mesh8", compute_hosts=4, time_s=15.0)
"""Half of the system; mpirun took half as long again as its ranks between MPI_Init and MPI_Finalize."""
TOLD = "it cost 0.0500 EUR: 15.0 s of 4 hosts at 12.0 EUR an hour; one EUR buys 20.0 such runs"


def profiled(ran: Ran | None = RAN) -> Summary:
    return json_form.of(profile.of(three_ranks(), ["a", "a", "b"]), ["./prog"], ran=ran)


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    return book(tmp_path / "b.toml", INSTANCE + '[systems.mesh8]\ninstance = "big"\nhosts = 8\n')


def test_a_run_is_paid_from_the_start_of_mpirun_to_its_end(prices: Path, tmp_path: Path) -> None:
    bare = profiled()
    assert bare.cost is None
    assert not [text for text in findings.lead(bare) if "cost" in text]
    found = priced.with_prices(bare, load_prices(prices))
    data = json.loads(found.to_json())
    assert data["ran"] == {"cluster": "mesh8", "compute_hosts": 4, "time_s": 15.0}
    assert data["cost"] == {
        "currency": "EUR",
        "hosts": 4,
        "per_hour": 12.0,
        "per_run": pytest.approx(12.0 * 15 / 3600),
        "efficiency": pytest.approx(3600 / 15 / 12.0),
    }
    assert list(findings.lead(found))[-1].replace("\u00a0", " ") == TOLD
    assert ("cluster", "mesh8") in profile_report.conditions(found)
    profile_report.write(found, tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text().replace("\u00a0", " ")
    assert f"<p>I{TOLD[1:]}.</p>" in page


def test_a_stored_profile_has_the_cost_that_it_was_given_until_another_book_is(prices: Path, tmp_path: Path) -> None:
    file, again = tmp_path / "p.json", tmp_path / "again.json"
    file.write_text(profiled().to_json())
    done = CliRunner().invoke(command, ["profile", "show", str(file), "--prices", str(prices), "--json", str(again)])
    assert done.exit_code == 0, done.output
    assert TOLD in done.output.replace("\u00a0", " ")
    assert TOLD in CliRunner().invoke(command, ["profile", "show", str(again)]).output.replace("\u00a0", " ")
    prices.write_text(prices.read_text().replace("3.0", "6.0"))
    done = CliRunner().invoke(command, ["profile", "show", str(again), "--prices", str(prices)])
    assert "it cost 0.100 EUR" in done.output.replace("\u00a0", " ")


def test_what_has_no_price_is_said(prices: Path) -> None:
    with pytest.raises(ConfigError, match="the profile does not say which cluster the program ran on") as caught:
        priced.with_prices(profiled(None), load_prices(prices))
    assert caught.value.hint == "profile the program again, or omit --prices"
    other = RAN.model_copy(update={"cluster": "star8"})
    with pytest.raises(ConfigError, match=r"b\.toml: no \[systems\.star8\]"):
        priced.with_prices(profiled(other), load_prices(prices))


def test_a_cluster_without_a_price_is_told_before_the_program_starts(prices: Path, tmp_path: Path) -> None:
    request = LaunchRequest(["touch", str(tmp_path / "started")], ranks=1)
    with pytest.raises(ConfigError, match=r'b\.toml: no \[systems\."this machine"\]'):
        run_profiled(request, book=load_prices(prices))
    assert not (tmp_path / "started").exists()


def test_files_before_these_keys_are_read(tmp_path: Path) -> None:
    data = json.loads(profiled().to_json())
    del data["ran"], data["cost"]
    file = tmp_path / "old.json"
    file.write_text(json.dumps(data | {"schema_version": "1.8"}))
    assert (Summary.read(file).ran, Summary.read(file).cost) == (None, None)
