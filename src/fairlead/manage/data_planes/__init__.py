"""Data planes: which one carries what a run reroutes. One small class each.

By the kernel: `route` (docs/explanation/route-plane.md). By the agents: `relay` (docs/explanation/relay-plane.md).
"""

from fairlead.manage.data_planes.base import PLANES, Plane

__all__ = ["PLANES", "Plane"]
