"""Answers a question for a relation through the typed edges of the design graph."""

from __future__ import annotations

from collections.abc import Callable

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.relations import declared, hierarchy, nets
from hdlgraph.query.relations.answer import Found
from hdlgraph.query.relations.asked import Asked, Sought
from hdlgraph.query.relations.design import NETS
from hdlgraph.query.relations.hierarchy import stated
from hdlgraph.query.relations.resolve import Resolver

Answering = Callable[[Asked, Resolver], Found]
ANSWERS: dict[Sought, Answering] = {
    Sought.CHILDREN: hierarchy.children,
    Sought.PARENTS: hierarchy.parents,
    Sought.TESTS: hierarchy.tests,
    Sought.TESTED: hierarchy.tested,
    Sought.BETWEEN: hierarchy.between,
    Sought.DRIVERS: nets.ends,
    Sought.READERS: nets.ends,
    Sought.UPSTREAM: nets.passed,
    Sought.DOWNSTREAM: nets.passed,
    Sought.NEIGHBOURS: nets.neighbours,
    Sought.CLOCKED: nets.clocked,
    Sought.RESET: nets.clocked,
    Sought.CLOCKS: nets.clocks,
    Sought.RESETS: nets.clocks,
    Sought.DEFINITION: declared.definition,
    Sought.STATE_OWNER: declared.states,
    Sought.IMPORTERS: declared.imports,
    Sought.IMPORTED: declared.imports,
    Sought.BASES: declared.extends,
    Sought.DERIVED: declared.extends,
    Sought.BOUND: declared.binds,
    Sought.BIND_TARGETS: declared.binds,
    Sought.CONFIGURED: declared.configured,
    Sought.SETTINGS: declared.settings,
}
"""What answers each relation; another one is a member of `Sought`, its forms, and a line here."""

SURE_TOP = {1.0: 0.42, 0.8: 0.5, 0.6: 0.97}
"""Sureness of a form -> the weight that its best answer must have."""


def answers(asked: Asked, resolver: Resolver) -> Found | None:
    """Returns what answers a question, None where nothing does with enough certainty."""
    if asked.sought == Sought.PARENTS:
        found = _users(asked, resolver) or hierarchy.parents(asked, resolver)
    else:
        found = ANSWERS[asked.sought](asked, resolver)
    return found if found.weight and found.sure >= SURE_TOP[asked.sure] else None


def _users(asked: Asked, resolver: Resolver) -> Found | None:
    """Returns the users of what is written by name and is no unit; None for units."""
    design = resolver.design
    named = resolver.named(asked.name)
    kinds = {design.kinds[one.row] for one in named}
    if not named or any(is_unit(kind) and kind != NodeKind.PACKAGE.value for kind in kinds):
        return None
    if NodeKind.INSTANCE.value in kinds or NodeKind.FILE.value in kinds:
        return None
    found = Found()
    if kinds & NETS:
        return nets.ends(Asked(Sought.READERS, asked.name, type=asked.type), resolver)
    uses = (EdgeKind.USES.value, EdgeKind.IMPORTS.value, EdgeKind.PARAMETERIZES.value)
    for one in named:
        found.mean(one.weight)
        for fact in design.into(one.row, *uses):
            said = [stated(design, fact.edge)]
            found.add(design.file_of(said[0].path), one.weight, said)
    return found if found.weight else None
