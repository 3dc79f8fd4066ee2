"""The route plane: routes of the kernel over an overlay, which guardians make."""

from fairlead.manage.data_planes.base import PLANES, Plane


class RoutePlane(Plane):
    """Nothing has to be there before the guardians are."""

    by_agents = False


PLANES.register("route")(RoutePlane())
