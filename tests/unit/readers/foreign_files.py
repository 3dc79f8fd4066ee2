"""Files as other benchmark programs write them, made up by hand in their formats."""

import json
from typing import Any

OSU_LATENCY = """mpirun: a word of the launcher's

# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)        Validation     P50 Tail Lat(us)     P99 Tail Lat(us)
1                       2.50              Pass                 2.40                 4.10
1024                    4.00              Pass                 3.90                 6.00
"""
OSU_OLD_LATENCY = """# OSU MPI Latency Test v5.6.3
# Size          Latency (us)
0                       2.00
1                       2.50
"""
OSU_BANDWIDTH = """# OSU MPI Bi-Directional Bandwidth Test v7.1
# Size      Bandwidth (MB/s)
# Datatype: MPI_CHAR.
1                       3.00
1048576              2500.00
"""
OSU_PAIRS = """# OSU MPI Multiple Bandwidth / Message Rate Test v7.3
# [ pairs: 2 ] [ window size: 64 ]
# Size                  MB/s        Messages/s
1                      10.00       10000000.00
"""
OSU_ALLREDUCE = """
# OSU MPI Allreduce Latency Test v7.2
# Datatype: MPI_FLOAT.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
4                      10.00              8.00             12.00        1000
8                      11.00              9.00             13.00        1000
"""
OSU_OVERLAP = """
# OSU MPI Non-blocking Allreduce Latency Test v7.2
# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait

# Datatype: MPI_FLOAT.
# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
4                      30.00             15.00             20.00             25.00
"""
OSU_BARRIER = """
# OSU MPI Barrier Latency Test v7.2
# Avg Latency(us)
             7.50
"""
OSU_PUT = """# OSU MPI_Put Latency Test v5.8
# Window creation: MPI_Win_allocate
# Synchronization: MPI_Win_flush
# Size          Latency (us)
1                       1.50
8                       1.75
"""
OSU_PUT_BANDWIDTH = """# OSU MPI_Put-CUDA Bandwidth Test v7.3
# Window creation: MPI_Win_create
# Synchronization: MPI_Win_lock/unlock
# Datatype: MPI_CHAR.
# Rank 0 Memory on DEVICE (D) and Rank 1 Memory on HOST (H)
# Size      Bandwidth (MB/s)
1                       1.00
"""
OSU_FETCH = """# OSU MPI_Fetch_and_op latency Test v7.3
# Window creation: MPI_Win_allocate
# Synchronization: MPI_Win_flush
# Datatype: MPI_CHAR.
# Size          Latency (us)
8                       3.25
"""
OSU_CUDA = """# OSU MPI-CUDA Latency Test v5.9
# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)
# Size          Latency (us)
1                       9.50
"""
IMB = """#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Calling sequence was:

# IMB-MPI1 PingPong Sendrecv Allreduce Barrier

#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 2 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         1.00         0.00
         1000         1000         2.00       500.00
      1000000           40       250.00      4000.00

#-----------------------------------------------------------------------------
# Benchmarking Sendrecv
# #processes = 4
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
            0         1000         1.00         2.00         1.50         0.00
         1000         1000         3.00         4.00         3.50       500.00

#----------------------------------------------------------------
# Benchmarking Allreduce
# #processes = 4
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            4         1000         5.00         7.00         6.00

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 4
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         5.00         7.00         6.00


# All processes entering MPI_Finalize

"""
RULE = "-" * 87
PERFTEST_LATENCY = f"""
{RULE}
                    Send Latency Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 1\t\tTransport type : IB
 Connection type : RC\t\tUsing SRQ      : OFF
{RULE}
 local address: LID 0x01 QPN 0x0001 PSN 0x000001
{RULE}
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
Conflicting CPU frequency values detected: 2000.0 != 3000.0. CPU Frequency is not max.
 2       1000          0.80           5.00         0.90  \t       0.95        \t0.10\t\t1.20 \t\t3.00
 4       1000          0.80           5.00         0.90  \t       0.95        \t0.10\t\t1.20 \t\t3.00
{RULE}
"""  # noqa: E501
_WRITTEN = PERFTEST_LATENCY.replace("Send", "RDMA_Write")
PERFTEST_SAMPLES = f"""{_WRITTEN[: _WRITTEN.index(" 2       1000")]}#, usec
1, 0.913333
2, 0.9
3, 1.20667
4, 5
{RULE}
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       5          0.90           5.00         0.91  \t       0.91        \t0.00\t\t1.21 \t\t5.00
{RULE}
"""  # noqa: E501
PERFTEST_BANDWIDTH = f"""
{RULE}
                    RDMA_Write Bidirectional BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 16\t\tTransport type : IB
{RULE}
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      5000             1100.00            1000.00   \t\t     0.016000
{RULE}
"""
SELFISH = """# Nodename: n7
# Selfish Benchmark
# Minimal cycle length [ns]: 10.000000\x20
# Number of iterations (recorded+unrecorded): 100000000\x20
# Threshold: [% minimal cycle length]: 900\x20
#\x20
# Time [ns]\tselfish duration [ns]
0.00\t20000000.00
500000000.00\t30000000.00
1970000000.00\t30000000.00
# CPU overhead due to noise: 4.00%
# Measurement period: 2.00 s
"""
FIXED_WORK = """# Fixed Work Quantum Benchmark
# cycle number    duration [us]
0             100
1             100
2             180
"""
ONE_ONE = """## Netgauge v2.4.6 - mode mpi - 2 processes
##
## A...message size [byte]
##
## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q
8 - 1.00 1.10 1.10 2.00 (0.10 2) - 4.00 5.00 4.50 8.00 (0.30 3) - 8.00 12.80 14.22 16.00
1000 - 1.00 1.10 1.10 2.00 (0.10 2) - 8.00 10.00 9.00 16.00 (0.30 3) - 500.00 800.00 888.89 1000.00
"""
DASHES = "-" * 75
MPIP = f"""@ mpiP
@ Command : ./solver -n 100
@ Version                  : 3.5.0
@ MPI Task Assignment      : 0 n0
@ MPI Task Assignment      : 1 n1

{DASHES}
@--- MPI Time (seconds) ---------------------------------------------------
{DASHES}
Task    AppTime    MPITime     MPI%
   0         10          2    20.00
   1         10          4    40.00
   *         20          6    30.00
{DASHES}
@--- Callsites: 2 ---------------------------------------------------------
{DASHES}
 ID Lev File/Address             Line Parent_Funct                                 MPI_Call
  1   0 solver.c                   12 main                                         Allreduce
  2   0 solver.c                   30 main                                         Waitall
{DASHES}
@--- Aggregate Time (top twenty, descending, milliseconds) ----------------
{DASHES}
Call                 Site       Time    App%    MPI%      Count    COV
Waitall                 2      4e+03   20.00   66.67        200   0.55
Allreduce               1      2e+03   10.00   33.33        100   0.10
{DASHES}
@--- End of Report --------------------------------------------------------
{DASHES}
"""


