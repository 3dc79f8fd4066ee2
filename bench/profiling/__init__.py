"""What profiling costs, beside mpiP."""
