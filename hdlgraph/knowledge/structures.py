"""Well-known hardware structures: what they are called in RTL, and what they do in everyday words.

`structures.txt` has a line `name | other spellings | what it does; what it does` for each.
A designer who does not know the name asks for what a block does; a block's own name says which
structure it is. A line of a project adds spellings to a structure, or a structure of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hdlgraph.knowledge.projects import Projects, added
from hdlgraph.knowledge.tables import lines


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure: its name, how RTL spells it (the name first), and descriptions of it."""

    name: str
    spellings: tuple[str, ...]
    what: tuple[str, ...]


@lru_cache(maxsize=8)
def structures(projects: Projects = ()) -> tuple[Structure, ...]:
    """Returns all structures, sorted by name in any case.

    Args:
        projects: the project tables in force.
    """
    found: dict[str, Structure] = {}
    for line in [*lines("structures.txt"), *added(projects, "structures")]:
        new = _structure(line)
        old = found.get(new.name)
        if old is not None:
            spellings = tuple(dict.fromkeys((*old.spellings, *new.spellings)))
            new = Structure(new.name, spellings, (*old.what, *new.what))
        found[new.name] = new
    return tuple(sorted(found.values(), key=lambda structure: structure.name.lower()))


def _structure(line: str) -> Structure:
    name, others, what = (part.strip() for part in line.split("|"))
    spellings = (name, *(spelling.strip() for spelling in others.split(",")))
    texts = (text.strip() for text in what.split(";"))
    return Structure(name, tuple(filter(None, spellings)), tuple(filter(None, texts)))
