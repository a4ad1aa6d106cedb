"""The repositories of one server, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hdlgraph.errors import UsageError
from hdlgraph.safety.printable import visible
from hdlgraph.serve.warm.kept import Kept

NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}")


def repositories_of(
    named: Sequence[str], indexes: Sequence[Path], settings: Path | None = None
) -> dict[str, Kept]:
    """Returns what a server keeps, by name.

    Args:
        named: texts of the form NAME=INDEX.
        indexes: index folders, or repositories that have one; their names are those of their
            folders. Without `named` too, the nearest index is kept as "repository".
        settings: the settings file that the user named.

    Raises:
        UsageError: a name is no name, or is given twice.
    """
    found: dict[str, Path | None] = {}
    for text in named:
        name, equals, place = text.partition("=")
        if not equals or not place:
            raise UsageError(f"{visible(text)}: write NAME=INDEX, or --index INDEX without a name")
        _add(found, name, Path(place))
    for index in indexes:
        _add(found, _name_of(index, found), index)
    return {name: Kept(path, settings) for name, path in (found or {"repository": None}).items()}


def _add(found: dict[str, Path | None], name: str, index: Path) -> None:
    if not NAME.fullmatch(name):
        raise UsageError(f"{visible(name)!r}: is no name; use letters, digits, `.`, `_` and `-`")
    if name in found:
        raise UsageError(f"{name}: two repositories have that name; write NAME=INDEX")
    found[name] = index


def _name_of(index: Path, taken: Iterable[str]) -> str:
    """Returns the name of an index's folder, with a number where it is taken."""
    place = index.resolve()
    own = place.parent.name if place.name.startswith(".") else place.name
    base = re.sub(r"[^\w.-]+", "-", own, flags=re.ASCII).strip("-._")[:50] or "repository"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name
