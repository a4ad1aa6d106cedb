"""How a kind of edge reads in each direction, and which kinds make their source a user."""

from __future__ import annotations

from hdlgraph.model import EdgeKind

WORDS = {
    EdgeKind.DEFINES.value: ("defines", "defined by"),
    EdgeKind.INSTANTIATES.value: ("instantiates", "instantiated by"),
    EdgeKind.BINDS.value: ("binds", "bound by"),
    EdgeKind.IMPORTS.value: ("imports", "imported by"),
    EdgeKind.INCLUDES.value: ("includes", "included by"),
    EdgeKind.EXTENDS.value: ("extends", "extended by"),
    EdgeKind.USES.value: ("uses", "used by"),
    EdgeKind.CONNECTS.value: ("connects to", "connected from"),
    EdgeKind.PARAMETERIZES.value: ("parameterizes", "parameterized by"),
    EdgeKind.IMPLEMENTS.value: ("implements", "implemented by"),
}
"""What the source does to the target, and what the target is to the source."""

USER_KINDS = (
    EdgeKind.INSTANTIATES.value,
    EdgeKind.BINDS.value,
    EdgeKind.IMPORTS.value,
    EdgeKind.INCLUDES.value,
    EdgeKind.EXTENDS.value,
    EdgeKind.USES.value,
    EdgeKind.CONNECTS.value,
    EdgeKind.PARAMETERIZES.value,
    EdgeKind.IMPLEMENTS.value,
)
"""Kinds of edges whose source uses their target, in the order in which uses are listed."""


def words(kind: str, forward: bool) -> str:
    """Returns what an edge says, read from its source (`forward`) or from its target."""
    plain = kind.lower().replace("_", " ")
    return WORDS.get(kind, (plain, f"{plain} from"))[0 if forward else 1]
