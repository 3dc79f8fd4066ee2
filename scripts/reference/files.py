"""docs/reference/files: a page for each kind of file that people write, from the models that read them."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fairlead.cli.measuring.plan import PlanFile
from fairlead.cluster.cluster_file import ClusterFile
from fairlead.cluster.inventory.site import SiteFile
from fairlead.experiment.plans.comparison import ComparisonPlan
from fairlead.experiment.plans.plan import Plan
from fairlead.lab.description import Description
from fairlead.prices.book import BookFile
from fairlead.profile.settings import ProfileSettings
from fairlead.published.claims import Claim, ReadingFile
from fairlead.published.columns import ColumnMap
from scripts.reference import attributes, markdown
from scripts.reference.annotations import Annotation

FOLDER = "reference/files"
SOURCE = "the model that reads the file"


@dataclass(frozen=True)
class Root:
    """A file that a page describes; ``title`` only where the page has several. ``json``: it is no TOML."""

    model: type[BaseModel]
    title: str = ""
    json: bool = False


@dataclass(frozen=True)
class File:
    """A page: a kind of file, the commands that read it, examples in the tree, the guide that uses it."""

    name: str
    title: str
    intro: str
    roots: tuple[Root, ...]
    commands: tuple[str, ...]
    examples: tuple[str, ...]
    guide: tuple[str, str]


FILES = (
    File(
        "lab",
        "Lab description",
        "A lab description says which emulated cluster `fairlead lab up` starts.",
        (Root(Description),),
        ("lab up",),
        ("mesh8.toml", "leaf-spine16.toml", "servers8.toml"),
        ("lab", "Labs"),
    ),
    File(
        "cluster",
        "Cluster file",
        "A cluster file says which hosts a cluster has, how fairlead reaches them, and which interface carries MPI. "
        "`fairlead lab up` writes the cluster file of a lab. A cluster file is code: it names programs that fairlead "
        "runs with your rights.",
        (Root(ClusterFile),),
        ("doctor", "characterize", "measure", "run", "net", "cloud"),
        (),
        ("clusters", "Clusters"),
    ),
    File(
        "site",
        "Site file for Slurm and hostfiles",
        "A site file holds what Slurm does not know of an allocation, or an MPI hostfile of its hosts. Commands that "
        "are given `slurm` in place of a cluster file read the file that `FAIRLEAD_SITE` names, else "
        "`~/.config/fairlead/slurm.toml`, else `/etc/fairlead/slurm.toml`; those that are given `hostfile:PATH` read "
        "`hostfile.toml` there. Relative paths start at the file's directory. A site file is code, as a cluster file "
        "is.",
        (Root(SiteFile),),
        ("doctor", "characterize", "measure", "run"),
        (),
        ("clusters", "Clusters"),
    ),
    File(
        "evaluation",
        "Evaluation plan",
        "An evaluation plan says which factors and levels a designed experiment has, and what each row runs.",
        (Root(Plan),),
        ("evaluate run", "evaluate plan"),
        ("evaluate/small.toml", "evaluate/bonds.toml", "evaluate/managed-lab.toml"),
        ("evaluate", "Evaluations"),
    ),
    File(
        "comparison",
        "Comparison plan",
        "A comparison plan says which programs run under which congestion, with and without management.",
        (Root(ComparisonPlan),),
        ("compare",),
        ("demo.toml", "topologies.toml", "dmcbm.toml"),
        ("compare", "Comparisons"),
    ),
    File(
        "import",
        "Map of columns",
        "A map of columns says which column of a CSV file is which factor and value of an evaluation.",
        (Root(ColumnMap),),
        ("evaluate import",),
        ("published/example.toml", "published/iccsa.toml"),
        ("published-results", "Published results"),
    ),
    File(
        "claims",
        "Claims and readings",
        "A file of claims (JSON) lists stated figures. A file of readings (TOML) says what has to be computed for "
        "statements of the same form. `fairlead evaluate check` recomputes the figures from imported data.",
        (
            Root(Claim, "Entries of a file of claims (JSON)", json=True),
            Root(ReadingFile, "A file of readings (TOML)"),
        ),
        ("evaluate check",),
        ("published/example_claims.json",),
        ("published-results", "Published results"),
    ),
    File(
        "measure-plan",
        "Measurement plan",
        "A measurement plan lists benchmarks that `fairlead measure CLUSTER plan` runs one after the other.",
        (Root(PlanFile),),
        ("measure plan",),
        ("measure/small.toml", "measure/noise-thesis.toml"),
        ("measure", "Measurements"),
    ),
    File(
        "prices",
        "Price book",
        "A price book says what systems cost. With it benchmarks and plans state their price before they start, and "
        "reports show what runs cost and what a unit of the currency buys.",
        (Root(BookFile),),
        (
            "measure",
            "compare",
            "evaluate plan",
            "evaluate run",
            "evaluate report",
            "profile run",
            "profile show",
            "report",
        ),
        ("prices.toml",),
        ("measure", "Measurements"),
    ),
    File(
        "profile",
        "Profile settings",
        "A settings file says from which share of time in MPI a program counts as dependent on the network.",
        (Root(ProfileSettings),),
        ("profile run", "profile show"),
        (),
        ("profile", "Profiles"),
    ),
)


@dataclass(frozen=True)
class Section:
    """A table of keys: where it stands in the file, also its further places, and the model of its keys."""

    heading: str
    model: type[BaseModel]
    also: tuple[str, ...] = ()


def pages() -> dict[str, str]:
    """Text of each page, by its path below docs."""
    known: dict[type[BaseModel], str] = {}
    found = {}
    for file in FILES:
        sections = [section for root in file.roots for section in _sections(root, known)]
        for section in sections:
            known[section.model] = f"{file.name}.md#{markdown.anchor(section.heading)}"
        found[f"{FOLDER}/{file.name}.md"] = _page(file, sections, known)
    return {f"{FOLDER}/index.md": _index(), **found}


def _index() -> str:
    rows = [
        (f"[{file.title}]({file.name}.md)", ", ".join(f"`fairlead {each}`" for each in file.commands))
        for file in sorted(FILES, key=lambda each: each.title)
    ]
    return markdown.page(
        SOURCE,
        "# Files",
        markdown.paragraph(
            "These are the files that you write. All are TOML but the claims, which are JSON. An unknown key is an "
            "error. fairlead reports each mistake with file, line and key, and for a renamed key its current name."
        ),
        markdown.table(("file", "read by"), rows),
        "## Units\n\n" + markdown.paragraph("Quantities are texts: a number and a unit."),
        markdown.table(
            ("quantity", "units", "example"),
            (
                ("rate", "`bit`, `kbit`, `mbit`, `gbit` (a second, powers of ten)", '`"200mbit"`'),
                ("size", "`B`, `kB`, `MB`, `GB` (powers of ten), `KiB`, `MiB`, `GiB`", '`"16KiB"`'),
                ("time", "`us`, `ms`, `s`", '`"20ms"`'),
            ),
        ),
    )


def _page(file: File, sections: list[Section], known: dict[type[BaseModel], str]) -> str:
    return markdown.page(
        SOURCE,
        f"# {file.title}",
        markdown.paragraph(file.intro),
        markdown.items(_links(file)),
        *(_section(section, file, known) for section in sections),
    )


def _links(file: File) -> Iterator[str]:
    read_by = [f"[fairlead {each}](../commands/{each.replace(' ', '-')}.md)" for each in file.commands]
    yield f"Read by: {', '.join(read_by)}"
    if file.examples:
        yield "Examples: " + ", ".join(f"[{each}](../../../examples/{each})" for each in file.examples)
    yield f"Guide: [{file.guide[1]}](../../guides/{file.guide[0]}.md)"
    yield "Units of rates, sizes and times: [Files](index.md#units)"


def _section(section: Section, file: File, known: dict[type[BaseModel], str]) -> str:
    local = {model: place.removeprefix(f"{file.name}.md") for model, place in known.items()}
    model = section.model
    bases = [each for each in model.__mro__[1:] if each in local]
    inherited = {name for each in bases for name in each.model_fields}
    rows = [_row(name, field, model, local) for name, field in model.model_fields.items() if name not in inherited]
    also = f"The same keys: {', '.join(section.also)}." if section.also else ""
    more = "".join(f"All keys of [{_title(known[each])}]({local[each]}) stand here, too." for each in bases)
    table = markdown.table(("key", "type", "default", "meaning"), rows)
    heading = f"## {section.heading}" if section.heading else ""
    return "\n\n".join(filter(None, (heading, *_text(model, file), also, more, table)))


def _title(place: str) -> str:
    return f"`{place.partition('#')[2]}`"


def _text(model: type[BaseModel], file: File) -> Iterator[str]:
    """What the model says of itself, unless the page's beginning or the file's table says it."""
    roots = [root.model for root in file.roots]
    if model in roots:
        return
    said = {text for root in roots for text in attributes.of_fields(root).values()}
    for text in attributes.of_class(model).split("\n\n"):
        if text not in said:
            yield markdown.paragraph(text)


def _row(
    name: str, field: FieldInfo, model: type[BaseModel], known: dict[type[BaseModel], str]
) -> tuple[str, str, str, str]:
    annotation = Annotation.of_field(field)
    default = "required" if field.is_required() else annotation.written(field.get_default(call_default_factory=True))
    meaning = markdown.inline(attributes.of_fields(model)[name])
    return f"`{name}`", annotation.describe(known), default, meaning


def _sections(root: Root, known: dict[type[BaseModel], str]) -> list[Section]:
    """The root and every table below it that no page before has; a model that is used twice stands once."""
    found = {root.model: Section(root.title, root.model)}
    for place, model in _below(root.model, (), known):
        heading = f"`{place.strip('`[]')}`" if root.json else place
        first = found.setdefault(model, Section(heading, model))
        if heading != first.heading and heading not in first.also:
            found[model] = Section(first.heading, model, (*first.also, heading))
    return list(found.values())


def _below(
    model: type[BaseModel], place: tuple[str, ...], known: dict[type[BaseModel], str]
) -> Iterator[tuple[str, type[BaseModel]]]:
    for name, field in model.model_fields.items():
        annotation = Annotation.of_field(field)
        for each in annotation.models():
            if each in known:
                continue
            here = (*place, name, *(["NAME"] if annotation.is_named else []))
            yield _heading(here, annotation, each), each
            yield from _below(each, here, known)


def _heading(place: tuple[str, ...], annotation: Annotation, model: type[BaseModel]) -> str:
    path = ".".join(place)
    brackets = f"`[[{path}]]`" if annotation.is_list else f"`[{path}]`"
    tag = annotation.tag_of(model)
    return f"{brackets}: {tag}" if tag else brackets
