"""What a cluster's network is like: latencies, which paths share a bottleneck, and the detours that follow."""
