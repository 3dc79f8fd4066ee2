"""Colours of systems are the same in all figures, and named where there are several."""

from matplotlib.figure import Figure

from fairlead.benchmarks.page.colours import COLOURS, legend_of_systems


def test_the_legend_names_the_systems_that_are_shown_in_their_colours() -> None:
    figure = Figure(layout="constrained")
    legend_of_systems(figure, ["c", "a"], ["a", "b", "c"])
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["c", "a"]
    assert [line.get_color() for line in legend.get_lines()] == [COLOURS[2], COLOURS[0]]


def test_a_single_system_needs_no_legend() -> None:
    figure = Figure(layout="constrained")
    legend_of_systems(figure, ["a"], ["a"])
    assert figure.legends == []
