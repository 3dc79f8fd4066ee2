"""Where ranks are placed: the search, what a placement costs, its files, the commands."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from fairlead.characterize import characterization
from fairlead.characterize.characterization import Characterization
from fairlead.characterize.downstream_bottlenecks import DownstreamLink
from fairlead.characterize.sample_store import StoreSink
from fairlead.characterize.survey import Survey, SurveySettings
from fairlead.cli.main import command
from fairlead.cluster.cluster_file import load_cluster
from fairlead.cluster.description import Cluster, Host
from fairlead.errors import ConfigError, MeasurementError, NoSuchResultsError
from fairlead.lab.description import Description
from fairlead.lab.resolve import resolve_lab
from fairlead.placement import compute, json_form, network, placed
from fairlead.placement.cost import TrafficMatrix, cost
from fairlead.placement.network import PlacementNetwork, assumed
from fairlead.placement.search import _fitting, best, exchanged
from fairlead.profile import json_form as profiles
from fairlead.profile import profile
from fairlead.profile.json_form import Summary
from fairlead.store import Store

from ..characterize.simulated_network import SimulatedAgents, run
from ..profile.profile_fixtures import a_record

LEAFS = resolve_lab(
    Description.model_validate(
        {
            "lab": {"name": "sim", "topology": "leaf-spine", "leafs": 2, "spines": 1, "hosts_per_leaf": 2},
            "host_link": {"rate": "1gbit"},
            "trunk": {"rate": "200mbit"},
        }
    )
)
CLUSTER = Cluster("sim", "local", tuple(Host(host.name, host.address) for host in LEAFS.hosts), source="sim.toml")
SETTINGS = SurveySettings(sizes_B=(64, 65536))
FAR_S, NEAR_S = 8e-8, 8e-9  # a byte


def pairwise(ranks: int, distance: int, size_B: float = 1e6) -> TrafficMatrix:
    """Rank r and rank r + distance talk, both ways, 10 messages."""
    bytes_B = np.zeros((ranks, ranks))
    for rank in range(ranks):
        if rank % (2 * distance) < distance:
            bytes_B[rank, rank + distance] = bytes_B[rank + distance, rank] = 10 * size_B
    return TrafficMatrix(10.0 * (bytes_B > 0), bytes_B)


def torus(rows: int, columns: int, seed: int) -> TrafficMatrix:
    """Neighbours on a torus talk; which rank is where is shuffled."""
    place = np.random.default_rng(seed).permutation(rows * columns).reshape(rows, columns)
    messages = np.zeros((rows * columns, rows * columns))
    for neighbour in (np.roll(place, 1, 0), np.roll(place, 1, 1)):
        messages[place, neighbour] += 1
        messages[neighbour, place] += 1
    return TrafficMatrix(messages, 1000 * messages)


def two_leafs(hosts_a_leaf: int, slots: int = 1, trunk_bps: float = 0.0) -> PlacementNetwork:
    """Far between leafs; with a rate, the trunk is a shared bottleneck of each direction instead, and all is near."""
    hosts = 2 * hosts_a_leaf
    leaf = np.arange(hosts) // hosts_a_leaf
    across = leaf[:, None] != leaf[None, :]
    byte_s = np.where(across & (trunk_bps == 0), FAR_S, NEAR_S) * (1 - np.eye(hosts))
    links = [DownstreamLink(across & (leaf[:, None] == side), trunk_bps) for side in (0, 1)] if trunk_bps else []
    names = tuple(f"h{index}" for index in range(hosts))
    return PlacementNetwork(names, (slots,) * hosts, 1e-5 * (1 - np.eye(hosts)), byte_s, tuple(links), measured=True)


def test_what_a_placement_costs() -> None:
    """Ranks 0 and 2, 1 and 3 exchange 10 messages of 1 MB each way, all over the trunk."""
    found = cost(pairwise(4, 2), two_leafs(2, trunk_bps=1e8), np.arange(4))
    assert (found.messages, found.bytes_B) == (40, 40_000_000)
    assert found.rank_s == pytest.approx((40 * 1e-5 + 4e7 * NEAR_S) / 4)
    assert found.busiest_s == pytest.approx(2e7 * 8 / 1e8)
    assert found.busiest == 0


def test_pairs_that_talk_share_a_host() -> None:
    where = best(pairwise(8, 4), assumed(["a", "b", "c", "d"], [2] * 4))
    assert [where[rank] for rank in range(4)] == [where[rank + 4] for rank in range(4)]
    assert sorted(where) == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("trunk_bps", [0.0, 1e9])
def test_pairs_that_talk_share_a_leaf(trunk_bps: float) -> None:
    """By what a byte takes, or, where that is the same on all paths, by the bottleneck that only leafs share."""
    where = best(pairwise(8, 4), two_leafs(4, trunk_bps=trunk_bps))
    assert sorted(where) == list(range(8))
    assert all(where[rank] // 4 == where[rank + 4] // 4 for rank in range(4))


def test_the_busiest_of_several_bottlenecks_is_relieved() -> None:
    """The heavy pair gets the way that nothing limits, the light one the faster of the two links: no way is better."""
    apart = ~np.eye(3, dtype=bool)
    slow, fast = np.zeros((3, 3), bool), np.zeros((3, 3), bool)
    slow[0, 1] = slow[1, 0] = True
    fast[0, 2] = fast[2, 0] = True
    found = PlacementNetwork(
        ("a", "b", "c"), (1, 1, 1), 0.0 * apart, 0.0 * apart, (DownstreamLink(slow, 1e6), DownstreamLink(fast, 1e7))
    )
    bytes_B = np.array([[0, 9e6, 1e6], [0, 0, 0], [0, 0, 0]])
    where = best(TrafficMatrix(1.0 * (bytes_B > 0), bytes_B), found)
    after = cost(TrafficMatrix(1.0 * (bytes_B > 0), bytes_B), found, where)
    assert after.busiest_s == pytest.approx(8e6 / 1e7)


def test_a_torus_is_cut_into_blocks() -> None:
    """16 x 8 ranks on 8 hosts: blocks of 4 x 4 each send to 16 neighbours, the least there is."""
    traffic = torus(16, 8, seed=3)
    where = best(traffic, assumed([f"h{host}" for host in range(8)], [16] * 8))
    assert int(traffic.messages[where[:, None] != where[None, :]].sum()) == 8 * 16
    assert (best(traffic, assumed([f"h{host}" for host in range(8)], [16] * 8)) == where).all()


def test_hosts_of_different_size_and_free_slots() -> None:
    """Six ranks on slots for 3, 1 and 4: the trios that talk get the hosts that hold three."""
    bytes_B = np.kron(np.eye(2), np.ones((3, 3))) * 1000.0
    np.fill_diagonal(bytes_B, 0)
    order = np.array([0, 3, 1, 4, 2, 5])
    bytes_B = bytes_B[np.ix_(order, order)]
    where = best(TrafficMatrix(1.0 * (bytes_B > 0), bytes_B), assumed(["a", "b", "c"], [3, 1, 4]))
    assert cost(TrafficMatrix(1.0 * (bytes_B > 0), bytes_B), assumed(["a", "b", "c"], [3, 1, 4]), where).bytes_B == 0
    assert sorted(np.bincount(where, minlength=3)) == [0, 3, 3]


@pytest.mark.parametrize("seed", range(5))
def test_exchanges_know_what_they_change(seed: int) -> None:
    """Against trying them all: no exchange of two is left that lowers the cost. Flows and prices are not symmetric."""
    random = np.random.default_rng(seed)
    prices = [random.random((3, 3)) * (1 - np.eye(3)) for _ in range(2)]
    layers = [(random.random((6, 6)) * (1 - np.eye(6)), price) for price in prices]

    def total(where: np.ndarray) -> float:
        return sum(float((flow * price[np.ix_(where, where)]).sum()) for flow, price in layers)

    start = np.repeat(np.arange(3), 2)
    found = exchanged(layers, start)
    assert total(found) < total(start)
    for one in range(6):
        for other in range(one):
            swapped = found.copy()
            swapped[[one, other]] = swapped[[other, one]]
            assert total(swapped) >= total(found) - 1e-5 * total(found)


def test_parts_that_are_too_large_lose_what_is_least_tied() -> None:
    flow = np.zeros((4, 4))
    flow[0, 1] = flow[1, 0] = 5.0
    flow[1, 2] = flow[2, 1] = 1.0
    fitting = _fitting(np.array([0, 0, 0, 1]), flow, np.array([2, 2]))
    assert fitting.tolist() == [0, 0, 1, 1]


def test_room_is_slots_and_where_these_do_not_suffice_what_ranks_get_anyway() -> None:
    cluster = Cluster("c", "local", (Host("a", "10.0.0.1", slots=2), Host("b", "10.0.0.2", slots=1)))
    assert network.room(cluster, 2) == (2, 1)
    assert network.room(cluster, 5) == (4, 1)


def profiled(hosts: list[str], traffic: TrafficMatrix | None = None) -> Summary:
    """Four ranks, of which 0 and 2, 1 and 3 talk."""
    bytes_B = (traffic or pairwise(4, 2)).bytes_B
    records = [a_record(rank, [int(each) for each in bytes_B[rank]], mpi_s=1.0, ranks=4) for rank in range(4)]
    return profiles.of(profile.of(records, hosts), ["./prog"])


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("results")
    with Store.open(directory) as store:
        number = characterization.begin(store, CLUSTER, SETTINGS)
        run(Survey(SimulatedAgents(LEAFS), SETTINGS, StoreSink(store, number), lambda what, done, total: None).run())
        store.finish_run(number)
    return directory


def known(results: Path) -> Characterization:
    with Store.read(results) as store:
        found = Characterization.latest(store, CLUSTER)
    assert found is not None
    return found


def test_a_characterization_tells_the_leafs_apart(results: Path) -> None:
    found = compute.compute(profiled(["h0", "h1", "h2", "h3"]), CLUSTER, known(results))
    assert found.profiled and found.hosts_before == ["h0", "h1", "h2", "h3"]
    leaf = [int(host[1]) // 2 for host in found.host_of_rank]
    assert sorted(found.host_of_rank) == ["h0", "h1", "h2", "h3"]
    assert leaf[0] == leaf[2] and leaf[1] == leaf[3]
    assert found.before.busiest is not None and found.after.busiest_s is not None
    across = {("h0", "h2"), ("h0", "h3"), ("h1", "h2"), ("h1", "h3")}
    assert across <= set(found.before.busiest.pairs) or {pair[::-1] for pair in across} <= set(
        found.before.busiest.pairs
    )
    assert found.before.busiest.rate_bps == pytest.approx(200e6, rel=0.1)
    assert found.before.busiest_s == pytest.approx(2e7 * 8 / 200e6, rel=0.1)
    assert found.after.busiest_s == pytest.approx(1e7 * 8 / 1e9, rel=0.1)


def test_where_nothing_was_measured_only_the_same_host_is_near() -> None:
    two = Cluster("two", "local", (Host("a", "10.0.0.1", slots=2), Host("b", "10.0.0.2", slots=2)))
    found = compute.compute(profiled(["x", "x", "y", "y"]), two)
    assert not found.profiled  # it ran elsewhere: before is what ranks get by slots
    assert found.hosts_before == ["a", "a", "b", "b"]
    assert found.host_of_rank in (["a", "b", "a", "b"], ["b", "a", "b", "a"])
    assert found.before == json_form.Expected(messages=4, bytes_B=40_000_000)
    assert found.after == json_form.Expected(messages=0, bytes_B=0)


def test_a_good_placement_is_left_alone() -> None:
    two = Cluster("two", "local", (Host("a", "10.0.0.1", slots=2), Host("b", "10.0.0.2", slots=2)))
    found = compute.compute(profiled(["b", "a", "b", "a"]), two)
    assert found.host_of_rank == found.hosts_before == ["b", "a", "b", "a"]


def test_ranks_that_were_crowded_are_given_slots_of_their_own(tmp_path: Path) -> None:
    """Profiled on one host, of which the cluster file gives one slot: there nothing crosses the network."""
    found = compute.compute(profiled(["h0"] * 4), CLUSTER)
    assert found.profiled and found.before.messages == 0
    assert sorted(found.host_of_rank) == ["h0", "h1", "h2", "h3"]
    assert compute.too_many(found, CLUSTER) == {"h0": (4, 1)}
    assert compute.crowded(found.host_of_rank, {"h0": 1, "h1": 1, "h2": 1, "h3": 1}) == {}
    stored, cluster = tmp_path / "p.json", tmp_path / "sim.cluster.toml"
    stored.write_text(profiled(["h0"] * 4).to_json())
    cluster.write_text(CLUSTER_FILE)
    done = invoke("placement", stored, cluster, "--results", tmp_path / "none")
    assert "h0 had 4 ranks and has room for 1: not all can stay there" in done.output


def test_a_program_that_sends_nothing() -> None:
    nothing = TrafficMatrix(np.zeros((4, 4)), np.zeros((4, 4)))
    with pytest.raises(MeasurementError, match="prog sends no point-to-point messages"):
        compute.compute(profiled(["h0"] * 4, nothing), CLUSTER)


def test_of_another_cluster(results: Path) -> None:
    other = Cluster("other", "local", CLUSTER.hosts, source="other.toml")
    with pytest.raises(ConfigError, match="run 1 is a characterization of sim, not of other"):
        compute.compute(profiled(["h0"] * 4), other, known(results))
    grown = Cluster("sim", "local", (*CLUSTER.hosts, Host("h9", "10.9.9.9")), source="sim.toml")
    with pytest.raises(MeasurementError, match="h9 is not among the hosts that were measured: h0, h1, h2, h3"):
        compute.compute(profiled(["h0"] * 4), grown, known(results))


def test_the_launchers_own_files() -> None:
    hosts = ["b", "a", "a", "b"]
    assert json_form.rankfile(hosts) == "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=a slot=1\nrank 3=b slot=1\n"
    assert json_form.host_list(hosts) == "b:1\na:2\nb:1\n"


def test_the_schema_is_that_of_the_models() -> None:
    assert json_form.SCHEMA_FILE.read_text(encoding="utf-8") == json_form.Placement.schema_text()


CLUSTER_FILE = "\n".join(
    [
        '[cluster]\nname = "sim"\nexecutor = "local"\ninterface = "lo"',
        *(f'[[hosts]]\nname = "{host.name}"\naddress = "{host.address}"' for host in LEAFS.hosts),
    ]
)


def invoke(*words: str | Path) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], standalone_mode=False)


def test_the_command(results: Path, tmp_path: Path) -> None:
    stored, cluster = tmp_path / "p.json", tmp_path / "sim.cluster.toml"
    stored.write_text(profiled(["h0", "h1", "h2", "h3"]).to_json())
    cluster.write_text(CLUSTER_FILE)
    files = [tmp_path / name for name in ("placed.json", "rankfile", "hosts")]
    options = zip(("--json", "--rankfile", "--hosts"), files, strict=True)
    done = invoke("placement", stored, cluster, "--results", results, *(word for each in options for word in each))
    assert done.exception is None
    assert "the network is that of run 1" in done.output
    assert "busiest shared bottleneck" in done.output
    data = json.loads(files[0].read_text())
    assert files[2].read_text() == "".join(f"{host}:1\n" for host in data["host_of_rank"])
    assert placed.hosts(files[0], load_cluster(cluster)) == tuple(data["host_of_rank"])
    with pytest.raises(ConfigError, match=r"placed\.json: places 4 ranks, but 3 were requested"):
        placed.hosts(files[0], load_cluster(cluster), 3)
    with pytest.raises(ConfigError, match="your own launch line places its ranks itself"):
        placed.hosts(files[0], load_cluster(cluster), own_mpirun=True)
    cluster.write_text(CLUSTER_FILE.replace('"sim"', '"mis"'))
    with pytest.raises(ConfigError, match=r"placed\.json: places ranks on sim, not on mis"):
        placed.hosts(files[0], load_cluster(cluster))
    done = invoke("placement", stored, cluster, "--results", tmp_path)
    assert "mis was not measured: all its hosts count as equally far" in done.output


def test_an_incomplete_characterization_is_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        number = characterization.begin(store, CLUSTER, SETTINGS)
        store.finish_run(number, "failed", error="h1 died")
    assert compute.known(tmp_path, CLUSTER) is None
    with pytest.raises(NoSuchResultsError, match=f"run {number} is an incomplete characterization: h1 died"):
        compute.known(tmp_path, CLUSTER, number)


def test_the_way_out_of_an_incomplete_characterization_is_one(monkeypatch: pytest.MonkeyPatch, results: Path) -> None:
    """Nobody can omit --characterization who has not given it."""
    partly = replace(known(results), reason="h1 died")
    monkeypatch.setattr(Characterization, "latest", lambda *_, **__: partly)
    with pytest.raises(NoSuchResultsError, match=r"h1 died\n.*characterize sim\.toml. again, or give --unmeasured"):
        compute.known(results, CLUSTER)


def test_a_characterization_of_the_same_hosts_under_another_name_may_be_named(tmp_path: Path) -> None:
    """As that of an earlier Slurm job."""
    earlier, now = (replace(CLUSTER, name=name, executor="ssh") for name in ("slurm-1", "slurm-2"))
    with Store.open(tmp_path) as store:
        number = characterization.begin(store, earlier, SETTINGS)
        run(Survey(SimulatedAgents(LEAFS), SETTINGS, StoreSink(store, number), lambda what, done, total: None).run())
        store.finish_run(number)
    found = compute.known(tmp_path, now, number)
    assert found is not None and found.cluster == "slurm-2"
    assert compute.compute(profiled(["h0", "h1", "h2", "h3"]), now, found).characterization == number


def test_hosts_that_take_no_ranks_any_more(tmp_path: Path) -> None:
    stored = tmp_path / "placed.json"
    stored.write_text(compute.compute(profiled(["h0", "h1", "h2", "h3"]), CLUSTER).to_json())
    fewer = Cluster("sim", "local", CLUSTER.hosts[:3], source="sim.toml")
    with pytest.raises(ConfigError, match=r"places ranks on h3, which is not a compute host of sim\.toml"):
        placed.hosts(stored, fewer)
