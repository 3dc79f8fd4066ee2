"""Outputs of GPCNeT 1.3, made up by hand in the formats of its sources (github.com/netbench/GPCNET: utils.c)."""

from collections.abc import Sequence

BAR = "+" + "-" * 78 + "+\n"
INNER = "+" + "-" * 33 + "+" + "-" * 14 + "+" + "-" * 14 + "+" + "-" * 14 + "+\n"
LEGEND = """  Legend
   RR = random ring communication pattern
   Nat = natural ring communication pattern
   Lat = latency
   BW = bandwidth
   BW+Sync = bandwidth with barrier
"""


def row(*cells: str) -> str:
    """print_results without VERBOSE."""
    name, *others = cells
    return f"| {name:>31.31} | " + " | ".join(f"{cell:>12.12}" for cell in others) + f" |\n{INNER}"


def section(title: str, rows: Sequence[str]) -> str:
    """print_header of types 0 and 2."""
    return f"\n{BAR}| {title:^76} |\n{INNER}{row('Name', 'Avg', '99%', 'Units')}{''.join(rows)}"


def factor(name: str, mean: str, tail: str) -> str:
    """print_comparison_results."""
    rule = "+" + "-" * 33 + "+" + "-" * 22 + "+" + "-" * 21 + "+\n"
    return f"| {name:>31.31} | {mean:>20} | {tail:>19} |\n{rule}"


NETWORK = f"""Network Tests v1.3
  Test with 64 MPI ranks (16 nodes)

{LEGEND}""" + section(
    "Isolated Network Tests",
    [
        row("RR Two-sided Lat (8 B)", "2.0", "5.0", "usec"),
        row("RR Get Lat (8 B)", "3.0", "6.0", "usec"),
        row("RR Two-sided BW (131072 B)", "1000.0", "800.0", "MiB/s/rank"),
        row("RR Put BW (131072 B)", "1100.0", "900.0", "MiB/s/rank"),
        row("RR Two-sided BW+Sync (131072 B)", "900.0", "700.0", "MiB/s/rank"),
        row("Nat Two-sided BW (131072 B)", "2000.0", "1500.0", "MiB/s/rank"),
        row("Multiple Allreduce (8 B)", "10.0", "30.0", "usec"),
        row("Multiple Alltoall (4096 B)", "500.0", "400.0", "MiB/s/rank"),
    ],
)
_LATENCY, _SYNC, _ALLREDUCE = "RR Two-sided Lat (8 B)", "RR Two-sided BW+Sync (131072 B)", "Multiple Allreduce (8 B)"
LOAD = (
    f"""NetworkLoad Tests v1.3
  Test with 64 MPI ranks (16 nodes)
  4 nodes running Network Tests
  12 nodes running Congestion Tests (min 3 nodes per congestor)

{LEGEND}"""
    + section(
        "Isolated Network Tests",
        [
            row(_LATENCY, "2.0", "5.0", "usec"),
            row(_SYNC, "900.0", "700.0", "MiB/s/rank"),
            row(_ALLREDUCE, "10.0", "30.0", "usec"),
        ],
    )
    + section(
        "Network Tests running with Congestion Tests",
        [
            row(_LATENCY, "5.0", "60.0", "usec"),
            row(_SYNC, "300.0", "100.0", "MiB/s/rank"),
            row(_ALLREDUCE, "21.0", "93.0", "usec"),
        ],
    )
    + f"\n{BAR}| {'Network Tests running with Congestion Tests - Key Results':^76} |\n"
    + f"+{'-' * 33}+{'-' * 44}+\n| {'Name':>31} | {'Congestion Impact Factor':>42} |\n"
    + factor("", "Avg", "99%")
    + factor(_LATENCY, "2.5X", "12.0X")
    + factor(_SYNC, "3.0X", "7.0X")
    + factor(_ALLREDUCE, "2.1X", "3.1X")
)
_WIDE_BAR = "+" + "-" * 138 + "+\n"


def wide(*cells: str) -> str:
    """print_results with VERBOSE."""
    name, *others = cells
    return f"| {name:>31.31} | " + " | ".join(f"{cell:>12.12}" for cell in others) + f" |\n{_WIDE_BAR}"


_NAMES = ("Name", "Min", "Max", "Avg", "Avg(Worst)", "99%", "99.9%", "Units")
VERBOSE = NETWORK[: NETWORK.index("\n+--")] + (
    f"\n{_WIDE_BAR}| {'Isolated Network Tests':^136} |\n{_WIDE_BAR}{wide(*_NAMES)}"
    + wide("RR Two-sided Lat (8 B)", "1.5", "4.0", "2.0", "2.5", "5.0", "9.0", "usec")
    + wide("Multiple Alltoall (4096 B)", "300.0", "600.0", "500.0", "350.0", "400.0", "390.0", "MiB/s/rank")
)
