"""The page of a profile, for one rank and for many; `profile show`; kinds of functions."""

import json
import re
import shutil
import subprocess
import tomllib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairlead.cli.main import command
from fairlead.errors import ConfigError, FairleadError
from fairlead.profile import findings, json_form, mitigation, profile, run, tables
from fairlead.profile.analysis import kinds
from fairlead.profile.json_form import Collectives, Summary, Waiting
from fairlead.profile.record import COLLECTIVE, END, NO_ROOT, RELAY_COUNTS, Region, Usage
from fairlead.report import page
from fairlead.report.profile import profile_figures, profile_report, traffic_figures
from fairlead.report.profile.profile_output import ProfileOutput

from .kept_messages import end
from .profile_fixtures import a_record, three_ranks

TABLE = Path(__file__).parents[3] / "native" / "interpose" / "functions.toml"
KIND_OF_DIRECTION = {
    "send": kinds.POINT_TO_POINT,
    "receive": kinds.POINT_TO_POINT,
    "exchange": kinds.POINT_TO_POINT,
    "probe": kinds.POINT_TO_POINT,
    "match": kinds.POINT_TO_POINT,
    "start": kinds.POINT_TO_POINT,
    "completion": kinds.COMPLETION,
    "collective": kinds.COLLECTIVE,
    "neighborhood": kinds.COLLECTIVE,
    "rma": kinds.ONE_SIDED,
    "io": kinds.FILES,
    "create": kinds.OTHER,
    "release": kinds.OTHER,
}


def three(hosts: list[str] | None = None) -> Summary:
    return json_form.of(profile.of(three_ranks(), hosts or ["a", "a", "b"]), ["./prog", "x<y"])


def ring(ranks: int, ranks_a_host: int) -> Summary:
    records = []
    for rank in range(ranks):
        sent_B = [0] * ranks
        sent_B[(rank + 1) % ranks] = 4096
        records.append(a_record(rank, sent_B, mpi_s=9.0 + rank / 1000, ranks=ranks))
    return json_form.of(profile.of(records, [f"h{rank // ranks_a_host}" for rank in range(ranks)]), ["./ring"])


def test_regions_by_name_and_rank(tmp_path: Path) -> None:
    records = three_ranks()
    records[0] = replace(
        records[0], regions={"solve": Region(3, 2.0, 0.5, 7, 800, 0), "output": Region(1, 1.0, 0.0, 0, 0, 0, 1)}
    )
    records[2] = replace(records[2], regions={"solve": Region(3, 4.0, 3.0, 7, 0, 4096)})
    found = json_form.of(profile.of(records), ["./prog"])
    rows = [[each.shown.replace("\xa0", " ") for each in row] for row in tables.regions(found).rows]
    assert rows == [
        ["solve", "0", "3", "2.00 s", "500 ms", "25.0 %", "7", "800 B", "·"],
        ["solve", "2", "3", "4.00 s", "3.00 s", "75.0 %", "7", "·", "4 KiB"],
        ["output", "0", "1", "1.00 s", "0 s", "0.0 %", "0", "·", "·"],
    ]
    assert [row[1].shown for row in tables.regions(found, most=1).rows] == ["2"]
    profile_report.write(found, tmp_path / "p.html")
    assert '<a href="#regions">' in (tmp_path / "p.html").read_text()
    assert Summary.model_validate_json(found.model_dump_json(by_alias=True)) == found
    assert not tables.regions(three()).rows
    assert list(findings.caveats(found)) == ["rank 0 ended in the region output: the last time in it is not counted"]


def test_how_far_phases_were_looked_for_is_said() -> None:
    found = three().model_copy(update={"pattern": json_form.Pattern(rank=2, phases=[], searched=32_768)})
    (told,) = findings.caveats(found)
    assert (
        told.replace("\xa0", " ") == "phases were looked for in the first 32768 messages and collective calls of rank 2"
    )
    assert not list(findings.caveats(three()))


