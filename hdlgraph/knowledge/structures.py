"""Well-known hardware structures: what they are called in RTL, and what they do in everyday words.

`structures.txt` has a line `name | other spellings | what it does; what it does` for each.
A designer who does not know the name asks for what a block does; a block's own name says which
structure it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from hdlgraph.knowledge.thesaurus import lines


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure: its name, how RTL spells it (the name first), and descriptions of it."""

    name: str
    spellings: tuple[str, ...]
    what: tuple[str, ...]


@lru_cache(maxsize=1)
def structures() -> tuple[Structure, ...]:
    """Returns all structures, sorted by name."""
    found = []
    for line in lines("structures.txt"):
        name, others, what = (part.strip() for part in line.split("|"))
        spellings = (name, *(spelling.strip() for spelling in others.split(",")))
        told = tuple(text.strip() for text in what.split(";"))
        found.append(Structure(name, tuple(filter(None, spellings)), told))
    return tuple(found)
