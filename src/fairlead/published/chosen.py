"""Which cells, or pairs of cells, a statement speaks of. Names that the data do not have are mistakes of the claim."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairlead.analysis.evaluations.dataset import Dataset, DesignCell, describe_levels
from fairlead.analysis.evaluations.joined import members
from fairlead.analysis.evaluations.settings import CellGroup, ReportSettings
from fairlead.published.computation import ANY, GROUP, Computation, Levels, Location, MistakeError, fill


class NoDataError(Exception):
    """No cell has the levels that a claim speaks of."""


@dataclass(frozen=True)
class Entry:
    """What one number is of: a cell or a pair of cells, or several that are averaged.

    Attributes:
        levels: by factor, as texts; of an average the factors that are left.
        pairs: each cell with the one that it is held against.
        joined: factors among them that another says already.
    """

    levels: Mapping[str, str]
    pairs: tuple[tuple[DesignCell, DesignCell | None], ...]
    joined: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """For people: "IS, layer2"."""
        return describe_levels({name: level for name, level in self.levels.items() if name not in self.joined}) or "all"

    @property
    def cells(self) -> list[DesignCell]:
        """All cells it is computed from."""
        return [cell for pair in self.pairs for cell in pair if cell is not None]


def entries(data: Dataset, computation: Computation) -> list[Entry]:
    """All that a computation speaks of, averaged where it says so.

    Raises:
        MistakeError: a factor, level or group that the data do not have.
        NoDataError: they have all of them, but no sample of these levels together.
    """
    groups = _groups(data)
    _check_names(data, computation, groups)
    found: dict[tuple[object, ...], Entry] = {}
    for combination in computation.combinations():
        of, against = fill(computation.of, combination), fill(computation.against, combination)
        _check_levels(data, computation, of, against, groups)
        for entry in _matching(data, of, against, groups):
            key = (*entry.levels.items(), *(id(cell) for cell in entry.cells))
            found.setdefault(key, entry)
    if not found:
        raise NoDataError(f"{data.name} has no pair to compare")
    return _averaged(data, list(found.values()), computation.average_over)


def case_of(data: Dataset, entry: Entry, along: str) -> tuple[str, ...]:
    """The other levels of an entry, where one factor is followed from level to level."""
    parents = data.record.facts.get("joined") or {}
    gone = data.tied(along) | {name for name in entry.joined if parents[name] not in data.tied(along)}
    return tuple(level for factor, level in entry.levels.items() if factor not in gone)


def single(data: Dataset, computation: Computation) -> Entry:
    """The one that a figure of a single number is of.

    Raises:
        MistakeError: there are several; and see `entries`.
    """
    found = entries(data, computation)
    if len(found) > 1:
        what = describe_levels({k: str(v) for k, v in computation.of.items()}) or "all"
        kind = "pairs" if computation.against else "cells"
        open_factors = [name for name in data.factors if len({each.levels.get(name) for each in found}) > 1]
        raise MistakeError(
            ("computation", "of"),
            f"{len(found)} {kind} are {what}: name a level of {', '.join(open_factors) or 'each factor'}, or say with "
            "`over` what becomes of all of them (mean, greatest, least, every, count, share)",
        )
    return found[0]


def _matching(data: Dataset, of: Levels, against: Levels, groups: Mapping[str, CellGroup]) -> Iterator[Entry]:
    cells = [cell for cell in data.cells if _is_one_of(data, cell, of)]
    named, joined = _wanted_groups(of, groups), frozenset(data.all_factors) - frozenset(data.factors)
    for name in named:
        for cell in cells:
            levels = {factor: str(level) for factor, level in data.all_named(cell).items()}
            if name is not None:
                if not members(groups[name], levels):
                    continue
                levels[GROUP] = name
            if not against:
                yield Entry(levels, ((cell, None),), joined)
                continue
            for base in _bases(data, cell, against):
                if base is not cell:
                    yield Entry(levels, ((cell, base),), joined)
    if not cells:
        raise NoDataError(f"{data.name} has no samples of {_words(of)}")


def _bases(data: Dataset, cell: DesignCell, against: Levels) -> list[DesignCell]:
    """Cells with the levels of ``against``, and those of ``cell`` where it names none."""
    varied = {each for factor in against for each in data.tied(factor)}
    wanted: Levels = {factor: str(level) for factor, level in data.named(cell).items() if factor not in varied}
    wanted.update(against)
    found = [each for each in data.cells if _is_one_of(data, each, wanted)]
    if not found:
        raise NoDataError(f"{data.name} has no samples of {_words(wanted)}")
    return found


def _is_one_of(data: Dataset, cell: DesignCell, levels: Levels) -> bool:
    named = data.all_named(cell)
    return all(
        level == ANY or str(named[factor]) in _as_list(level) for factor, level in levels.items() if factor in named
    )


def _as_list(level: str | Sequence[str]) -> list[str]:
    return [level] if isinstance(level, str) else list(level)


def _groups(data: Dataset) -> dict[str, CellGroup]:
    if GROUP in data.factors:
        return {}
    report = (
        ReportSettings.model_validate(data.record.plan.get("report") or {}) if data.record.plan else ReportSettings()
    )
    return {group.name: group for group in report.groups}


def _wanted_groups(of: Levels, groups: Mapping[str, CellGroup]) -> list[str | None]:
    if GROUP not in of or not groups:
        return [None]
    return list(groups) if of[GROUP] == ANY else list(_as_list(of[GROUP]))


def _averaged(data: Dataset, found: Sequence[Entry], over: Sequence[str] | str) -> list[Entry]:
    if not over:
        return list(found)
    gone = set(data.all_factors) | {GROUP} if over == ANY else {each for name in over for each in data.tied(name)}
    gathered: dict[tuple[tuple[str, str], ...], list[Entry]] = {}
    for entry in found:
        kept = tuple((name, level) for name, level in entry.levels.items() if name not in gone)
        gathered.setdefault(kept, []).append(entry)
    return [
        Entry(dict(kept), tuple(pair for each in own for pair in each.pairs), own[0].joined)
        for kept, own in gathered.items()
    ]


def _check_names(data: Dataset, computation: Computation, groups: Mapping[str, CellGroup]) -> None:
    """Factors, wherever a computation names one."""
    known = [*data.all_factors, *([GROUP] if groups else [])]
    named: list[tuple[Location, str]] = [
        ((key, factor), factor) for key in ("of", "against", "at") for factor in getattr(computation, key)
    ]
    if computation.along is not None:
        named.append((("along",), computation.along))
    if computation.average_over != ANY:
        named += [(("average_over", k), factor) for k, factor in enumerate(computation.average_over)]
    for place, factor in named:
        if factor not in known:
            raise MistakeError(
                ("computation", *place), f"{data.name}: there is no factor {factor!r}{hint(factor, known)}"
            )
    if GROUP in computation.against and groups:
        raise MistakeError(("computation", "against", GROUP), "groups belong into `of`")


def _check_levels(
    data: Dataset, computation: Computation, of: Levels, against: Levels, groups: Mapping[str, CellGroup]
) -> None:
    for key, levels in (("of", of), ("against", against), ("at", computation.at)):
        for factor, level in levels.items():
            known = list(groups) if factor == GROUP and groups else [str(each) for each in data.levels_of(factor)]
            for each in _as_list(level):
                if each != ANY and each not in known:
                    _refuse(data, computation, (key, factor), each, known)


def _refuse(data: Dataset, computation: Computation, place: Location, level: str, known: Sequence[str]) -> None:
    if computation.no_data is not None:
        raise NoDataError(computation.no_data)
    factor = place[-1]
    what = "group" if factor == GROUP else f"level of {factor}"
    raise MistakeError(("computation", *place), f"{data.name}: {level!r} is not a {what}{hint(level, known)}")


def hint(name: str, known: Iterable[str]) -> str:
    """The known names, after one that is not among them: "; did you mean 'IS'? It has BT, FT, IS, SP"."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return (f"; did you mean {near[0]!r}?" if near else ";") + f" known are {', '.join(names) or 'none'}"


def _words(levels: Levels) -> str:
    return describe_levels(
        {name: level if isinstance(level, str) else " or ".join(level) for name, level in levels.items()}
    )
