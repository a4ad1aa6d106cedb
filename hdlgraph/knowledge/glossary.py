"""What well-known hardware structures do, in everyday words, one line for each in `glossary.txt`.

A unit whose name says `arbiter` is explained as one: its users ask for "who decides which
requester goes next", not for the word. `explain` applies a line to a unit only when the unit's own
name (or base class) has the term.
"""

from __future__ import annotations

from functools import lru_cache

from hdlgraph.knowledge.projects import Projects, added
from hdlgraph.knowledge.tables import pairs, sections


@lru_cache(maxsize=1)
def _sections() -> dict[str, list[str]]:
    return sections("glossary.txt")


@lru_cache(maxsize=8)
def glossary(projects: Projects = ()) -> dict[str, str]:
    """Returns the name of a structure in plain words -> what it does.

    Args:
        projects: the project tables in force.
    """
    return pairs([*_sections()["structures"], *added(projects, "glossary")], ":")


VERIFICATION = pairs(_sections()["verification"], ":")
"""Role of a verification component -> what it does."""

UVM_BASES = pairs(_sections()["base classes"], ":")
"""Last parts of a class or base-class name -> the role of the class."""
