"""Which kind of relation a known form of a question asks for."""

from __future__ import annotations

from collections.abc import Sequence

from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.sought import Sought

KIND: dict[Sought, str] = {
    Sought.CHILDREN: "child", Sought.PARENTS: "parent", Sought.HOLDERS: "parent",
    Sought.TESTS: "tested", Sought.TESTED: "tested", Sought.BETWEEN: "join",
    Sought.DRIVERS: "drives", Sought.UPSTREAM: "drives", Sought.READERS: "reads",
    Sought.DOWNSTREAM: "reads", Sought.NEIGHBOURS: "join", Sought.MIDDLE: "between",
    Sought.CLOCKED: "clocked", Sought.RESET: "clocked", Sought.CLOCKS: "clocked",
    Sought.RESETS: "clocked", Sought.DEFINITION: "declared", Sought.STATE_OWNER: "state",
    Sought.IMPORTERS: "imports", Sought.IMPORTED: "imports", Sought.BASES: "extends",
    Sought.DERIVED: "extends", Sought.BOUND: "binds", Sought.BIND_TARGETS: "binds",
    Sought.CONFIGURED: "configured", Sought.SETTINGS: "configured",
}  # fmt: skip
SURE = 0.9
"""Probability of the kind of a form that answers."""


def of_form(sought: Sought, likely: Sequence[float]) -> tuple[float, ...]:
    """Returns the probabilities of KINDS where a form answers: mostly the kind that it asks for.

    Args:
        sought: what the form asks for.
        likely: the probabilities by the words.
    """
    rest = (1 - SURE) / max(sum(likely), 1.0)
    return tuple(
        SURE if kind == KIND[sought] else one * rest
        for kind, one in zip(KINDS, likely, strict=True)
    )
