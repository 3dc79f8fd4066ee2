"""The colours of all reports, by role, for light and dark.

Categories are from Okabe and Ito's set ("Color Universal Design", 2008), which stays apart under the usual
colour-vision deficiencies; no figure relies on colour alone. Figures are drawn with the light colours; inside HTML
`themed` turns each into a CSS variable, so that one drawing serves both.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Colour:
    """One role."""

    role: str
    light: str
    dark: str


# The light values must differ from each other: they are how `themed` finds them in a drawing.
SURFACE = Colour("surface", "#fdfdfc", "#16181c")
INK = Colour("ink", "#1b1d21", "#e9eaec")
MUTED = Colour("muted", "#5c626b", "#a3a9b3")
GRID = Colour("grid", "#e3e5e8", "#31353c")
SHADE = Colour("shade", "#f1e9dd", "#2b2620")  # where others load the network
PLAIN = Colour("plain", "#d55e00", "#f0883e")  # without fairlead; congested
MANAGED = Colour("managed", "#0072b2", "#56b4e9")  # with fairlead; a detour
GOOD = Colour("good", "#00805f", "#2fbf95")  # a quiet network
LOW = Colour("level-low", "#c9d3dc", "#46505b")
MEDIUM = Colour("level-medium", "#e69f00", "#e6a817")
HIGH = Colour("level-high", "#b03060", "#ef6a99")

ALL = (SURFACE, INK, MUTED, GRID, SHADE, PLAIN, MANAGED, GOOD, LOW, MEDIUM, HIGH)
LEVELS = {"low": LOW, "medium": MEDIUM, "high": HIGH}

SEQUENTIAL = "cividis_r"
"""Colour map of heat maps: even in lightness, alike for all kinds of colour vision; dark is much."""


def themed(svg: str) -> str:
    """The drawing with every colour of the palette replaced by its CSS variable."""
    for colour in ALL:
        svg = svg.replace(colour.light, f"var(--{colour.role})")
    return svg


def css() -> str:
    """Definitions of the variables for light, and for dark where the reader's system asks for it."""
    light = "".join(f"--{colour.role}:{colour.light};" for colour in ALL)
    dark = "".join(f"--{colour.role}:{colour.dark};" for colour in ALL)
    return (
        f":root{{color-scheme:light dark;{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )
