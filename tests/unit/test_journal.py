"""What agents say, as it is stored: hosts by name, everywhere."""

from fairlead.manage.journal import recorded

NAMES = ["h0", "h1", "h2"]


def test_hosts_have_their_names() -> None:
    flows = [
        {"source": 2, "destination": 1, "relay": 0, "rate_bps": 1e6},
        {"source": 0, "destination": 1, "relay": None},
    ]
    said = {"type": "stayed", "t_s": 7.0, "destination": 1, "relay": None, "reason": "own_load", "flows": flows}
    event = recorded(NAMES, 0, said, 9.0)
    assert event is not None
    assert (event.t_s, event.kind) == (7.0, "stayed")
    assert event.data == {
        "destination": "h1", "relay": None, "reason": "own_load", "host": "h0", "source": "h0",
        "flows": [{"source": "h2", "destination": "h1", "relay": "h0", "rate_bps": 1e6},
                  {"source": "h0", "destination": "h1", "relay": None}],
    }  # fmt: skip
    assert flows[0]["source"] == 2


def test_what_is_for_the_terminal_only() -> None:
    assert recorded(NAMES, 0, {"type": "log", "text": "x"}, 9.0) is None