def test_collective_calls_on_the_page(tmp_path: Path) -> None:
    """Rank 1 enters five times 2 s late, and rank 2 kept nothing of the one call on another communicator."""
    records = three_ranks()
    for rank, late_s in enumerate((0.0, 2.0, 1.0)):
        calls = [
            end(COLLECTIVE, NO_ROOT, at + late_s, at + late_s, at + 2.5, tag=3, member=rank, size_B=16)
            for at in (10.0, 20.0, 30.0, 40.0, 50.0)
        ]
        alone = end(COLLECTIVE, 0, 60, 60, 60.25, tag=2, member=rank, function=1, communicator=5)
        ends = np.array([*calls, *([alone] if rank == 0 else [])], END)
        records[rank] = replace(records[rank], ends=ends, function_names=("MPI_Iallreduce", "MPI_Bcast"))
    found = json_form.of(profile.of(records, ["a"] * 3), ["./prog"])
    assert found.waiting is not None
    assert (found.waiting.late_others_s, found.waiting.collective_s) == ([10.0, 0.0, 5.0], [2.5, 2.5, 2.5])
    rows = [[each.shown.replace("\xa0", " ") for each in row] for row in tables.collectives(found).rows]
    assert rows == [
        ["MPI_Iallreduce", "15", "15.0 s", "wait at N to N", "7.50 s", "0 s"],
        ["MPI_Bcast", "1", "0 s", "late broadcast", "0 s", "250 ms"],
    ]
    rows = [[each.shown.replace("\xa0", " ") for each in row] for row in tables.phases(found).rows]
    assert rows == [["0 s", "5", "5", "10.0 s", "0", "·", "", "1 MPI_Iallreduce of 16 B", "83.3 %"]]
    told = "50.0 % late ranks in collective calls, 25.0 % collective calls"
    assert any(told in text.replace("\xa0", " ") for text in findings.lead(found))
    profile_report.write(found, tmp_path / "p.html")
    page = (tmp_path / "p.html").read_text()
    assert 'id="collectives"' in page
    assert 'id="waiting"' in page
    assert Summary.model_validate_json(found.model_dump_json(by_alias=True)) == found
    assert not tables.collectives(three()).rows


def test_messages_on_two_paths(tmp_path: Path) -> None:
    counts = {name: place for place, name in enumerate(RELAY_COUNTS)}
    used = {"MPI_Bcast": Usage(3, 0.1, 400, 0), "MPI_Send": Usage(9, 0.1, 72, 0)}
    records = [replace(each, relay=counts, functions=used) for each in three_ranks()]
    found = json_form.of(profile.of(records, ["a", "a", "b"]), ["./a"])
    rows = [[each.shown for each in row[:3]] for row in tables.relay(found).rows]
    assert rows == [["0", "0", "1"], ["1", "0", "1"], ["2", "0", "1"]]
    (left,) = tables.stayed_direct(found).rows
    assert [each.shown.replace("\xa0", " ") for each in left] == ["MPI_Bcast", "9", "1.172 KiB"]
    assert not tables.relay(three()).rows
    assert not tables.stayed_direct(three()).rows
    profile_report.write(found, tmp_path / "p.html")
    assert '<a href="#relay">' in (tmp_path / "p.html").read_text()


def test_every_function_has_the_kind_of_what_it_does() -> None:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    for name, row in table.items():
        direction = table[row.get("large_count_of", name)]["direction"]
        if direction != "none":
            assert kinds.kind_of(name) == KIND_OF_DIRECTION[direction], name
    others = (
        "MPI_Win_fence",
        "MPI_File_open",
        "MPI_Probe",
        "MPI_Comm_split",
        "MPI_Reduce_local",
        "MPI_Type_get_extent",
    )
    assert [kinds.kind_of(name) for name in others] == [
        kinds.ONE_SIDED, kinds.FILES, kinds.POINT_TO_POINT, kinds.OTHER, kinds.OTHER, kinds.OTHER,
    ]  # fmt: skip


