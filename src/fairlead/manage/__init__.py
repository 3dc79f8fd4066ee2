"""Managed runs: the agents of a job, their supervisor, and the planes that carry what is rerouted."""
