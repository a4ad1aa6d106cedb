"""Answers where types are defined, who imports, extends, binds, and what a setting configures."""

from __future__ import annotations

import re

from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.relations.design import INSTANCE, SETTINGS, Design, Fact
from hdlgraph.query.relations.found import Found, Stated
from hdlgraph.query.relations.hierarchy import stated, typed
from hdlgraph.query.relations.resolve import Candidate, Resolver
from hdlgraph.query.relations.sought import Asked, Sought

BINDS, EXTENDS = EdgeKind.BINDS.value, EdgeKind.EXTENDS.value
IMPORTS, USES = EdgeKind.IMPORTS.value, EdgeKind.USES.value
LOCAL = 0.85
"""Weight of a type that a module declares for itself: people mostly ask for those of packages."""
UNIT_ASKED = 0.6
"""Share of the weight of a file with a bind, where the unit is asked for into which it binds."""
_NAME = re.compile(r"[A-Za-z_]\w*")
INSTANTIATES, SETS = EdgeKind.INSTANTIATES.value, EdgeKind.PARAMETERIZES.value
GUARDED_BY = EdgeKind.GUARDED_BY.value


def definition(asked: Asked, resolver: Resolver) -> Found:
    """Returns the files that define the types, macros or other named things of a phrase."""
    design, found = resolver.design, Found()
    for one in resolver.types(asked.name) or resolver.named(asked.name):
        found.mean(one.weight)
        said = f"{design.names[one.row]} is defined"
        line = design.graph.nodes.column("line")[one.row]
        uses = sum(1 for _ in zip(range(10), design.into(one.row, USES), strict=False))
        weight = one.weight * (0.9 + 0.01 * uses)
        if design.kinds[design.owner(one.row)] == NodeKind.MODULE.value:
            weight *= LOCAL
        found.add(design.file(one.row), weight, [Stated(design.paths[one.row], line, said)])
    return found


def states(asked: Asked, resolver: Resolver) -> Found:
    """Returns the files of the types that have a state, and of the units that use them."""
    design, found = resolver.design, Found()
    for word in resolver.phrase(asked.name).identifiers or (asked.name,):
        for row in design.of_kind(frozenset({NodeKind.TYPE.value})):
            details = design.details[row]
            if word not in details or word not in _NAME.findall(details):
                continue
            line = design.graph.nodes.column("line")[row]
            said = Stated(design.paths[row], line, f"{design.names[row]} has the state {word}")
            users = [fact for fact in design.into(row, USES) if design.is_unit[fact.row]]
            found.mean(1.0)
            found.add(design.file(row), 0.9 if users else 1.0, [said])
            for fact in users:
                found.add(design.file(fact.row), 1.0, [stated(design, fact.edge), said])
    return found


def imports(asked: Asked, resolver: Resolver) -> Found:
    """Returns who imports a package, or the packages that a unit imports."""
    design, found = resolver.design, Found()
    package = NodeKind.PACKAGE.value
    if asked.sought == Sought.IMPORTERS:
        ones = resolver.units(asked.name, lambda row: design.kinds[row] == package, packages=True)
        for one in ones:
            found.mean(one.weight, design.file(one.row))
            for fact in design.into(one.row, IMPORTS):
                found.add(design.file(fact.row), one.weight, [stated(design, fact.edge)])
        return found
    for one in resolver.units(asked.name, lambda row: any(design.out(row, IMPORTS)), packages=True):
        found.mean(one.weight, design.file(one.row))
        for fact in design.out(one.row, IMPORTS):
            weight = one.weight * (0.8 + 0.2 * _rare(design, fact.row))
            found.add(design.file(fact.row), weight, [stated(design, fact.edge)])
        found.add(design.file(one.row), one.weight * 0.5, ())
    return found


def _rare(design: Design, row: int) -> float:
    """Returns how few import a package, 0 to 1."""
    return float((1 + sum(1 for _ in design.into(row, IMPORTS))) ** -0.5)


def extends(asked: Asked, resolver: Resolver) -> Found:
    """Returns the classes that a class extends, or those that extend it."""
    design, found = resolver.design, Found()
    up = asked.sought == Sought.BASES
    for one in resolver.classes(asked.name):
        facts = list(design.out(one.row, EXTENDS) if up else design.into(one.row, EXTENDS))
        if facts:
            found.mean(one.weight, design.file(one.row))
        fits = resolver.fit(asked.type, [f.row for f in facts]) if asked.type and not up else {}
        for fact in facts:
            weight = one.weight * (typed(fits, fact.row) if fits else 1.0)
            found.add(design.file(fact.row), weight, [stated(design, fact.edge)])
        if facts and up:
            found.add(design.file(one.row), one.weight * 0.6, [stated(design, facts[0].edge)])
    return found