def iperf3(*, sender: bool = True, seconds: int = 6, both: bool = False, factor: int = 1) -> str:
    """A test of one connection that moves a megabyte a second (times ``factor``)."""

    def stream(start: int, sends: bool) -> dict[str, Any]:
        moved_B = 10**6 * factor
        told = {"socket": 5 if sends == sender else 7, "start": start, "end": start + 1, "seconds": 1, "bytes": moved_B}
        more: dict[str, Any] = {"retransmits": 2} if sends else {}
        return {**told, "bits_per_second": 8.0 * moved_B, **more, "omitted": False, "sender": sends}

    sides = [sender, not sender] if both else [sender]
    intervals = [{"streams": [stream(k, side) for side in sides]} for k in range(seconds)]
    start = {"version": "iperf 3.12", "target_bitrate": 0, "test_start": {"protocol": "TCP", "duration": seconds}}
    return json.dumps({"start": start, "intervals": intervals, "end": {}}, indent=1) + "\n"


EVERY = {
    "osu": OSU_LATENCY + OSU_BANDWIDTH + OSU_PAIRS + OSU_ALLREDUCE + OSU_OVERLAP + OSU_BARRIER + OSU_PUT + OSU_CUDA,
    "imb": IMB,
    "iperf3": iperf3(),
    "perftest": PERFTEST_SAMPLES + PERFTEST_LATENCY + PERFTEST_BANDWIDTH,
    "netgauge": SELFISH,
    "mpip": MPIP,
}
