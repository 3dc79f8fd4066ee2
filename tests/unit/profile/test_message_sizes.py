"""Which sizes a network is measured at for a program."""

import pytest

from fairlead.errors import MeasurementError
from fairlead.profile.json_form import SizeClass, Summary, size_class
from fairlead.profile.message_sizes import SelectedSizes, select_message_sizes

from .test_profile_report import three

KIB = 1024


def program(messages: dict[int, int], *, hosts: str = "ab", collective: dict[int, int] | None = None) -> Summary:
    """As many ranks as hosts, each sending these numbers of messages, by size, to each other rank."""
    given = collective or {}
    ranks = len(hosts)
    classes = {size_class(size.bit_length())[0]: size for size in {*messages, *given}}
    sizes = [
        SizeClass(
            from_B=first_B,
            to_B=size_class(size.bit_length())[1],
            messages=messages.get(size, 0) * (ranks - 1),
            collective_calls=given.get(size, 0),
        )
        for first_B, size in sorted(classes.items())
    ]
    template = three()
    each = sum(messages.values())
    return template.model_copy(
        update={
            "ranks": ranks,
            "hosts": sorted(set(hosts)),
            "host_of_rank": list(hosts),
            "messages": [[each if i != j else 0 for j in range(ranks)] for i in range(ranks)],
            "per_rank": [
                template.per_rank[0].model_copy(update={"rank": rank, "host": host, "sizes": sizes})
                for rank, host in enumerate(hosts)
            ],
        }
    )


def sizes_of(*arguments: dict[int, int], **options: object) -> tuple[int, ...]:
    return select_message_sizes(program(*arguments, **options)).sizes_B  # type: ignore[arg-type]


def test_the_classes_of_cg_class_a_on_8_ranks() -> None:
    """106 messages of 8 or 16 B and 78 of 28 000 B an iteration: small ones, and the class of the large."""
    assert select_message_sizes(program({8: 53, 16: 53, 28000: 78})) == SelectedSizes(
        (64, 16 * KIB, 32 * KIB), 1.0, 1.0, False
    )


def test_most_messages_and_most_bytes_in_turn() -> None:
    found = select_message_sizes(program({100: 1000, 1000: 900, 100_000: 50, 1_000_000: 40}))
    # most messages: 64 B to < 128 B; most bytes: 512 KiB to < 1 MiB; next of messages, next of bytes
    assert found.sizes_B == (64, 512, 64 * KIB, 512 * KIB, 1024 * KIB)
    assert (found.messages_share, found.bytes_share) == (1.0, 1.0)


def test_at_most_six_sizes() -> None:
    messages = {2**k: 1000 // k for k in range(7, 20)}
    found = select_message_sizes(program(messages))
    assert found.sizes_B == (64, 128, 256, 2**18, 2**19, 2**20)
    assert found.messages_share == pytest.approx((142 + 125 + 55 + 52) / sum(messages.values()))


def test_it_ends_where_both_are_nearly_held() -> None:
    assert sizes_of({128: 1000, 256: 10, 65536: 1000}) == (64, 128, 64 * KIB, 128 * KIB)


def test_small_messages_alone() -> None:
    assert select_message_sizes(program({0: 5, 8: 100, 63: 3})) == SelectedSizes((64,), 1.0, 1.0, False)


def test_sizes_end_at_what_agents_exchange() -> None:
    assert sizes_of({100 * 1024**2: 3}) == (64, 64 * 1024**2)


def test_a_collective_call_counts_as_a_message_of_its_size() -> None:
    assert sizes_of({}, collective={5000: 10}) == (64, 4 * KIB, 8 * KIB)


def test_only_ranks_that_send_to_other_hosts_count() -> None:
    """Ranks 0 to 2 share a host; 3 is alone, and its large messages all go to other hosts."""
    found = program({1000: 10}, hosts="aaab")
    large = [SizeClass(from_B=2**19, to_B=2**20 - 1, messages=30, collective_calls=0)]
    inside = [[0, 10, 10, 0], [10, 0, 10, 0], [10, 10, 0, 0], [10, 10, 10, 0]]
    ranks = [*found.per_rank[:3], found.per_rank[3].model_copy(update={"sizes": large})]
    assert select_message_sizes(found.model_copy(update={"per_rank": ranks, "messages": inside})).sizes_B == (
        64,
        2**19,
        2**20,
    )


def test_on_one_host_what_stays_inside_counts() -> None:
    assert select_message_sizes(program({1000: 10}, hosts="aa")) == SelectedSizes((64, 512, 1024), 1.0, 1.0, True)


def test_a_program_that_sends_nothing_between_hosts() -> None:
    with pytest.raises(MeasurementError, match="sends nothing between hosts"):
        select_message_sizes(program({}))