def test_time_by_kind_of_function() -> None:
    record = replace(a_record(0, [0], mpi_s=1.0, ranks=1), threads=2)
    usages = {"MPI_Wait": Usage(1, 2.0, 0, 0), "MPI_Init": Usage(1, 9.0, 0, 0), "MPI_Iallreduce_c": Usage(1, 4.0, 0, 0)}
    (rank,) = json_form.of(profile.of([replace(record, functions=usages)]), ["p"]).per_rank
    assert {kind: s for kind, s in profile_figures.kind_s(rank).items() if s} == {
        kinds.COMPLETION: 1.0,  # the mean of two threads
        kinds.COLLECTIVE: 2.0,
    }
    assert sum(profile_figures.kind_s(rank).values()) == rank.mpi_s


def test_figures_hold_their_numbers() -> None:
    drawn = {each.name: each.table for each in profile_report.drawings(three())}
    assert list(drawn) == ["times", "hosts", "ranks", "sizes"]
    assert drawn["times"].csv().splitlines()[:2] == [
        "rank,host,time_s,computing_s,mpi_s,mpi_share,sending_and_receiving_s",
        "0,a,10.0,9.0,1.0,0.1,1.0",
    ]
    assert drawn["hosts"].csv() == (
        "from_host,to_host,bytes_B,messages,mean_B\na,a,1000,1,1000.0\na,b,5000,1,5000.0\nb,a,70,1,70.0\n"
    )
    assert drawn["ranks"].csv().splitlines()[1:] == ["0,1,1000,1,1000.0", "1,2,5000,1,5000.0", "2,0,70,1,70.0"]
    assert "4096,8191,1,0" in drawn["sizes"].csv()


def test_traffic_between_hosts_apart_from_that_inside_them() -> None:
    assert profile_report.traffic(three()).csv().splitlines()[1:] == [
        f"between hosts,2,{2 / 3},5070,{5070 / 6070}",
        f"inside a host,1,{1 / 3},1000,{1000 / 6070}",
    ]
    assert profile_report.traffic(three(["a", "a", "a"])).rows == ()


def test_what_a_single_rank_has_no_numbers_for_is_left_out() -> None:
    alone = json_form.of(profile.of([a_record(0, [0], mpi_s=1.0, ranks=1)]), ["p"])
    assert [each.name for each in profile_report.drawings(alone)] == ["times"]
    assert "mean" not in profile_report.drawings(alone)[0].caption


def test_ranks_alone_on_their_hosts_have_one_matrix() -> None:
    assert [each.name for each in profile_report.drawings(three(["a", "b", "c"]))] == ["times", "hosts", "sizes"]
    assert [each.name for each in profile_report.drawings(three(["a", "a", "a"]))] == ["times", "ranks", "sizes"]


def test_what_stays_inside_a_host_is_outlined() -> None:
    def outlined(hosts: str) -> list[tuple[int, int, int, int]]:
        return [(b.row, b.column, b.rows, b.columns) for b in traffic_figures.same_host(hosts)]

    assert outlined("aab") == [(0, 0, 2, 2), (2, 2, 1, 1)]
    assert outlined("aba") == [(0, 0, 1, 1), (0, 2, 1, 1), (1, 1, 1, 1), (2, 0, 1, 1), (2, 2, 1, 1)]
    assert outlined("abc") == []
    assert outlined("ab" * 16) == [], "512 blocks cannot be seen"


def test_hosts_of_scattered_ranks_are_added_up() -> None:
    found = three(["a", "b", "a"])
    assert found.host_bytes_B == [[70, 1000], [5000, 0]]
    assert found.host_messages == [[1, 1], [1, 0]]


