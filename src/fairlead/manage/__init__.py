"""Managed runs: the agents of a job, their supervisor, and the scenarios that show what management is worth."""
