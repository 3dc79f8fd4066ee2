"""Micro-benchmarks of a cluster (``fairlead measure``), a folder each.

``measure`` asks programs and keeps raw samples, ``analyse`` makes figures of the samples, ``draw`` is what the page has
of them; the folder itself registers the benchmark (`registration`). `measuring` and `page` are what they share.
"""
