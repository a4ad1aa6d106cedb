"""Reads YAML as a tree of nodes with their lines, within limits of size, number and depth.

A settings.yaml may have come with a repository: nesting would end Python's stack, and aliases
of aliases stand for more values than memory holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from hdlgraph.errors import SettingsError

BYTES = 256_000
"""Larger files are not read."""
NODES = 20_000
"""Most values of a file, each counted as often as aliases repeat it."""
DEPTH = 50
"""Most values that stand within each other."""


class _Loader(yaml.SafeLoader):
    """Composes nodes, not beyond the limits."""

    depth = 0
    nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Returns the next node."""
        self.nodes += 1
        self.depth += 1
        if self.depth > DEPTH or self.nodes > NODES:
            limit = f"{NODES} values" if self.nodes > NODES else f"{DEPTH} levels"
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, f"more than {limit}", mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def compose(text: str, path: Path) -> yaml.Node | None:
    """Returns the tree of a YAML text, None of an empty one.

    Raises:
        SettingsError: it is no YAML or beyond the limits; the message ends with the place.
    """
    try:
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        line = f":{mark.line + 1}" if mark else ""
        raise SettingsError(f"not valid YAML: {problem}; correct {path}{line}") from error
    if root is not None:
        _check(root, path)
    return root


def _check(root: yaml.Node, path: Path) -> None:
    """Raises SettingsError where aliases make more of the tree than the limits allow."""
    count = 0
    stack = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        count += 1
        if count > NODES or depth > DEPTH:
            place = f"{path}:{node.start_mark.line + 1}"
            raise SettingsError(f"aliases repeat too many values; write them out ({place})")
        stack += [(inner, depth + 1) for inner in _inner(node)]


def _inner(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.SequenceNode):
        yield from node.value
    elif isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from pair


def values_of(node: yaml.Node | None) -> Any:
    """Returns the plain values of a tree.

    Raises:
        yaml.YAMLError: a value is not what its tag says.
        ValueError: likewise, a number of too many digits for one.
    """
    return None if node is None else yaml.constructor.SafeConstructor().construct_document(node)
