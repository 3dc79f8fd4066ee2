"""The figure that a reader chooses the case of: its numbers, which a script on the page draws."""

import json

from fairlead.analysis.evaluations.analysis import Analysis
from fairlead.display import words
from fairlead.report.evaluation.evaluation_tables import case_name, configuration_title, short_name, value_words
from fairlead.store import Label

MOST_SAMPLES = 100
"""Samples of a cell that are drawn; beyond that every so many."""
_DIGITS = 6


def data(analysis: Analysis) -> str:
    """Cases with their cells, as JSON that may stand inside a script element; empty for a single case."""
    places = [analysis.data.place(name) for name in analysis.cases]
    gains = {pair.second.levels: pair.speed_value for pair in analysis.pairs}
    cases: dict[tuple[Label, ...], list[dict[str, object]]] = {}
    base = tuple(map(str, analysis.baseline))
    ordered = sorted(analysis.summaries, key=lambda one: tuple(map(str, analysis.configuration_of(one.cell))) != base)
    for each in ordered:
        values = each.cell.values[:: -(-each.cell.n // MOST_SAMPLES)]
        gain = gains.get(each.cell.levels)
        case = tuple(each.cell.levels[k] for k in places)
        cases.setdefault(case, []).append(
            {
                "name": short_name(analysis, analysis.configuration_of(each.cell)),
                "mean": each.centre,
                "shown": value_words(analysis, each.centre),
                "bar": each.bar or 0.0,
                "values": [float(f"{value:.{_DIGITS}g}") for value in values],
                "gain": "" if gain is None else words.percent(gain, signed=True),
            }
        )
    if len(cases) < 2:
        return ""
    found = {
        "title": configuration_title(analysis),
        "unit": analysis.data.unit,
        "cases": [{"name": case_name(analysis, case), "cells": cells} for case, cells in cases.items()],
    }
    return json.dumps(found, ensure_ascii=True).replace("<", "\\u003c")
