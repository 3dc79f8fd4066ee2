"""Networks made up for the plan of measurements: what its rounds would show, without agents, clocks and sockets.

Flows share links max-min fairly. A link that gets more than it carries has a queue, which all paths over it wait in.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from fairlead.characterize.measurement_plan import ALL_PATHS, MeasurementPlan, MeasurementRound
from fairlead.characterize.samples import Bools, Floats, Ints, Samples, Window
from fairlead.characterize.score import Score
from fairlead.characterize.shared_bottlenecks import SharedBottlenecks
from fairlead.characterize.tournament import Pair

from .fair_shares import fair_rates, queued

LINK_DELAY_S = 20e-6
QUEUE_S = 0.020
GBPS = 1e9

Hosts = int | list[int]
"""How many, as many on each leaf; or the leaf of each."""


@dataclass(frozen=True)
class Network:
    """Hosts on leafs, with fixed routes between leafs.

    Attributes:
        leaf_of: (hosts) the leaf of each host.
        routes: (leafs, leafs, hops) the links between two leafs in order, as indices of ``trunk_bps``; -1: none.
        trunk_bps: what each link between switches carries in its direction.
        host_bps: what each host's link carries, in each direction.
    """

    leaf_of: Ints
    routes: Ints
    trunk_bps: Floats
    host_bps: float = GBPS

    @property
    def hosts(self) -> int:
        return len(self.leaf_of)

    @cached_property
    def rates_bps(self) -> Floats:
        """Of all links: from the hosts, to the hosts, between switches."""
        return np.concatenate([np.full(2 * self.hosts, self.host_bps), self.trunk_bps])

    @cached_property
    def rate_by_link(self) -> dict[int, float]:
        return dict(enumerate(self.rates_bps.tolist()))

    def path(self, pair: Pair) -> list[int]:
        route = self.routes[self.leaf_of[pair[0]], self.leaf_of[pair[1]]]
        return [pair[0], *(2 * self.hosts + int(hop) for hop in route if hop >= 0), self.hosts + pair[1]]

    def users(self, link: int) -> Bools:
        """(hosts, hosts) whose paths cross a link."""
        users = np.zeros((self.hosts, self.hosts), dtype=bool)
        if link < self.hosts:
            users[link, :] = True
        elif link < 2 * self.hosts:
            users[:, link - self.hosts] = True
        else:
            crossing = (self.routes == link - 2 * self.hosts).any(axis=2)
            users = crossing[self.leaf_of[:, None], self.leaf_of[None, :]]
        np.fill_diagonal(users, False)
        return users

    def hurt_by(self, pair: Pair) -> Bools:
        """(hosts, hosts) the truth: the other paths over the slowest links of a path."""
        path = self.path(pair)
        slowest = min(self.rates_bps[link] for link in path)
        hurt = np.any([self.users(link) for link in path if self.rates_bps[link] == slowest], axis=0)
        hurt[pair] = False
        return np.asarray(hurt, dtype=bool)


def star(hosts: Hosts) -> Network:
    leaf_of, _ = _leafs(hosts)
    return Network(np.zeros_like(leaf_of), np.full((1, 1, 1), -1), np.zeros(0))


def mesh(hosts: Hosts) -> Network:
    """Leafs joined pairwise by links of a fifth of a host's."""
    leaf_of, leafs = _leafs(hosts)
    routes = np.arange(leafs * leafs).reshape(leafs, leafs, 1)
    return Network(leaf_of, _none_within(routes), np.full(leafs * leafs, GBPS / 5))


def leaf_spine(hosts: Hosts, spines: int = 2) -> Network:
    """Each two leafs always use the same spine."""
    leaf_of, leafs = _leafs(hosts)
    a, b = np.indices((leafs, leafs))
    spine = (a + b) % spines
    routes = np.stack([a * spines + spine, leafs * spines + b * spines + spine], axis=2)
    return Network(leaf_of, _none_within(routes), np.full(2 * leafs * spines, GBPS / 5))


def servers(server_of: list[int]) -> Network:
    """Virtual machines on servers whose links to one switch carry a fifth of a machine's own."""
    servers_ = max(server_of) + 1
    a, b = np.indices((servers_, servers_))
    routes = np.stack([a, servers_ + b], axis=2)
    return Network(np.array(server_of, dtype=np.int64), _none_within(routes), np.full(2 * servers_, GBPS / 5))


def fat_tree(hosts: Hosts, oversubscribed: bool = False) -> Network:
    """Three tiers: leafs, pods of about the root of so many, a core. Each leaf has two links up, each pod, too.

    Links carry together what comes from below. Oversubscribed, a leaf's two carry a fifth of a host's each, a quarter
    or less of what its hosts send, and a pod's two half of what its leafs' do, but never less than two of them.
    """
    leaf_of, leafs = _leafs(hosts)
    pods = max(round(leafs**0.5), 2)
    pod_of = np.arange(leafs) * pods // leafs
    a, b = np.indices((leafs, leafs))
    way = (a + b) % 2
    up, down = a * 2 + way, 2 * leafs + b * 2 + way
    core_up = 4 * leafs + pod_of[a] * 2 + way
    core_down = 4 * leafs + 2 * pods + pod_of[b] * 2 + way
    within = pod_of[a] == pod_of[b]
    routes = np.stack([up, np.where(within, -1, core_up), np.where(within, -1, core_down), down], axis=2)
    in_leaf, in_pod = int(np.bincount(leaf_of).max()), int(np.bincount(pod_of).max())
    leaf_bps = GBPS / 5 if oversubscribed else in_leaf * GBPS / 2
    pod_bps = leaf_bps * (max(in_pod / 2, 2) if oversubscribed else in_pod)
    trunks = np.concatenate([np.full(4 * leafs, leaf_bps), np.full(4 * pods, pod_bps)])
    return Network(leaf_of, _none_within(routes), trunks)


