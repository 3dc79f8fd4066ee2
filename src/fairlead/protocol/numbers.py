# Made by `python -m protocol.generate`: change protocol/agent.toml, not this file.
# fmt: off
"""Numbers that supervisor and agents agree upon."""


ANSWER_LINE_B = 67108864
"""Longest line to the supervisor, and limit of the answers that wait for it."""
LEASE_S = 10.0
"""Lease that `fairlead run` sets."""
MANUAL_S = 10.0
"""`reroute` and `restore` fail after this time."""
PINGPONG_SIZES_B = (1, 67108864)
"""Least and greatest entry of `sizes_B` of the command `pingpong`."""
CONGESTION_LEVEL_MEDIUM_FACTOR = 1.5
"""Setting `congestion_level.medium_factor`: multiple of the base latency from which a path's level is medium."""
CONGESTION_LEVEL_FLOOR_S = 0.001
"""Setting `congestion_level.floor_s`: queueing delay below which a path's level is always low."""
