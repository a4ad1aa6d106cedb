"""What the short forms of hardware stand for: CSR is a control and status register.

`short_forms.txt` has a line `SHORT = long form: what it is` for each, the format of a team's own
file; a short form with several meanings has several lines, the commonest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from hdlgraph.knowledge.projects import Projects, added
from hdlgraph.knowledge.tables import lines

_LINE = re.compile(r"\s*([A-Za-z][\w$+./-]{0,31})\s*=\s*([^:]*?)\s*(?::\s*(.*?))?\s*$")


class ShortForm(msgspec.Struct, frozen=True, array_like=True):
    """A short form, what it stands for and what that is ("" where nobody says).

    `source`: team, mined, general or part (of identifiers). `place`: path:line of the definition.
    """

    short: str
    long: str
    what: str = ""
    source: str = "general"
    place: str = ""


@lru_cache(maxsize=8)
def general_forms(projects: Projects = ()) -> dict[str, tuple[ShortForm, ...]]:
    """Returns short form in lower case -> its meanings, the commonest first.

    Args:
        projects: the project tables in force.
    """
    rows = [*lines("short_forms.txt"), *added(projects, "short forms")]
    return by_key(ShortForm(*fields(line)) for line in rows)


def fields(line: str) -> tuple[str, str, str]:
    """Returns (short form, long form, what it is) of a line.

    Raises:
        ValueError: the line is not of this form.
    """
    match = _LINE.fullmatch(line)
    if not match or not match[2]:
        raise ValueError("write `SHORT = long form: what it is`")
    return match[1], match[2], (match[3] or "").rstrip(".")


def by_key(forms: Iterable[ShortForm]) -> dict[str, tuple[ShortForm, ...]]:
    """Returns short form in lower case -> its meanings in order."""
    found: dict[str, tuple[ShortForm, ...]] = {}
    for form in forms:
        key = form.short.lower()
        found[key] = (*found.get(key, ()), form)
    return found