def _leafs(hosts: Hosts) -> tuple[Ints, int]:
    """The leaf of each host, and how many there are: 16 hosts on 4 leafs, 64 on 8, 256 on 16, unless it is given."""
    if not isinstance(hosts, int):
        return np.array(hosts, dtype=np.int64), max(hosts) + 1
    leafs = 2 ** int(np.ceil(np.log2(hosts) / 2))
    return np.arange(hosts, dtype=np.int64) * leafs // hosts, leafs


def _none_within(routes: Ints) -> Ints:
    routes = routes.copy()
    routes[np.arange(len(routes)), np.arange(len(routes))] = -1
    return routes


@dataclass
class Measured:
    """A plan carried out on a network.

    Args:
        lost: share of the probes that are not answered.
        neighbour: a pair of hosts on whose path others send in a share of the windows.
    """

    network: Network
    lost: float = 0.0
    neighbour: Pair | None = None
    neighbour_share: float = 0.1
    seed: int = 1
    samples: Samples = field(init=False)
    rounds: list[MeasurementRound] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.samples = Samples(self.network.hosts)
        self._draw = np.random.default_rng(self.seed)
        self._clocks_s = self._draw.uniform(-5e-6, 5e-6, self.network.hosts)
        for round_ in MeasurementPlan(self.samples, idle_windows=6, repeats=2, seed=self.seed).rounds():
            self.rounds.append(round_)
            self.samples.windows.append(self._window(round_))

    @property
    def windows(self) -> int:
        return len(self.rounds)

    def score(self, most: int = 300) -> Score:
        """Against the truth, for some injected pairs where there are many."""
        found = SharedBottlenecks.of(self.samples)
        hosts = self.network.hosts
        pairs = [(i, j) for i in range(hosts) for j in range(hosts) if i != j]
        if len(pairs) > most:
            pairs = [pairs[k] for k in self._draw.choice(len(pairs), most, replace=False)]
        cells = np.zeros(3, dtype=np.int64)
        for pair in pairs:
            truth, hurt = self.network.hurt_by(pair), found.hurt_by(pair)
            cells += [(truth & hurt).sum(), (truth & ~hurt).sum(), (hurt & ~truth).sum()]
        return Score(*(int(each) for each in cells))

    def _window(self, round_: MeasurementRound) -> Window:
        pairs = [pair for test in round_.tests for pair in test]
        foreign = self.neighbour is not None and self._draw.random() < self.neighbour_share
        flows = [self.network.path(pair) for pair in pairs]
        if foreign and self.neighbour is not None:
            flows.append(self.network.path(self.neighbour)[1:-1])  # of a host that is none of those measured
        rates = fair_rates(flows, self.network.rate_by_link)
        full = queued(flows, rates, self.network.rate_by_link)
        probes = 3 if self.network.hosts > ALL_PATHS else 5
        paths = self._paths(round_)
        carried = tuple(float(rate * self._draw.uniform(0.93, 0.99)) for rate in rates[: len(pairs)])
        return Window(round_.tests, carried, paths, self._delays_s(paths, full, probes))

    def _paths(self, round_: MeasurementRound) -> Ints:
        if round_.probed is None:
            return np.argwhere(~np.eye(self.network.hosts, dtype=bool))
        there = np.array(sorted(round_.probed), dtype=np.int64)
        return np.concatenate([there, there[:, ::-1]])

    def _delays_s(self, paths: Ints, queued_links: set[int], probes: int) -> Floats:
        net = self.network
        full = np.zeros(len(net.rates_bps) + 1, dtype=bool)  # the last one is no link
        full[list(queued_links)] = True
        source, destination = paths.T
        hops = np.where(net.routes >= 0, net.routes + 2 * net.hosts, -1)
        on_the_way = full[hops].sum(axis=2)[net.leaf_of[source], net.leaf_of[destination]]
        waits = full[source].astype(np.int64) + full[net.hosts + destination] + on_the_way
        length = 2 + (hops >= 0).sum(axis=2)[net.leaf_of[source], net.leaf_of[destination]]
        shape = (len(paths), probes)
        delays = LINK_DELAY_S * length[:, None] + (self._clocks_s[destination] - self._clocks_s[source])[:, None]
        delays = delays + self._draw.uniform(0, 10e-6, shape)
        delays += QUEUE_S * waits[:, None] * self._draw.uniform(0.5, 1.0, shape)
        delays[self._draw.random(shape) < self.lost] = np.nan
        return np.asarray(delays, dtype=np.float64)


NETWORKS: dict[str, Callable[[Hosts], Network]] = {
    "star": star,
    "mesh": mesh,
    "leaf-spine": leaf_spine,
    "fat tree 1:1": fat_tree,
    "fat tree 4:1": lambda hosts: fat_tree(hosts, True),
}
