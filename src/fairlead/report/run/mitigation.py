"""Pairs of ranks that spend more in transmission than in processing, and what would help: table and words."""

from itertools import groupby

from fairlead.analysis.runs.mitigation import Mitigation
from fairlead.display import words
from fairlead.display.tables import Table, cell, duration_cell, table
from fairlead.protocol import enums

MOST_RANKS = 32  # of another placement that are listed


def paragraph(found: Mitigation | None) -> str:
    """The finding, or an empty text."""
    if found is None:
        return ""
    pairs = words.count(found.all_pairs, "pair")
    cost_s, whole = words.of_each_minute(found.cost_s_per_min, found.observed_s)
    text = (
        f"{pairs} of ranks {'spends' if found.all_pairs == 1 else 'spend'} more in transmission than in processing. It "
        f"costs a rank {cost_s} of {whole} on average."
    )
    return f"{text} {_remedy(found)}{_left_out(found)}"


def _remedy(found: Mitigation) -> str:
    if found.remedy == enums.Remedy.MAPPING and found.saving_s_per_min is not None:
        where = _placement(found.host_of_rank)
        saving_s, _ = words.of_each_minute(found.saving_s_per_min, found.observed_s)
        return (
            f"Another placement of the ranks would save about {saving_s} of that"
            f"{f' ({where})' if where else ''}: see fairlead placement."
        )
    other = "other placements were not compared" if found.saving_s_per_min is None else "no placement is much better"
    return f"As {other}, more work per rank or fewer messages may help."


def _placement(host_of_rank: tuple[str, ...]) -> str:
    if len(host_of_rank) > MOST_RANKS:
        return ""
    ordered = sorted(range(len(host_of_rank)), key=lambda rank: host_of_rank[rank])
    return ", ".join(
        f"{host}: {' '.join(map(str, ranks))}" for host, ranks in groupby(ordered, key=lambda rank: host_of_rank[rank])
    )


def _left_out(found: Mitigation) -> str:
    if not found.paths_left_out:
        return ""
    paths = words.count(found.paths_left_out, "path")
    was = "was" if found.paths_left_out == 1 else "were"
    return f" Times at which {paths} {was} congested, and not clearly by the program itself, were left out."


def pairs(found: Mitigation | None) -> Table:
    """The pairs that were recorded, the longest transmission first; without rows where there is no advice."""
    return table(
        [
            ("from rank", "source_rank"),
            ("to rank", "rank"),
            ("hosts", "hosts"),
            ("messages", "messages"),
            ("bytes", "size_B"),
            ("transmission t_t", "transmission_s"),
            ("processing t_p", "processing_s"),
        ],
        [
            [
                cell(each.source_rank),
                cell(each.rank),
                cell(f"{each.source} → {each.destination}"),
                cell(each.messages),
                cell(each.size_B, words.size(each.size_B)),
                duration_cell(each.transmission_s),
                duration_cell(each.processing_s),
            ]
            for each in (found.pairs if found is not None else ())
        ],
    )
