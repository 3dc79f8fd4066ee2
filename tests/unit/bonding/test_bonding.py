"""Which link a flow takes: the kernel documentation's formulas by hand, and what users saw of them."""

from ipaddress import IPv4Address, ip_address

import pytest

from fairlead.bonding import parse
from fairlead.bonding.explain import Bond, explain, parse_mode
from fairlead.bonding.hashing import ENCAP34, Flow, FlowEnd, link_of
from fairlead.cluster.description import Host
from fairlead.errors import ConfigError
from fairlead.net import live

NEW, MIDDLE, OLD = (6, 1), (5, 4), (4, 9)
A, B = bytes.fromhex("0200000000a1"), bytes.fromhex("0200000000b2")


def flow(source_port=40000, port=5201, source="10.0.0.1", destination="10.0.0.2", mac=B) -> Flow:
    return Flow(FlowEnd(ip_address(source), source_port, A), FlowEnd(ip_address(destination), port, mac))


def links(policy, flows, number, kernel=NEW):
    return [link_of(each, policy, number, kernel).link for each in flows]


def test_layer2_is_the_last_bytes_of_both_addresses_and_the_packet_type():
    # 0xa1 ^ 0xb2 = 0x13, with 0x0800 it is 0x0813 = 2067.
    assert [link_of(flow(), "layer2", n, NEW).link for n in (1, 2, 3, 4)] == [0, 1, 0, 3]


def test_layer23_folds_the_ip_addresses_into_it():
    # 0x0813 ^ 0x0200000a ^ 0x0100000a = 0x03000813; with itself >> 16: 0x03000b13; with that >> 8: 0x03030b18.
    hashed = 0x0813 ^ 0x0200000A ^ 0x0100000A
    hashed ^= hashed >> 16
    hashed ^= hashed >> 8
    assert hashed == 0x03030B18
    assert links("layer2+3", [flow()], 4) == [0x03030B18 % 4]
    assert links("layer2+3", [flow()], 4, MIDDLE) == [(0x03030B18 >> 1) % 4]
    assert links("encap2+3", [flow()], 4) == links("layer2+3", [flow()], 4)


def test_layer34_takes_the_ports_as_they_stand_in_the_header():
    # Ports 40000 = 0x9c40 and 5201 = 0x1451, read as little endian: 0x5114409c.
    hashed = 0x5114409C ^ 0x0200000A ^ 0x0100000A
    hashed ^= hashed >> 16
    hashed ^= hashed >> 8
    assert links("layer3+4", [flow()], 4) == [(hashed >> 1) % 4]
    assert links("layer3+4", [flow()], 4, OLD) == [hashed % 4]


def flow6(**changes) -> Flow:
    return flow(**({"source": "fd00:64::1", "destination": "fd00:64:1::2"} | changes))


def test_of_ipv6_all_four_words_of_an_address_count():
    # fd00:64::1 and fd00:64:1::2 differ in words 1 and 3: 0x00000100 ^ 0x02000000 ^ 0x01000000 in little endian.
    words = 0x00000100 ^ 0x02000000 ^ 0x01000000
    assert links("layer2", [flow6()], 4) == [(0x13 ^ 0x86DD) % 4]
    for policy, start in (("layer2+3", 0x13 ^ 0x86DD), ("layer3+4", 0x5114409C)):
        hashed = start ^ words
        hashed ^= hashed >> 16
        hashed ^= hashed >> 8
        assert links(policy, [flow6()], 4) == [(hashed >> (policy == "layer3+4")) % 4]


def test_the_byte_order_of_the_packet_type_always_matters_with_ipv6():
    assert link_of(flow(), "layer2", 2, OLD).link == 1
    assert "byte order" in link_of(flow6(), "layer2", 2, OLD).reason
    assert link_of(flow6(), "layer3+4", 2, OLD).link is not None


def test_even_source_ports_shared_one_link_of_two_before_kernel_4_15():
    """iperf issue 494: connect() prefers even ports, and the lowest bit decided alone."""
    even = [flow(source_port=40000 + 2 * k) for k in range(64)]
    assert len(set(links("layer3+4", even, 2, OLD))) == 1
    assert set(links("layer3+4", even, 2, NEW)) == {0, 1}


def test_below_layer4_all_flows_to_a_peer_take_one_link():
    flows = [flow(source_port=40000 + k) for k in range(16)]
    for policy in ("layer2", "layer2+3", "encap2+3", "vlan+srcmac"):
        assert len(set(links(policy, flows, 4))) == 1
    assert len(set(links("layer3+4", flows, 4))) == 4


def test_what_cannot_be_told_is_said_to_be_so():
    assert "drawn at random" in link_of(flow(), ENCAP34, 2, NEW).reason
    assert "both MAC addresses" in link_of(flow(mac=None), "layer2", 2, NEW).reason
    assert "both ports" in link_of(flow(port=None), "layer3+4", 2, NEW).reason
    assert "byte order" in link_of(flow(), "layer2", 3, OLD).reason


