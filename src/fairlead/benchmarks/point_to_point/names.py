"""Names of the two benchmarks of messages between pairs of hosts."""

LATENCY, THROUGHPUT = "mpi-latency", "mpi-throughput"
