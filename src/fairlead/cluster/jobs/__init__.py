"""MPI jobs: started, watched while they start, signalled, and seen to end on all hosts."""