def test_of_many_ranks_neighbours_are_drawn_as_one() -> None:
    found = ring(512, 8)
    drawn = {each.name: each for each in profile_report.drawings(found)}["ranks"]
    assert drawn.caption.endswith("Each cell is the sum of what 6 neighbours send to 6.")
    axis = drawn.figure.axes[1]
    (image,) = axis.images
    sums = np.ma.filled(image.get_array(), 0)
    assert sums.shape == (86, 86)
    assert (np.diag(sums)[:85] == 5).all() and (np.diag(sums, 1) == 1).all() and sums.sum() == 512
    assert (sums[85, 85], sums[85, 0]) == (1, 1), "ranks 510 and 511"
    assert axis.get_ylabel() == "from rank, 6 a cell"
    assert [tick.get_text() for tick in axis.get_xticklabels()][:2] == ["0", "48"]
    assert {(box.get_width(), box.get_height()) for box in axis.patches} == {(8 / 6, 8 / 6)}, "8 ranks a host"
    assert len(drawn.table.rows) == 512, "each pair"


def test_where_many_pairs_sent_something_the_page_has_sums(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic_figures, "MOST_PAIRS", 511)
    drawn = {each.name: each for each in profile_report.drawings(ring(512, 8))}["ranks"]
    assert drawn.caption.endswith("The numbers are these sums; --figures also writes ranks.csv with all 512 pairs.")
    assert drawn.table.csv().splitlines()[:3] == [
        "from_ranks,to_ranks,bytes_B,messages,mean_B", "0 to 5,0 to 5,20480,5,4096.0", "0 to 5,6 to 11,4096,1,4096.0",
    ]  # fmt: skip
    assert len(drawn.table.rows) == 2 * 86
    written = {path.name: path for path in drawn.save(tmp_path)}["ranks.csv"].read_text().splitlines()
    assert written[:2] == ["from_rank,to_rank,bytes_B,messages,mean_B", "0,1,4096,1,4096.0"]
    assert len(written) == 1 + 512


def test_of_very_many_ranks_bars_are_means_of_neighbours() -> None:
    found = ring(4, 2)
    rank = found.per_rank[0]
    many = [rank.model_copy(update={"rank": number, "computing_s": float(number % 2)}) for number in range(2000)]
    found = found.model_copy(update={"per_rank": many, "ranks": 2000, "host_of_rank": ["h0"] * 2000})
    drawn = profile_figures.times(found)
    assert drawn.caption.endswith("Each step is the mean of 2 ranks.")
    steps = drawn.figure.axes[0].patches[0].get_data()
    assert steps.values.tolist() == [0.5] * 1000
    assert (steps.edges[0], steps.edges[1], steps.edges[-1]) == (-0.5, 1.5, 1999.5)
    assert len(drawn.table.rows) == 2000


def test_the_page_of_a_program_in_which_all_send_to_all_stays_small(tmp_path: Path) -> None:
    records = [a_record(rank, [100] * 300, mpi_s=1.0, ranks=300) for rank in range(300)]
    found = json_form.of(profile.of(records, [f"h{rank // 8}" for rank in range(300)]), ["./all"])
    (path,) = profile_report.write(found, tmp_path / "p.html")
    text = path.read_text()
    assert "The numbers are these sums" in text
    assert len(text) < 3_000_000, "as 90000 rows it were larger"


def all_to_all(ranks: int, ranks_a_host: int) -> Summary:
    """Each rank sent to each, also by collective calls, as many bytes as have long numbers; and each waited long for a
    hundred others."""
    draw = np.random.default_rng(ranks)
    messages = draw.integers(1, 10**6, (ranks, ranks), np.uint64)
    bytes_B = draw.integers(10**9, 10**10, (ranks, ranks), np.uint64)
    first = np.arange(0, ranks, ranks_a_host)
    by_host = [np.add.reduceat(np.add.reduceat(each, first), first, axis=1) for each in (messages, bytes_B)]
    sent = dict(zip(("messages", "bytes_B", "host_messages", "host_bytes_B"),
                    (each.tolist() for each in (messages, bytes_B, *by_host)), strict=True))  # fmt: skip
    found, waited_s = ring(4, 2), draw.uniform(0.2, 0.3, (ranks, ranks)) * (np.arange(ranks) < 100)[:, None]
    hosts = [f"h{rank // ranks_a_host}" for rank in range(ranks)]
    waiting = Waiting.model_construct(
        **dict.fromkeys(("late_sender_s", "late_receiver_s", "transfer_s", "unknown_s"), [0.5] * ranks),
        receiving_between_s=waited_s.tolist(), processing_between_s=np.zeros((ranks, ranks)).tolist(),
        transfer_between_s=waited_s.tolist(), joined=1, kept=1, all_ends=1, bound_s=None,
    )  # fmt: skip
    return found.model_copy(
        update=sent
        | {
            "ranks": ranks,
            "hosts": list(dict.fromkeys(hosts)),
            "host_of_rank": hosts,
            "per_rank": [
                found.per_rank[0].model_copy(update={"rank": rank, "host": host}) for rank, host in enumerate(hosts)
            ],
            "collectives": Collectives.model_construct(source="measured", **sent),
            "waiting": waiting,
        }
    )


