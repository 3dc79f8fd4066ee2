"""Micro-benchmarks of a cluster (``fairlead measure``): what is measured, how often, and its raw samples."""
