"""Network configurations as a factor: what a plan may say of them, and theory beside what was counted."""

from ipaddress import IPv4Address
from pathlib import Path

import numpy as np
import pytest

from fairlead import config
from fairlead.analysis.evaluations import aggregation, traffic
from fairlead.analysis.evaluations.aggregation import observe
from fairlead.analysis.evaluations.traffic import HostTraffic
from fairlead.bonding.hashing import Flow, FlowEnd, link_of
from fairlead.cluster.description import Cluster, Host
from fairlead.errors import ConfigError
from fairlead.experiment.factors import network
from fairlead.experiment.plans import plan_file
from fairlead.experiment.plans.plan import Plan
from fairlead.lab.description import Description
from fairlead.lab.nics import Sent
from fairlead.lab.resolve import resolve_lab
from fairlead.net.change import Wanted
from fairlead.store import Store

EXAMPLES = Path(__file__).parents[3] / "examples" / "evaluate"
PLAN = """
[evaluation]
name = "p"
lab = "l.toml"
[factors]
network = ["none", "two"]
[run]
command = ["is"]
[network]
factor = "network"
levels = { none = {}, two = { nics = 2, bond = { mode = "4", hash = "layer3+4" } } }
[whole_plot]
factors = ["network"]
"""
LAB = '[lab]\nname = "l"\ntopology = "star"\nhosts_per_leaf = 2\n[host_link]\nrate = "50mbit"\n'
SERVERS = LAB + '[servers]\nper_leaf = 2\n[servers.uplink]\nrate = "20mbit"\n'


def parse(text: str) -> Plan:
    return config.parse(text, Plan, source="plan.toml")


def test_a_level_gives_the_hosts_their_nics_and_has_them_count() -> None:
    plan = parse(PLAN)
    for text, first, rate_bps in ((LAB, "h0", 50_000_000), (SERVERS, "server0", 20_000_000)):
        lab = config.parse(text, Description, source="l.toml")
        facts = {}
        for level in ("none", "two"):
            nics = plan.nics_at({"network": level})
            assert nics is not None
            made = resolve_lab(network.configured(lab, nics))
            assert made.count_flows
            assert made.link_of(first).nics == nics.nics
            facts[level] = network.facts(made)
        assert facts["none"] == {
            **{"nics": 1, "rate_bps": rate_bps, "way": "emulated", "mode": "active-backup"},
            **{"hash": "", "switch": "", "miimon_s": 0.1},
        }
        assert facts["two"] == {
            **{"nics": 2, "rate_bps": rate_bps, "way": "emulated", "mode": "802.3ad"},
            **{"hash": "layer3+4", "switch": "layer3+4", "miimon_s": 0.1},
        }


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("none = {}, ", "", "network.levels: has no entry for none"),
        ('lab = "l.toml"', 'cluster = "c.toml"', "network.interfaces: list the hosts' NICs"),
        ("[network]", '[network]\ninterfaces = ["eth1"]', "a lab's NICs have names of their own"),
        ('[whole_plot]\nfactors = ["network"]\n', "", "list it in whole_plot.factors"),
        ('factor = "network"', 'factor = "net"', "network.factor: no 'net'"),
        ('mode = "4", hash = "layer3+4"', 'mode = "balance-alb"', "two: balance-alb cannot be emulated"),
        ("none = {}", "none = { nics = 4 }", "4 NICs need a bond"),
    ],
)
def test_mistakes_are_told_by_their_place(old: str, new: str, complaint: str) -> None:
    assert old in PLAN
    with pytest.raises(ConfigError, match=r"plan\.toml") as error:
        parse(PLAN.replace(old, new))
    assert complaint in str(error.value)


def test_on_real_hosts_a_level_is_a_bond_of_the_first_interfaces() -> None:
    text = PLAN.replace('lab = "l.toml"', 'cluster = "c.toml"').replace(
        "[network]", '[network]\ninterfaces = ["eth1", "eth2", "eth3"]\nlacp_rate = "fast"\nname = "bond7"'
    )
    table = parse(text).network
    assert table is not None
    assert table.wanted(table.levels["none"]) is None
    wanted = table.wanted(table.levels["two"])
    assert wanted == Wanted("bond7", ("eth1", "eth2"), "802.3ad", "layer3+4", 100, "fast")
    hosts = (Host("a", "10.0.0.1", interface="eth1"), Host("b", "10.0.0.2", interface="eth9"))
    assert [each.interface for each in network.over(Cluster("c", "ssh", hosts), wanted).hosts] == ["bond7", "eth9"]
    alb = parse(text.replace('mode = "4", hash = "layer3+4"', 'mode = "balance-alb"')).network
    assert alb is not None
    assert alb.levels["two"].bond is not None
    with pytest.raises(ConfigError, match=r"plan\.toml:14: network\.levels\.two\.nics: there are only 3 interfaces"):
        parse(text.replace("nics = 2", "nics = 4"))
    with pytest.raises(ConfigError, match="a real switch is configured there"):
        parse(text.replace('mode = "4"', 'switch = "layer2", mode = "4"'))