@pytest.mark.parametrize(
    ("ranks", "ranks_a_host", "together"),
    [
        (64, 1, 1),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((128, 2, 1), (129, 2, 2), (256, 2, 3), (257, 1, 3))),
        pytest.param(1024, 2, 11, marks=pytest.mark.slow),
    ],
)
def test_the_size_of_a_page_has_a_bound(
    ranks: int, ranks_a_host: int, together: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mitigation, "better", lambda _: None)  # looks for other hosts for long
    found = all_to_all(ranks, ranks_a_host)
    (path,) = profile_report.write(found, tmp_path / "p.html")
    text = path.read_text()
    assert len(text) < 5_000_000
    assert text.count("<tr>") < 7 * page.MOST_ROWS
    drawn = (traffic_figures.rank_traffic if ranks_a_host > 1 else traffic_figures.host_traffic)(found)
    assert len(drawn.table.rows) == (-(-ranks // together)) ** 2
    sizes_B = [row[2].value for row in drawn.table.rows]
    assert sizes_B == sorted(sizes_B, reverse=True), "the first rows are those that a page shows"
    assert drawn.figure.axes[1].images[0].get_array().shape == (-(-ranks // together),) * 2
    assert drawn.members is not None
    assert next(len(each) for each in drawn.members.values()) == together
    assert (drawn.foremost is None) == (together == 1)
    assert ('class="search"' in text) and ("function find(" in text)


def test_of_all_pairs_those_that_sent_most_are_named_beside_the_sums(tmp_path: Path) -> None:
    found = all_to_all(130, 130)
    drawn = traffic_figures.rank_traffic(found)
    assert drawn.foremost is not None and len(drawn.foremost.rows) == traffic_figures.MOST_FIRST
    sent_B = np.array(found.bytes_B)
    i, j = np.unravel_index(int(sent_B.argmax()), sent_B.shape)
    assert [each.value for each in drawn.foremost.rows[0][:3]] == [str(i), str(j), int(sent_B.max())]
    assert drawn.foremost.keys[:2] == ("from_rank", "to_rank")
    written = {path.name: path for path in drawn.save(tmp_path)}["ranks.csv"].read_text().splitlines()
    assert len(written) == 1 + 130**2, "the file has all"
    assert written[1].startswith(f"0,0,{sent_B[0, 0]},")


def test_a_page_tells_how_many_transmissions_it_leaves_out(tmp_path: Path) -> None:
    (path,) = profile_report.write(all_to_all(32, 32), tmp_path / "p.html")
    told = f"These are the 1000 longest transmissions of {32 * 32}; the JSON profile has all."
    assert told in re.sub(r"\s+", " ", path.read_text())
    (path,) = profile_report.write(three(), tmp_path / "p.html")
    assert "longest transmissions" not in path.read_text()
    assert 'class="search"' not in path.read_text()


@pytest.mark.skipif(shutil.which("node") is None, reason="Debian: apt install nodejs")
def test_a_pair_is_found_in_all_rows() -> None:
    """The script's own functions, without a page."""
    script = (Path(page.__file__).with_name("templates") / "search.html.j2").read_text()
    script = script[script.index("<script>") + len("<script>") : script.index("</script>")]
    rows = [["0 to 1", "2", "10"], ["2", "0 to 1", "9"], ["0 to 1", "0 to 1", "8"]]
    asked = ["1", "1 2", " 2  0 ", "2", "0 to 1", "7", "0 1 2"]
    tried = f"""
        const document = {{querySelectorAll: () => []}};
        {script.replace("document.querySelectorAll", "globalThis.find = find; document.querySelectorAll", 1)}
        const rows = {json.dumps(rows)}, members = {{"0 to 1": ["0", "1"], "2": ["2"]}};
        console.log(JSON.stringify({json.dumps(asked)}.map(text => {{
            try {{ return find(rows, members, text).map(row => row[2]).join(" "); }}
            catch (problem) {{ return problem; }}
        }})));"""
    done = subprocess.run(["node", "-e", tried], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        "10 9 8", "10", "9", "10 9", "10 9 8", "there is no 7", "one name, or two",
    ]  # fmt: skip


class Page(HTMLParser):
    """The addresses that a page uses, its ids, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attributes if name in ("href", "src", "xlink:href")]
        self.ids += [value or "" for name, value in attributes if name == "id"]

    def handle_data(self, data: str) -> None:
        self.text += f"{data} "


@pytest.mark.parametrize(("ranks", "ranks_a_host"), [(1, 1), (3, 1), (64, 8), (200, 8), (300, 1)])
def test_the_page_stands_alone(ranks: int, ranks_a_host: int, tmp_path: Path) -> None:
    found = three() if ranks == 3 else ring(ranks, ranks_a_host)
    (path,) = profile_report.write(found, tmp_path / "p.html")
    text = path.read_text()
    page = Page(text)
    inside = [address for address in page.addresses if address.startswith("#")]
    outside = [address for address in page.addresses if not address.startswith(("#", "data:"))]
    assert outside == []
    assert "url(http" not in text
    assert {address[1:] for address in inside} <= set(page.ids)


def test_the_page_says_the_group_and_why(tmp_path: Path) -> None:
    killed = three().model_copy(update={"missing_ranks": [7]})
    (path,) = profile_report.write(killed, tmp_path / "p.html")
    text = re.sub(r"\s+", " ", Page(path.read_text()).text)
    assert "Low dependence on the network: 40.0 % of the ranks' time is in MPI, 10.0 % to 70.0 % rank by rank" in text
    assert "low from 25 % 40.0 % none below 25 %" in text
    assert "Rank 7 left no record" in text
    assert "./prog x<y" in text
    assert "a: 0 to 1" in text
    assert "Collective and one-sided communication is not in the matrices" in text


def shown(*words: str) -> Result:
    return CliRunner().invoke(command, ["profile", "show", *words], standalone_mode=False)


def test_a_stored_profile_is_shown_again(tmp_path: Path) -> None:
    stored, html, direct = (tmp_path / name for name in ("p.json", "again.html", "direct.html"))
    ProfileOutput(stored, direct).write(three())
    done = shown(str(stored), "--html", str(html), "--figures", str(tmp_path / "figures"))
    assert done.exception is None
    assert "low dependence on the network: 40.0 %" in done.output.replace("\u00a0", " ")
    assert html.read_text() == direct.read_text()
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == sorted(
        f"{name}.{ending}" for name in ("times", "hosts", "ranks", "sizes") for ending in ("svg", "png", "csv")
    )


def test_a_file_that_cannot_be_written_keeps_no_other_back(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    page_file = tmp_path / "p.html"
    with pytest.raises(FairleadError, match=r"p\.json: cannot be written"):
        ProfileOutput(tmp_path / "file" / "p.json", page_file).write(three())
    assert page_file.read_text().startswith("<!DOCTYPE html>")


def test_a_profile_is_shown_though_its_files_cannot_be_written(capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(found: Summary) -> list[Path]:
        raise FairleadError("p.json: no space left")

    run._report(three(), refuse)
    told = capfd.readouterr().err
    assert "Computing and MPI" in told
    assert "fairlead: p.json: no space left" in told


def test_shares_of_functions_are_of_the_time_of_all_threads() -> None:
    """Two threads of each rank are in MPI half of the time: that is half of it, not all."""
    records = [replace(each, threads=2, functions={"MPI_Recv": Usage(4, 10.0, 0, 0)}) for each in three_ranks()]
    found = json_form.of(profile.of(records), ["./prog"])
    assert found.mpi_share == pytest.approx(0.5)
    shown_table = tables.functions(found)
    (row,) = shown_table.rows
    assert row[shown_table.keys.index("share")].value == pytest.approx(0.5)


def test_what_tables_say_in_words_is_in_their_csv() -> None:
    phase = json_form.Phase(
        begun_s=0.0, messages=2, bytes_B=16, sizes=[json_form.PhaseSize(size_B=8, messages=2)],
        collectives=[json_form.PhaseCalls(function="MPI_Allreduce", size_B=8, calls=1)], repetitions=3,
        expected_repetitions=3, repetition_s=0.1, share=1.0,
    )  # fmt: skip
    found = three().model_copy(update={"pattern": json_form.Pattern(rank=0, phases=[phase])})
    assert "2 of 8\xa0B,1 MPI_Allreduce of 8\xa0B,1.0" in tables.phases(found).csv()
    waited = json_form.CollectiveWaiting(
        wait_state="late broadcast", calls=1, late_others_s=1.0, collective_s=0.5, unknown_s=0.0
    )
    nothing = [0.0] * 3
    waiting = Waiting(
        late_sender_s=nothing, late_receiver_s=nothing, transfer_s=nothing, unknown_s=nothing,
        transfer_between_s=[nothing] * 3, in_function={"MPI_Bcast": waited}, joined=0, kept=3, all_ends=3, bound_s=0.0,
    )  # fmt: skip
    csv = tables.collectives(three().model_copy(update={"waiting": waiting})).csv()
    assert "MPI_Bcast,1,1.0,late broadcast,0.5,0.0" in csv


def test_a_trace_without_a_date_does_not_begin_in_1970() -> None:
    found = three().model_copy(update={"begun_s": 0.0})
    assert dict(profile_report.conditions(found))["begun"] == "at a time that the trace does not tell"
    assert dict(profile_report.conditions(three()))["begun"] == "2026-11-22 00:00:00 UTC"


def test_messages_that_nobody_waited_for_are_no_traceback() -> None:
    nothing = [0.0] * 3
    waiting = Waiting(
        late_sender_s=nothing, late_receiver_s=nothing, transfer_s=nothing, unknown_s=nothing,
        transfer_between_s=[nothing] * 3, joined=2, kept=4, all_ends=4, bound_s=0.0,
    )  # fmt: skip
    drawn = profile_report.drawings(three().model_copy(update={"waiting": waiting}))
    assert "waiting" in [each.name for each in drawn]


def test_settings_sort_a_stored_profile_anew(tmp_path: Path) -> None:
    stored, settings = tmp_path / "p.json", tmp_path / "s.toml"
    ProfileOutput(stored).write(three())
    settings.write_text("[groups]\nlow = 0.5\n")
    done = shown(str(stored), "--settings", str(settings))
    assert "no dependence on the network: 40.0 %" in done.output.replace("\u00a0", " ")


def test_mistakes_are_told(tmp_path: Path) -> None:
    stored = tmp_path / "p.json"
    stored.write_text(json.dumps({**json.loads(three().to_json()), "schema_version": "2.0"}))
    assert "has version 2.0 of fairlead.profile" in str(shown(str(stored)).exception)
    ProfileOutput(stored).write(three())
    error = shown(str(stored), "--figures", str(tmp_path)).exception
    assert isinstance(error, ConfigError)
    assert "--figures: these are the figures of the page" in str(error)
