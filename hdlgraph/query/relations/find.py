"""Answers a question for a relation through the typed edges of the design graph."""

from __future__ import annotations

from collections.abc import Callable

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.design.names import is_unit
from hdlgraph.query.mentions.lines import holding, is_inner, owner_of, seeing
from hdlgraph.query.relations import declared, hierarchy, nets
from hdlgraph.query.relations.design import NETS
from hdlgraph.query.relations.found import Found, Stated
from hdlgraph.query.relations.hierarchy import stated
from hdlgraph.query.relations.readings import around
from hdlgraph.query.relations.resolve import Candidate, Resolver
from hdlgraph.query.relations.sought import Asked, Sought
from hdlgraph.words import identifier_terms

USES = (
    *(EdgeKind.USES.value, EdgeKind.IMPORTS.value),
    *(EdgeKind.PARAMETERIZES.value, EdgeKind.GUARDED_BY.value),
)
EXPRESSED = frozenset({NodeKind.PARAMETER.value, NodeKind.FUNCTION.value, NodeKind.TASK.value})
"""What is used inside of expressions, for which the graph has no edges."""
MOST, LINES = 4, 3
"""Definitions of one name whose uses are looked for, and lines of a file that are told."""
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
    Sought.HOLDERS: around.holders,
    Sought.MIDDLE: around.middle,
}
"""What answers each relation; another one is a member of `Sought`, its forms, and a line here."""

SURE_TOP = {1.0: 0.42, 0.8: 0.5, 0.6: 0.97}
"""Sureness of a form -> the weight that its best answer must have."""


def answers(asked: Asked, resolver: Resolver) -> Found | None:
    """Returns what answers a question, None where nothing does with enough certainty."""
    found = looked_up(asked, resolver)
    return found if found.weight and found.sure >= SURE_TOP[asked.sure] else None


def looked_up(asked: Asked, resolver: Resolver) -> Found:
    """Returns what answers a question, with however little certainty."""
    if asked.sought == Sought.PARENTS:
        return _users(asked, resolver) or hierarchy.parents(asked, resolver)
    return ANSWERS[asked.sought](asked, resolver)


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
    for one in named:
        found.mean(one.weight)
        for fact in design.into(one.row, *USES):
            said = [stated(design, fact.edge)]
            found.add(design.file_of(said[0].path), one.weight, said)
    if kinds <= EXPRESSED:
        _named_in(named, resolver, found)
    return found if found.weight else None


def _named_in(named: list[Candidate], resolver: Resolver, found: Found) -> None:
    """Adds the lines that name parameters and routines where they are visible, by the words alone.

    Those of a module are visible inside of it, others where their package is imported or included.
    """
    design, lexicon = resolver.design, resolver.lexicon
    lines = design.graph.nodes.column("line")
    for one in named[:MOST]:
        name, home = design.last(one.row), design.paths[one.row]
        owner = owner_of(design.graph, one.row)
        inner = is_inner(design.graph, owner)
        seen = {home} if inner else {home, *seeing(design.graph, owner, home)}
        term = identifier_terms(name)[1] or name.lower()
        for path in holding(lexicon, name):
            number = lexicon.number(path)
            told = lexicon.lines_of(number, term).tolist() if path in seen else []
            said = [Stated(path, line, f"{name} is named") for line in told
                    if path != home or line != lines[one.row]]  # fmt: skip
            if said:
                found.add(number, one.weight, said[:LINES])
