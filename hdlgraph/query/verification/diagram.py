"""Components of a testbench as a Mermaid flowchart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.query.verification.components import Joined, connections, tree
from hdlgraph.query.verification.library import Class, Library

if TYPE_CHECKING:
    from hdlgraph.query.verification.find import Verification

BOXES = 150
"""Components that are drawn."""
_STEERING = re.compile(r"[^\w .,:()\[\]-]")
_INDEX = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]")


def mermaid(known: Verification, name: str) -> str:
    """Returns the components below a class, or of the environments that exercise a unit.

    Raises:
        UsageError: nothing has the name, or it has no components.
    """
    roots = known.library.named(name.strip())
    if not roots:
        found = known.find(name)
        bench = [one for unit in found["found"] for one in unit.get("testbenches", ())][:1]
        roots = [
            one
            for each in bench
            for env in each["envs"]
            for one in known.library.named(env["name"])
            if one.path == env["path"]
        ]
    lines = ["flowchart LR"]
    for number, root in enumerate(roots):
        lines += _Drawn(known.library, f"r{number}").lines(root)
    if len(lines) == 1:
        raise UsageError(
            f"{name[:200]!r}: has no components; `hdlgraph testbench` tells what it is"
        )
    return "\n".join(lines) + "\n"


class _Drawn:
    """One tree: boxes of components inside each other, and arrows of TLM connections."""

    def __init__(self, library: Library, prefix: str) -> None:
        self.library, self.prefix = library, prefix
        self.ids: dict[str, str] = {}
        self.arrows: list[str] = []
        self.left = BOXES

    def lines(self, root: Class) -> list[str]:
        """Returns the lines of a tree; none where the root has no components."""
        node = tree(self.library, root)
        if not node["children"]:
            return []
        found = self._box(node, root, "", "    ")
        return [*found, *dict.fromkeys(self.arrows)]

    def _box(self, node: dict[str, Any], of: Class, path: str, indent: str) -> list[str]:
        self.left -= 1
        own = self.ids.setdefault(path, f"{self.prefix}_{len(self.ids)}")
        many = " []" if node.get("many") else ""
        label = f'"{_safe(node["name"])}{many}: {_safe(node["class"])}"'
        if not node["children"] or self.left <= 0:
            return [f"{indent}{own}[{label}]"]
        lines = [f"{indent}subgraph {own}[{label}]"]
        for child in node["children"]:
            if self.left > 0 and _joined(path, child["name"]) not in self.ids:
                where = child["location"].rpartition(":")[0] or of.path
                inner = self.library.meant(child["class"], where)
                lines += self._box(child, inner, _joined(path, child["name"]), indent + "    ")
        lines.append(f"{indent}end")
        self.arrows += [
            arrow for item in connections(self.library, of) if (arrow := self._arrow(item, path))
        ]
        return lines

    def _arrow(self, item: Joined, path: str) -> str:
        ends = []
        for end in (item.source, item.target):
            inner = "" if end.component == "this" else _INDEX.sub("", end.component)
            place = ".".join(part for part in (path, inner) if part)
            ends.append(self.ids.get(place, ""))
        label = _safe(f"{item.source.port} to {item.target.port}")
        return f'    {ends[0]} -->|"{label}"| {ends[1]}' if all(ends) else ""


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _safe(text: str) -> str:
    """Returns a text without what would end a label or a line of a diagram."""
    return " ".join(_STEERING.sub(" ", text).split())