def test_a_stored_plan_is_read_back_as_it_was() -> None:
    stored = parse(PLAN).stored()
    assert Plan.model_validate(stored).stored() == stored


def test_the_small_plan_of_bonds_has_one_pair_of_each_group() -> None:
    plan = plan_file.read(EXAMPLES / "bonds.toml")
    pairs = {(each["program"], each["neighbours"]) for each in plan.combinations()}
    assert pairs == {("ft", "1 is"), ("sp", "1 ft"), ("bt", "1 bt")}
    assert len(plan.combinations()) == 15


def flow(source: int, destination: int, port: int) -> Flow:
    ends = [
        FlowEnd(IPv4Address(f"10.64.0.{host}"), number, bytes.fromhex(f"02fa0a4000{host:02x}"))
        for host, number in ((source, port), (destination, 5000))
    ]
    return Flow(*ends)


FLOWS = [Sent(flow(1, 2, 40000 + k), 1000 + k, 1) for k in range(8)]
TOTAL_B = sum(each.bytes_B for each in FLOWS)


def hosts(sent_B: list[int], received_B: list[int]) -> list[HostTraffic]:
    """h0 sends, h1 receives."""
    back = Sent(Flow(FLOWS[0].flow.destination, FLOWS[0].flow.source), 0, 1)
    nothing = (0,) * len(sent_B)
    return [
        HostTraffic("h0", tuple(sent_B), nothing, 3, tuple(FLOWS)),
        HostTraffic("h1", nothing, tuple(received_B), 4, (back,)),
    ]


def test_what_the_formula_says_is_held_against_the_counters() -> None:
    at = {"nics": 4, "rate_bps": 1e8, "mode": "802.3ad", "hash": "layer3+4", "switch": "layer3+4"}
    loads = [
        sum(each.bytes_B for each in FLOWS if link_of(each.flow, "layer3+4", 4, (6, 1)).link == k) for k in range(4)
    ]
    seen = observe(at, hosts(loads, loads))
    assert seen is not None
    assert seen.predicted == seen.counted == TOTAL_B / max(loads)
    assert seen.off_share == 0
    assert seen.retransmitted == 7
    used = sum(load > 0 for load in loads)
    assert seen.sends == ((used + 1) / 2,) * 2  # h1 has one flow, on one NIC
    turned = [*loads[1:], loads[0]]
    other = observe(at, hosts(turned, [2 * load for load in loads]))  # how much is not judged, only where
    assert other is not None
    wrong_B = sum(abs(a - b) for a, b in zip(loads, turned, strict=True)) / 2
    assert other.off_share == pytest.approx(wrong_B / (3 * TOTAL_B))


def test_of_one_nic_of_round_robin_and_of_copies() -> None:
    one = observe({"nics": 1, "rate_bps": 1e8}, hosts([TOTAL_B], [TOTAL_B]))
    assert one is not None
    assert (one.predicted, one.counted, one.off_share, one.sends) == (1, 1, 0, (1, 1))
    half = TOTAL_B // 2
    turn = {"nics": 2, "rate_bps": 1e8, "mode": "balance-rr", "hash": "", "switch": "round-robin"}
    two = observe(turn, hosts([half, TOTAL_B - half], [half, TOTAL_B - half]))
    assert two is not None
    assert (two.predicted, two.sends) == (2, (2, 2))
    copies = {"nics": 2, "rate_bps": 1e8, "mode": "broadcast", "hash": "", "switch": ""}
    both = observe(copies, hosts([TOTAL_B, TOTAL_B], [2 * TOTAL_B, 0]))
    assert both is not None
    assert (both.predicted, both.counted, both.off_share) == (0.5, 0.5, 0)
    drawn = observe({**turn, "mode": "802.3ad", "hash": "encap3+4"}, hosts([half, half], [half, half]))
    assert drawn is not None
    assert (drawn.predicted, drawn.off_share) == (None, None)
    assert observe(turn, hosts([0, 0], [0, 0])[1:]) is None


def test_traffic_is_read_as_it_was_stored(tmp_path: Path) -> None:
    found = hosts([5, 6, 7, 8], [1, 2, 3, 4])
    with Store.open(tmp_path) as store:
        experiment = store.begin_run("evaluation", {"name": "x", "origin": "run"}, plan={})
        entries = traffic.series(found)
        kept = {"series": entries, "attachments": [traffic.attachment(found)]}
        row = store.record("evaluation_row", {}, parent=experiment, plan={}, started_s=0.0, **kept)
        assert all(entry.values.dtype == np.int64 for entry in entries)
        rows = store.runs("evaluation_row")
        assert traffic.of_rows(store, experiment, rows) == {row: found}
        assert aggregation.ObservedNetworks().cells == {}
