"""What benchmarks share that measure: pairs of hosts, programs, rounds until a median is known, and records."""
