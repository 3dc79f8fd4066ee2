"""Communication time by host pair, of one run."""

from fairlead.analysis.runs.communication import Communication
from fairlead.display import words
from fairlead.display.tables import Table, TableCell, cell, duration_cell, table


def of_run(run: Communication) -> Table:
    """Every pair of one run, the longest communication time first."""
    ordered = sorted(run.pairs.items(), key=lambda entry: -(entry[1].communication_s or 0.0))
    return table(
        [
            ("pair", "pair"),
            ("messages", "messages"),
            ("bytes", "size_B"),
            ("communication", "communication_s"),
            ("late senders", "late_sender_s"),
            ("waited", "waited_s"),
            ("joined", "known_share"),
            ("L, median", "latency_median_s"),
            ("clock error", "clock_error_s"),
        ],
        [
            [
                cell(words.arrow(pair)),
                cell(times.messages),
                cell(times.size_B, words.size(times.size_B)),
                duration_cell(times.communication_s),
                duration_cell(times.late_sender_s),
                duration_cell(times.waited_s),
                _share(times.known_s, times.waited_s),
                duration_cell(times.latency_s),
                duration_cell(times.clock_error_s if times.latency_s is not None else None),
            ]
            for pair, times in ordered
        ],
    )


def _share(part: float, whole: float) -> TableCell:
    return cell(part / whole, words.percent(part / whole, decimals=0)) if whole else cell(None)
