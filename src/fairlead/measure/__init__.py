"""Micro-benchmarks of a cluster."""
