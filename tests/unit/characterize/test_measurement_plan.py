"""How many rounds the plan takes on made-up networks, and how well they show what shares a bottleneck."""

import pytest

from .made_up_network import NETWORKS, Measured, Network

LEAST = 0.95


def leafs(network: Network) -> int:
    return len(network.routes)


def is_found_well(measured: Measured) -> None:
    result = measured.score()
    assert result.found > 0
    assert result.precision >= LEAST and result.recall >= LEAST, result


@pytest.mark.parametrize("hosts", [16, 64])
@pytest.mark.parametrize("name", NETWORKS)
def test_the_truth_is_found(name: str, hosts: int) -> None:
    is_found_well(Measured(NETWORKS[name](hosts)))


@pytest.mark.parametrize("hosts", [16, 64])
@pytest.mark.parametrize("name", NETWORKS)
def test_lost_probes_and_a_noisy_neighbour_hide_little(name: str, hosts: int) -> None:
    network = NETWORKS[name](hosts)
    is_found_well(Measured(network, lost=0.05))
    is_found_well(Measured(network, neighbour=(0, hosts - 1)))
