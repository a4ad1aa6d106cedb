"""Answers of several repositories in the form of one: each place begins with its repository.

What prints, or shortens, the answers of one repository does so with these as well.
"""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.model.passage import Passage
from hdlgraph.query.workspace.records import WorkspaceHit, WorkspacePassage, WorkspaceResult
from hdlgraph.results import Hit, Moved, SearchResult

PLACES = ("location", "stated_at", "path")
"""Keys whose values are places in the repository of the object that they stand in."""


def plain_result(found: WorkspaceResult) -> SearchResult:
    """Returns the result of a search, its paths as `repository:path`."""
    return SearchResult(
        question=found.question,
        hits=tuple(_hit(one) for one in found.hits),
        hops=found.hops,
        total_files=found.total_files,
        seconds=found.seconds,
        notes=found.notes,
        confidence=found.confidence,
        likely=found.likely,
        stale=_moved(found.stale),
        passages=tuple(_passage(one) for one in found.passages),
    )


def plain_answer(found: dict[str, Any]) -> dict[str, Any]:
    """Returns an answer of `show`, `who` or `links`, its places as `repository:path:line`."""
    stale = {name: Moved(**_lists(one)) for name, one in found.get("stale", {}).items()}
    answer: dict[str, Any] = _prefixed(found, "")
    return {**answer, "stale": _moved(stale).to_dict()}


def _lists(moved: dict[str, Any]) -> dict[str, Any]:
    kinds = ("added", "changed", "removed", "unchecked")
    return {kind: tuple(v) if isinstance(v := moved[kind], list) else v for kind in kinds}


def _prefixed(value: Any, around: str) -> Any:
    if isinstance(value, dict):
        own = value.get("repository") or around
        return {
            key: f"{own}:{one}" if key in PLACES and one and own else _prefixed(one, own)
            for key, one in value.items()
            if key != "repository" and key != "stale"
        }
    if isinstance(value, list | tuple):
        return [_prefixed(one, around) for one in value]
    return value


def _hit(one: WorkspaceHit) -> Hit:
    name = one.repository
    evidence = tuple(
        msgspec.structs.replace(each, path=f"{name}:{each.path}") for each in one.evidence
    )
    values = {key: getattr(one, key) for key in Hit.__struct_fields__}
    copies = (
        *(f"{name}:{path}" for path in one.copies),
        *(f"{at.repository}:{at.path}" for at in one.also),
    )
    return Hit(**{**values, "path": f"{name}:{one.path}", "evidence": evidence, "copies": copies})


def _passage(one: WorkspacePassage) -> Passage:
    values = {key: getattr(one, key) for key in Passage.__struct_fields__}
    links = tuple(
        msgspec.structs.replace(each, path=f"{one.repository}:{each.path}") for each in one.links
    )
    return Passage(**{**values, "path": f"{one.repository}:{one.path}", "links": links})


def _moved(stale: dict[str, Moved]) -> Moved:
    """Returns what moved in any repository."""
    kinds: dict[str, Any] = {
        kind: tuple(f"{name}:{path}" for name, one in stale.items() for path in getattr(one, kind))
        for kind in ("added", "changed", "removed")
    }
    unchecked = sum(one.unchecked for one in stale.values())
    return Moved(**kinds, unchecked=unchecked)
