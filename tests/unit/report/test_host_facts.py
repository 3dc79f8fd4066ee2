"""Facts of many hosts take as much room on a page as differs."""

from fairlead.report.host_facts import by_fact

OLD, NEW = "6.1.0-40", "6.12.0-1"


def test_what_all_hosts_have_is_told_once() -> None:
    facts = {"software": {"mpi": "x"}, "hosts": {f"h{k}": {"kernel": NEW, "cpus": 16} for k in range(256)}}
    assert by_fact(facts) == {"software": {"mpi": "x"}, "hosts": {"kernel": NEW, "cpus": "16"}}


def test_hosts_that_differ_are_named() -> None:
    hosts = {f"h{k}": {"kernel": OLD if k == 7 else NEW} for k in range(9)}
    hosts["h8"]["nic.eth0.rate_Mbps"] = "10000"
    assert by_fact({"hosts": hosts})["hosts"] == {
        "kernel": f"{NEW} (h0, h1, h2, h3 and 4 more); {OLD} (h7)",
        "nic.eth0.rate_Mbps": "10000 (h8)",
    }


def test_records_without_facts_of_hosts_are_left_as_they_are() -> None:
    for facts in ({}, {"hosts": {}}, {"hosts": [{"name": "h0"}]}):
        assert by_fact(facts) == facts