def binds(asked: Asked, resolver: Resolver) -> Found:
    """Returns what is bound into a unit and where, or the units into which one is bound."""
    design, found = resolver.design, Found()
    into = asked.sought == Sought.BOUND

    def bound(row: int) -> bool:
        return any(design.out(row, BINDS) if into else design.into(row, BINDS))

    for one in resolver.units(asked.name, bound):
        facts = list(design.out(one.row, BINDS) if into else design.into(one.row, BINDS))
        found.mean(one.weight, design.file(one.row))
        units = [fact.row for fact in facts if design.is_unit[fact.row]]
        fits = resolver.fit(asked.type, units) if asked.type else {}
        for fact in facts:
            of_file = design.kinds[fact.row] == NodeKind.FILE.value
            aside = UNIT_ASKED if not into else 0.9
            weight = one.weight * (aside if of_file != asked.place else 1.0)
            weight *= typed(fits, fact.row) if fact.row in fits else 1.0
            said = [stated(design, fact.edge)]
            found.add(design.file(fact.row), weight, said)
            found.add(
                design.file_of(said[0].path), weight * (1.1 if asked.place else 0.8 * aside), said
            )
    return found


def configured(asked: Asked, resolver: Resolver) -> Found:
    """Returns what parameters or macros switch on, size, or are given to."""
    design, found = resolver.design, Found()
    within = {one.row for one in resolver.units(asked.other)[:3]} if asked.other else set()
    by_name: dict[str, Candidate] = {}
    for one in resolver.settings(asked.name):
        by_name.setdefault(design.last(one.row), one)
        found.mean(one.weight)
        _add_setting(one, resolver, found, 0.6 if asked.type else 1.0)
    for word in resolver.phrase(asked.name).identifiers:
        by_name.setdefault(word, Candidate(-1, 1.0, True))
    facts: dict[int, tuple[Fact, float]] = {}
    weights: dict[int, float] = {}
    for name, one in by_name.items():
        for row in design.conditional_on.get(name, ()):
            weights[row] = max(weights.get(row, 0.0), one.weight)
    for row, best in sorted(weights.items()):
        if best:
            found.mean(best)
            best *= 1.0 if not within or design.owner(row) in within else 0.5
            facts.update({f.edge: (f, best) for f in design.out(row, INSTANTIATES)})
    rows = [fact.row for fact, _ in facts.values()]
    fits = resolver.fit(asked.type, rows) if asked.type else {}
    for fact, best in facts.values():
        said = stated(design, fact.edge)
        instance = design.sources[fact.edge]
        line = [said._replace(text=f"{said.text}, if {design.details[instance][:120]}")]
        weight = best * (typed(fits, fact.row) if asked.type else 1.0)
        found.add(design.file(fact.row), weight, line)
        found.add(design.file(design.owner(instance)), best * 0.7, line)
    return found


def settings(asked: Asked, resolver: Resolver) -> Found:
    """Returns where the parameters or macros stand that switch a unit on, or are about it."""
    design, found = resolver.design, Found()
    for one in resolver.settings(asked.name):
        found.mean(one.weight)
        line = design.graph.nodes.column("line")[one.row]
        said = [Stated(design.paths[one.row], line, f"{design.names[one.row]} is declared")]
        found.add(design.file(one.row), one.weight, said)
    for one in resolver.units(asked.name, design.parents):
        for fact in design.into(one.row, INSTANTIATES):
            if design.kinds[fact.row] != INSTANCE or not design.details[fact.row]:
                continue
            found.mean(one.weight)
            said = [stated(design, fact.edge)]
            said = [said[0]._replace(text=f"{said[0].text}, if {design.details[fact.row][:120]}")]
            found.add(design.file(fact.row), one.weight, said)
            for name in _NAME.findall(design.details[fact.row]):
                for row in design.called.get(name.lower(), ()):
                    if design.kinds[row] in SETTINGS and design.last(row) == name:
                        found.add(design.file(row), one.weight * 0.85, said)
    return found


def _add_setting(one: Candidate, resolver: Resolver, found: Found, share: float) -> None:
    """Adds the unit that declares a setting, and the units that are given it."""
    design = resolver.design
    line = design.graph.nodes.column("line")[one.row]
    said = [Stated(design.paths[one.row], line, f"{design.names[one.row]} is declared")]
    owner = design.owner(one.row)
    found.add(design.file(owner), one.weight * share * 0.75, said)
    for fact in design.into(one.row, USES, GUARDED_BY):
        found.add(design.file(fact.row), one.weight * share * 0.6, [stated(design, fact.edge)])
    for fact in design.into(one.row, SETS):
        found.add(design.file(owner), one.weight * share * 0.8, [stated(design, fact.edge)])
