"""Adds to `who` and `show` what the code of testbenches does with a class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hdlgraph.model import NodeKind
from hdlgraph.model.kinds import EdgeKind, relation
from hdlgraph.query.verification.benches import class_dict
from hdlgraph.query.verification.library import Class
from hdlgraph.query.verification.links import Link, link_record, placer

if TYPE_CHECKING:
    from hdlgraph.query.verification.find import Verification

CLASS = NodeKind.CLASS.value


def users(known: Verification | None, targets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns who creates, overrides, starts or sends to the classes among targets of `who`."""
    if known is None:
        return []
    found = []
    for target in targets:
        for one in _classes(known, target):
            for link in known.described.links.into(one):
                edge = _edge(link, link.source, relation(link.kind).forward)
                found.append({**edge, "target": target["id"]})
            found += [{**edge, "target": target["id"]} for edge in _placed(known, one)]
    return found


def _placed(known: Verification, one: Class) -> Iterator[dict[str, Any]]:
    """Yields the classes whose code puts a class in the place of another."""
    for link in known.described.links.out(one):
        if link.kind == EdgeKind.OVERRIDES:
            words = f"puts it in the place of {link.target.name}"
            yield _edge(link, placer(known.library, link), words)


def _classes(known: Verification, node: dict[str, Any]) -> list[Class]:
    if node.get("kind") != CLASS:
        return []
    name = str(node["name"]).rpartition(".")[2]
    return [one for one in known.library.named(name) if one.path == node["path"]]


def _edge(link: Link, user: Class, words: str) -> dict[str, Any]:
    return {
        "kind": str(link.kind),
        "user": f"{CLASS}:{user.path}#{user.name}",
        "user_name": user.name,
        "user_kind": CLASS,
        "words": words,
        **link_record(link),
    }


def described(
    known: Verification | None, found: dict[str, Any], limit: int | None
) -> dict[str, Any]:
    """Returns an answer of `show` in which each class has its `verification`."""
    if known is not None:
        for one in found.get("definitions", ()):
            for of in _classes(known, one)[:1]:
                one["verification"] = _part(known, of, limit)
    return found


def _part(known: Verification, of: Class, limit: int | None) -> dict[str, Any]:
    library, links = known.library, known.described.links
    return {
        "role": library.role(of)[0],
        "chain": [class_dict(library, one) for one in library.chain(of)[1:]],
        "edges": [_edge(link, link.target, relation(link.kind).forward) for link in links.out(of)][
            :limit
        ],
    }
