"""Where hosts come from: a cluster file, a hostfile, a Slurm allocation, or a step that srun starts."""
