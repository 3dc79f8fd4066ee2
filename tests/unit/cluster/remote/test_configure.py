"""Commands of this machine, whose output may be in any encoding."""

import pytest

from fairlead.cluster.inventory import host_addresses
from fairlead.cluster.remote import configure
from fairlead.errors import LaunchError


def test_output_in_another_encoding_is_taken() -> None:
    assert configure.run_here([["printf", "B\\374ro"]]) == ["B\N{REPLACEMENT CHARACTER}ro"]
    with pytest.raises(LaunchError, match="exit code 1: B\N{REPLACEMENT CHARACTER}ro"):
        configure.run_here([["sh", "-c", "printf 'B\\374ro'; exit 1"]])


def test_an_interface_is_found_beside_an_alias_in_another_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    said = '[{"ifname": "eth0", "ifalias": "B\\374ro", "addr_info": [{"local": "10.0.0.1"}]}]'
    monkeypatch.setattr(host_addresses, "_ADDRESSES", ["printf", said])
    assert host_addresses.interface_here(["10.0.0.1"]) == "eth0"
