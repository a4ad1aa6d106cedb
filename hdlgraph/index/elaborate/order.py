"""The order in which the files of a design are compiled: what others need comes first."""

from __future__ import annotations

from hdlgraph.index.elaborate.closure import Closure


def order(found: Closure) -> list[str]:
    """Returns the sources, packages and macros before those that use them, ties by path.

    Of files that need each other the first by path comes later.
    """
    needs = _between_sources(found)
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
