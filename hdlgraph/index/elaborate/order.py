"""The order in which the files of a design are compiled: what others need comes first."""

from __future__ import annotations

from collections.abc import Collection

from hdlgraph.index.elaborate.closure import Closure
from hdlgraph.parsers.includes import distance


def order(found: Closure, packages: Collection[str] = ()) -> list[str]:
    """Returns the sources, packages and macros before those that use them, ties by path.

    Of files that need each other the first by path comes later. A header that several packages
    include counts in the first of them alone, where a guard keeps it from being read again: so
    the package that lies nearest to it comes before the others.

    Args:
        found: what a design needs.
        packages: the files that hold packages.
    """
    needs = _between_sources(found)
    _add_homes(found, needs, packages)
    done: dict[str, bool] = {}
    ordered: list[str] = []
    for start in sorted(found.sources, key=lambda path: (not _is_needed(path, needs), path)):
        stack = [start]
        while stack:
            path = stack[-1]
            if path not in done:
                done[path] = False
                stack += sorted(
                    (one for one in needs.get(path, ()) if one not in done), reverse=True
                )
                continue
            stack.pop()
            if not done[path]:
                done[path] = True
                ordered.append(path)
    return ordered


def _is_needed(path: str, needs: dict[str, set[str]]) -> bool:
    return any(path in others for others in needs.values())


def _between_sources(found: Closure) -> dict[str, set[str]]:
    """Returns what each source needs, for itself and for the headers that it includes."""
    needs: dict[str, set[str]] = {}
    for source, headers in found.headers().items():
        wanted: set[str] = set()
        for path in (source, *headers):
            wanted |= found.needs.get(path, set())
        needs[source] = (wanted & found.sources) - {source}
    return needs


def _add_homes(found: Closure, needs: dict[str, set[str]], packages: Collection[str]) -> None:
    """Puts the package nearest to a header before the others that include it."""
    users: dict[str, list[str]] = {}
    for source, headers in sorted(found.headers().items()):
        if source in packages:
            for header in headers:
                users.setdefault(header, []).append(source)
    for header, sources in sorted(users.items()):
        folders = {one: one.rpartition("/")[0] for one in sources}
        home = min(sources, key=lambda one: (distance(folders[one], header), one))
        for one in sources:
            nearer = distance(folders[home], header) < distance(folders[one], header)
            if nearer and not _reaches(needs, home, one):
                needs[one].add(home)


def _reaches(needs: dict[str, set[str]], start: str, goal: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        fresh = needs.get(waiting.pop(), set()) - seen
        seen |= fresh
        waiting += fresh
    return goal in seen
