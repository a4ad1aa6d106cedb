"""Names that single projects coined, in force where a repository shows that it is such a project.

A file of `projects/` holds the names of one project: under `[names]` those that show its presence,
under the titles of the general tables what is added to these. A table is in force when at least
`EVIDENCE` of its names stand in the names of files or of units (modules, packages, classes ...) of
the repository. Indexing decides this once and writes the choice beside the rest of the generation,
so that index and search use the same tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hdlgraph.knowledge.tables import sections
from hdlgraph.safety.safe_files import read_regular, write_atomic
from hdlgraph.words import split_identifier

if TYPE_CHECKING:
    from hdlgraph.model import FileRecord

EVIDENCE = 3
"""How many of a project's names must occur; one or two are also found in a borrowed file."""

CHOSEN = "projects.json"
"""Name of the file in the folder of a generation that lists the tables in force."""

LIMIT = 10_000  # bytes of that file

Projects = tuple[str, ...]
"""The tables in force: names of files of `projects/` without `.txt`, sorted."""


@lru_cache(maxsize=1)
def all_projects() -> Projects:
    """Returns the names of all project tables, sorted."""
    folder = files("hdlgraph.knowledge") / "projects"
    named = (file.name for file in folder.iterdir() if file.name.endswith(".txt"))
    return tuple(sorted(name.removesuffix(".txt") for name in named))


@lru_cache(maxsize=64)
def table(project: str) -> dict[str, list[str]]:
    """Returns the lines of each section of a project's table."""
    return sections(f"projects/{project}.txt")


def added(projects: Projects, title: str) -> list[str]:
    """Returns the lines that the tables in force add to the general table of this title."""
    return [line for project in projects for line in table(project).get(title, ())]


def evident(records: Sequence[FileRecord]) -> Projects:
    """Returns the projects that a repository shows by the names of its files and units, sorted."""
    return evident_in(names_in(records))


def names_in(records: Sequence[FileRecord]) -> list[str]:
    """Returns the names of files, without suffix, and of their units, sorted, each once."""
    named = {record.path.rpartition("/")[2].rpartition(".")[0] for record in records}
    named |= {unit.name for record in records for unit in record.units}
    return sorted(named)


def evident_in(names: Iterable[str]) -> Projects:
    """Returns the projects that a repository shows by names, see `names_in`, sorted."""
    text = "\n".join(sorted({_parts(name) for name in names}))
    return tuple(one for one in all_projects() if len(found_names(one, text)) >= EVIDENCE)


def found_names(project: str, text: str) -> list[str]:
    """Returns those names of a project whose parts stand in a row in a line of `text`.

    Args:
        project: name of a table.
        text: identifiers cut into their parts, each part between two underscores.
    """
    names = (name for line in table(project)["names"] for name in line.split())
    return [name for name in names if _parts(name) in text]


def _parts(identifier: str) -> str:
    return f"_{'_'.join(split_identifier(identifier))}_"


def write_chosen(folder: Path, projects: Iterable[str]) -> None:
    """Writes the tables in force into the folder of a generation: a JSON list of their names."""
    write_atomic(folder / CHOSEN, msgspec.json.encode(sorted(projects)) + b"\n")


def read_chosen(folder: Path) -> Projects:
    """Returns the tables in force of a generation; none where the file is missing.

    A name that this version has no table for is left out.

    Raises:
        ValueError: the file is no list of names.
    """
    try:
        data = read_regular(folder / CHOSEN, LIMIT, follow=False)
    except FileNotFoundError:
        return ()
    named = set(msgspec.json.decode(data, type=list[str]))
    return tuple(project for project in all_projects() if project in named)
