"""Outputs of netgauge 2.4.6, made up by hand in the formats of its sources (github.com/spcl/netgauge)."""


def started(pattern: str, ranks: int = 2, *, version: str = "2.4.6") -> str:
    """The line that netgauge.c prints first (ng_info with NG_VNORM)."""
    options = f"netgauge -m mpi -x {pattern} "
    return f"# Info:   (0): Netgauge v{version} MPI enabled (P={ranks}, threadlevel=0) ({options})\n"


HOST = """# Sysname : Linux
# Nodename: n7
# Release : 6.1.0
# Version : #1 SMP
# Machine : Linux
"""  # write_host_information of netgauge.c
FWQ = f"""# Benchmark Method: fwq
# Compute-Cycle Duration: 100 usec
# Number of Cycles/Detours: 3
{HOST}# Fixed Work Quantum Benchmark
# cycle number    duration [us]
0             100
1             100
2             180
"""  # write_results_fwq of ptrn_noise.c
FTQ = f"""# Benchmark Method: ftq
# Compute-Cycle Duration: 1000 usec
# Number of Cycles/Detours: 4
{HOST}# Fixed Time Quantum Benchmark
# cycle number    workload iterations
 0                4000
 1                4000
 2                3000
 3                3900
"""  # write_results_ftq of ptrn_noise.c
TITLE = "## Netgauge v2.4.6 - mode mpi - 2 processes\n##\n## A...message size [byte]\n##\n"
LONG = TITLE + "## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q\n"
SHORT = TITLE + "## A  -  B  C  D  E - F  G  H  I - J  K  L  M\n"
OLD_LONG = TITLE + "## A  -  B  C  S  D  (E F) - G  H  T  I  (J K)  -  L  M  U  N\n"
ROW_8 = "8 - 1.00 1.10 1.10 2.00 (0.10 2) - 4.00 5.00 4.50 8.00 (0.30 3) - 8.00 12.80 14.22 16.00\n"
ROW_1000 = "1000 - 1.00 1.10 1.10 2.00 (nan 0) - 8.00 10.00 9.00 16.00 (-nan 0) - 500.00 800.00 888.89 1000.00\n"
ONE_ONE = HOST + LONG + ROW_8 + ROW_1000  # the file of -o: ptrn_one_one.cpp
VERBOSE = f"""{started("one_one_sync")}{SHORT}# Info:    (0): Round 1: testing 100 times with 8 bytes:
# ..........
8 - 1.00 1.10 1.10 2.00 - 4.00 5.00 4.50 8.00 - 8.00 12.80 14.22 16.00
"""  # -v: ptrn_one_one_sync.cpp
TERSE = started("one_one") + "8 bytes \t -> 4.00 us \t == 14.22 Mbit/s\n1000 bytes \t -> 8.00 us \t == 888.89 Mbit/s\n"
TERSE_MEDIANS = started("1toN", 5) + "8 bytes \t -> 4.50 us \t == 14.22 Mbit/s\n"  # ptrn_1toN.cpp
TO_ONE = started("Nto1", 5) + OLD_LONG + ROW_8  # -vv: ptrn_Nto1.cpp
STRIDES = started("one_one_dtype") + LONG + "1 " + ROW_1000 + "2 " + ROW_1000  # -vv: ptrn_one_one_dtype.cpp
TERSE_STRIDES = started("one_one_dtype") + "stride 4 \t 1000 x 1 bytes \t -> 8.00 us \t == 888.89 Mbit/s\n"
QUEUE = started("one_one_req_queue") + (
    "16 reqs\t -> 4.00 us (roudtrip) \t == 32.00 Mbit/s\n32 reqs\t -> 5.00 us (roudtrip) \t == 25.60 Mbit/s\n"
)  # ptrn_one_one_req_queue.cpp
ALL_PAIRS = f"""{HOST}## Netgauge v2.4.6 - mode mpi - rank 0: 3 processes
##
## R...rank
## T...tests
##
## R T A  -  B  C  D  E  (F G)
1 100 - 2.0312 2.50 2.40 9.00 (0.10 2)
2 100 - 3.0312 3.50 3.40 9.50 (0.10 2)
"""  # the file of -o: ptrn_one_one_all.cpp
PERTURBED = started("one_one_perturb") + (
    "### compute=0, communicate=0\n### compute=0, communicate=0\n8 bytes \t -> 0.00 us, 0.00 us. 0.00 us\n"
    "### compute=1, communicate=1\n8 bytes \t -> 1.00 us, 900.00 us. 2.50 us\n"
)  # ptrn_one_one_perturb.cpp; both ranks print the round
MEMORY = f"""{HOST}## Netgauge v2.4.6 - mode mpi - 1 processes
##
## A  -  B  C  D  E (F G) - B  C  D  E (F G) -  B  C  D  E (F G)
#
# gnuplot script (medians):
#\x20
8 -  1.00 1.50 1.40 9.00 (0.10 2) -  2.00 2.50 2.40 9.00 (0.10 2) -  3.00 3.50 3.40 9.00 (0.10 2)
"""  # the file of -o: ptrn_memory.cpp
TERSE_MEMORY = started("memory", 1) + (
    "8192 bytes \t r w c -> 2.00 4.00 8.00 us \t\t ( 4096.00 2048.00 1024.00 MiB/s)\n"
)
CHASE = started("memory", 1) + "traversed 1000 pointers of size 8 in 5.00 us -> 5.00 ns per hop\n"
BISECTION = started("ebb", 4) + (
    "size: 1024, round 0: num: 4 average: 10.000000 us (1024.000000 MiB/s)\n"
    "size: 1024, round 1: num: 4 average: 20.000000 us (512.000000 MiB/s)\n"
    "# Info:   (0): ---- bucket data ----\n"
    "size: 1024 10.000000 (1024.000000 MiB/s): 5\nsize: 1024 15.000000 (682.666667 MiB/s): 3\n"
    "size: 1024 num: 8 average: 15.000000 (682.666667 MiB/s)\n"
)  # ptrn_ebb.cpp
COLLECTIVE = started("collvsnoise", 8) + (
    "...\n# acc: 8 4 8 :: 100.000000 (90.000000), 200.000000 (150.000000)\n"
    "...\n# acc: 8 6 8 :: 110.000000 (95.000000), 210.000000 (160.000000)\n"
)  # ptrn_collvsnoise.cpp
COLLECTIVE_TRIES = started("collvsnoise", 8) + (
    "8 4 0 8 :: 80.000000 (1.000000) 150.000000 (300.000000) \n"
    "8 4 1 8 :: 120.000000 (1.000000) 250.000000 (500.000000) \n"
    "# acc: 8 4 8 :: 100.000000 (120.000000), 200.000000 (250.000000)\n"
)  # -v
LOGGP = (
    "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)\n"
    '# to get o: plot "./loggp.out" using 1:(($5-$3)/($2-1)-$3)\n'
    '# to get g,G: plot "./loggp.out" using 1:($4-$3)/($2-1)\n'
    "1 16 10.000000 40.000000 175.000000 5.000000 1.000000 1.500000 -nan -nan -nan\n"
    "1025 16 12.000000 57.000000 190.500000 5.000000 -0.100000 1.500000 2.000000 0.001000 0.100000\n"
    "2049 16 14.000000 74.000000 239.000000 5.000000 1.000000 1.500000 2.000000 0.001000 0.100000\n"
    "2049 16 14.000000 74.000000 239.000000 5.000000 1.000000 1.500000 2.500000 0.002000 0.200000\n"
)  # the file of -o: ptrn_loggp.c
CLOCKS = started("distrtt") + "0 20000 123456789 0.100100\n1 30000 123456999 0.200200\n"  # ptrn_distrtt.c
PROCESSOR = started("cpu", 1) + (
    "avg: 10000.00 us (1000.00 MFlop/s); 5000.00 (2000.00 MFlop/s); 2500.00 (4000.00 MFlop/s)\n"
    "min: 8000.00 us (1250.00 MFlop/s); 4000.00 (2500.00 MFlop/s); 2000.00 (5000.00 MFlop/s)\n"
    "max: 20000.00 us (500.00 MFlop/s); 10000.00 (1000.00 MFlop/s); 5000.00 (2000.00 MFlop/s)\n"
    "med: 10000.00 us (1000.00 MFlop/s); 5000.00 (2000.00 MFlop/s); 2500.00 (4000.00 MFlop/s)\n"
    "dev: 12.00 us; 13.00 us; 14.00 us\n"
)  # ptrn_cpu.cpp
EVERY = {
    "fwq": FWQ,
    "ftq": FTQ,
    "one_one": ONE_ONE,
    "one_one_sync": VERBOSE,
    "terse": TERSE,
    "1toN": TERSE_MEDIANS,
    "Nto1": TO_ONE,
    "one_one_dtype": STRIDES,
    "one_one_req_queue": QUEUE,
    "one_one_all": ALL_PAIRS,
    "one_one_perturb": PERTURBED,
    "memory": MEMORY,
    "pchase": CHASE,
    "ebb": BISECTION,
    "collvsnoise": COLLECTIVE_TRIES,
    "loggp": LOGGP,
    "distrtt": CLOCKS,
    "cpu": PROCESSOR,
}