def test_theory_of_hashed_flows():
    flows = [flow(source_port=port) for port in (40000, 40002, 40004)]
    chosen = links("layer3+4", flows, 2)
    found = explain(Bond("802.3ad", "layer3+4", 2, 1e9, NEW), flows)
    assert [choice.link for choice in found.choices] == chosen
    assert found.total_bps == (len(set(chosen)) * 1e9,) * 2
    assert found.flow_bps == tuple((1e9 / chosen.count(link),) * 2 for link in chosen)
    random = explain(Bond("802.3ad", ENCAP34, 4, 1e9, NEW), flows)
    assert random.total_bps == (1e9, 3e9)
    assert random.flow_bps == ((1e9 / 3, 1e9),) * 3


def test_theory_of_the_other_modes():
    one, four = [flow()], [flow(source_port=port) for port in range(4)]
    assert explain(Bond("balance-rr", "layer2", 4, 1e9, NEW), one).flow_bps == ((4e9, 4e9),)
    assert explain(Bond("active-backup", "layer2", 4, 1e9, NEW), four).total_bps == (1e9, 1e9)
    assert explain(Bond("broadcast", "layer2", 4, 1e9, NEW), four).flow_bps == ((0.25e9, 0.25e9),) * 4
    assert explain(Bond("balance-tlb", "layer2", 4, 1e9, NEW), four).total_bps == (1e9, 1e9)
    assert parse_mode("4") == "802.3ad"
    with pytest.raises(ConfigError, match="no bonding mode '7'"):
        parse_mode("7")


def test_flows_as_people_write_them():
    assert parse.flow("02:00:00:00:00:a1@10.0.0.1:40000>02:00:00:00:00:b2@10.0.0.2:5201") == flow()
    assert parse.flow("10.0.0.1>10.0.0.2").source == FlowEnd(IPv4Address("10.0.0.1"))
    assert parse.flow("02:00:00:00:00:a1@[fd00:64::1]:40000>02:00:00:00:00:b2@[fd00:64:1::2]:5201") == flow6()
    assert parse.flow("fd00::1>[fd00::2]").destination == FlowEnd(ip_address("fd00::2"))
    assert str(flow6().source) == "02:00:00:00:00:a1@[fd00:64::1]:40000"
    assert parse.kernel("6.1.0-13-amd64") == (6, 1)
    for text, complaint in (
        ("10.0.0.1", "is not a flow"),
        ("10.0.0.1>x", "'x' is not an IP address"),
        ("10.0.0.1>fd00::1", "one end is of IPv4, the other of IPv6"),
        ("[fd00::1]:x>fd00::2", "'x' is not a port"),
        ("[fd00::1]x5000>fd00::2", "after ] must come : and a port"),
        ("10.0.0.1:99999>10.0.0.2", "'99999' is not a port"),
        ("02:00@10.0.0.1>10.0.0.2", "'02:00' is not a MAC address"),
    ):
        with pytest.raises(ConfigError, match=complaint):
            parse.flow(text)


def test_flows_of_a_host_are_read_from_its_tools():
    text = (
        "6.1.0\n"
        '[{"address": "02:00:00:00:00:a1", "addr_info": [{"local": "10.0.0.1"}]}]\n'
        '[{"dst": "10.0.0.2", "lladdr": "02:00:00:00:00:b2"}, {"dst": "10.0.0.3"}]\n\n'
        "0 0 10.0.0.1:40000 10.0.0.2:5201\n0 0 10.0.0.1:22 192.0.2.1:50000\n"
    )
    host = Host("h", "10.0.0.1")
    assert live._read(host, text, {"10.0.0.1", "10.0.0.2"}) == ("6.1.0", [flow()])


def test_flows_are_read_from_sockets_of_both_protocols_and_beside_tunnels():
    text = (
        "6.1.0\n"
        '[{"address": "02:00:00:00:00:a1", "addr_info": [{"local": "10.0.0.1"}]},'
        ' {"address": "0.0.0.0", "addr_info": [{"local": "10.244.0.1"}]}]\n'
        '[{"dst": "10.0.0.2", "lladdr": "02:00:00:00:00:b2"}, {"dst": "10.244.0.2", "lladdr": "192.0.2.9"}]\n\n'
        "0 0 [::ffff:10.0.0.1]:40000 [::ffff:10.0.0.2]:5201\n0 0 10.0.0.1%eth0:40000 10.0.0.2:5201\n"
    )
    host = Host("h", "10.0.0.1")
    assert live._read(host, text, {"10.0.0.1", "10.0.0.2"}) == ("6.1.0", [flow(), flow()])


def test_flows_of_a_host_with_ipv6_are_read_from_its_tools():
    text = (
        "6.1.0\n"
        '[{"address": "02:00:00:00:00:a1", "addr_info": [{"local": "10.0.0.1"}, {"local": "fd00:64::1"}]}]\n'
        '[{"dst": "fd00:64:1::2", "lladdr": "02:00:00:00:00:b2"}]\n\n'
        "0 0 [fd00:64::1]:40000 [fd00:64:1::2]:5201\n0 0 10.0.0.1:22 192.0.2.1:50000\n"
    )
    host = Host("h", "fd00:64::1")
    assert live._read(host, text, {"fd00:64::1", "fd00:64:1::2"}) == ("6.1.0", [flow6()])
