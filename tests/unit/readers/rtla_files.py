"""Outputs of rtla, made up by hand in the formats of tools/tracing/rtla/src of the kernel's sources."""

_TOP_HEADER = (
    "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW          NMI"
    "          IRQ      Softirq       Thread\n"
)


def _top_row(cpu: int, periods: int, runtime: int, noise: int, *others: int) -> str:
    """osnoise_top_print of osnoise_top.c."""
    available = (runtime - noise) * 10_000_000 // runtime
    most, single, hw, *more = others
    text = f"{cpu:3d} #{periods:<6d} {runtime:12d} {noise:12d}   {available // 100_000:3d}.{available % 100_000:05d}"
    return text + f"{most:12d} {single:12d}{hw:12d} " + " ".join(f"{each:12d}" for each in more) + "\n"


OSNOISE_TOP = (
    f"{' ' * 42}Operating System Noise{' ' * 74}\nduration:   0 00:00:10 | time is in us\n{_TOP_HEADER}"
    + _top_row(0, 10, 10_000_000, 5_000, 900, 42, 3, 1, 20_000, 300, 7)
    + _top_row(1, 10, 10_000_000, 250_000, 90_000, 80_123, 0, 1, 10_000, 200, 5)
)
TIMERLAT_TOP = f"""{" " * 37}Timer Latency{" " * 46}
  0 00:00:10   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)
CPU COUNT      |      cur       min       avg       max |      cur       min       avg       max
  0 #10000     |        1         0         1        23 |        5         2         6        87
  1 #10000     |        2         0         1        19 |        -         -         -         -
{"-" * 15}|{"-" * 40}|{"-" * 39}
ALL #20000  e0 |                  0         1        23 |                  2         6        87
"""  # timerlat_top.c
OSNOISE_HIST = """# RTLA osnoise histogram
# Time unit is microseconds (us)
# Duration:   0 00:00:10
Index   CPU-000   CPU-001
0            90        80\x20
1             8        15\x20
5             2         4\x20
over:         0         1\x20
count:      100       100\x20
min:          0         0\x20
avg:       0.18      3.35\x20
max:          5       300\x20
"""  # osnoise_hist.c
TIMERLAT_HIST = """# RTLA timerlat histogram
# Time unit is nanoseconds (ns)
# Duration:   0 00:00:10
Index   IRQ-000   Thr-000
0            50         0\x20
1000         50        99\x20
over:         0         1\x20
count:      100       100\x20
min:        400      1200\x20
avg:       1000      2100\x20
max:       1900     87000\x20
ALL:        IRQ       Thr
count:      100       100\x20
min:        400      1200\x20
avg:       1000      2100\x20
max:       1900     87000\x20
"""  # timerlat_hist.c
EVERY = {"osnoise": OSNOISE_TOP, "timerlat": TIMERLAT_TOP, "osnoise-hist": OSNOISE_HIST, "timerlat-hist": TIMERLAT_HIST}
NUMBERS = {
    "rtla osnoise": "80123",
    "rtla timerlat": "87\n  1",
    "rtla osnoise-hist": "3.35",
    "rtla timerlat-hist": "2100",
}
HEADERS = {
    "rtla osnoise": _TOP_HEADER,
    "rtla timerlat": TIMERLAT_TOP.splitlines(keepends=True)[2],
    "rtla osnoise-hist": "Index   CPU-000   CPU-001\n",
    "rtla timerlat-hist": "Index   IRQ-000   Thr-000\n",
}
UNITS = {
    "rtla osnoise": "time is in us",
    "rtla timerlat": "Thread Timer Latency (us)",
    "rtla osnoise-hist": "(us)",
    "rtla timerlat-hist": "(ns)",
}
