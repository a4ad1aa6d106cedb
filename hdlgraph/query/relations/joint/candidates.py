"""Collects the edges that may answer a question, by the kinds that it may ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from hdlgraph.model import NodeKind
from hdlgraph.query.relations.design import (
    CONNECTS,
    INSTANCE,
    NETS,
    SETTINGS,
    TYPES,
    Design,
)
from hdlgraph.query.relations.facts.logic import logic_of
from hdlgraph.query.relations.joint import inner, pairs
from hdlgraph.query.relations.joint.declared import declared
from hdlgraph.query.relations.joint.kinds import KINDS
from hdlgraph.query.relations.joint.pairs import Pair
from hdlgraph.query.relations.joint.sides import Words
from hdlgraph.query.relations.nets import is_clocking
from hdlgraph.query.relations.resolve import Resolver
from hdlgraph.store.design.flows import Flows

LEAST = 0.05
"""Probability from which the edges of a kind are looked up."""
NAMED, NETS_OF_NAME, NETTED, WITH_FILES = 12, 24, 10, 20
"""Units and nets that are written by name; first units whose ports are followed; units whose
files may include something."""
JOINED = 6
"""First units of which all that nets join to them may answer what is connected."""
AROUND = 10
"""Units in which nets are followed from part to part, besides those that are named."""
FILE = NodeKind.FILE.value
DECLARES = {"declared": (TYPES, SETTINGS), "configured": (SETTINGS,), "state": (TYPES,)}
"""What a file may declare that answers a kind."""


def by_word(words: Words, resolver: Resolver) -> dict[str, list[int]]:
    """Returns name -> the units and files that a question means by it."""
    design = resolver.design
    found: dict[str, list[int]] = {}
    for word in sorted(words.identifiers):
        name = word.rpartition("::")[2]
        own = found[word] = []
        for row in design.called.get(name, ()) or resolver.of_file(name) or resolver.misspelt(name):
            if design.kinds[row] == INSTANCE:
                targets = (fact.row for fact in design.out(row, "INSTANTIATES"))
                own += [one for one in targets if design.paths[one]]
            elif (design.is_unit[row] and design.paths[row]) or design.kinds[row] == FILE:
                own.append(row)
    return found


def candidates(
    likely: Sequence[float],
    units: list[int],
    by_name: list[int],
    words: Words,
    resolver: Resolver,
    flows: Flows | None,
) -> Iterator[tuple[int, Pair]]:
    """Yields (number of the kind, pair) for the edges around some units.

    Args:
        likely: the probability of each kind.
        units: what the question may mean, the likeliest first.
        by_name: what it writes by name.
        words: of the question.
        resolver: of the index.
        flows: of all units, None where the index has none.
    """
    design = resolver.design
    own = [row for row in by_name if design.is_unit[row]]
    every = list(dict.fromkeys([*own, *units]))
    first = every[: NETTED + len(own)]
    for kind, name in enumerate(KINDS):
        if likely[kind] > LEAST:
            for one in _of_kind(name, every, first, by_name, words, resolver, flows):
                yield kind, one


def _of_kind(
    name: str, every: list[int], first: list[int], by_name: list[int], words: Words,
    resolver: Resolver, flows: Flows | None,
) -> Iterator[Pair]:  # fmt: skip
    design = resolver.design
    if name == "child":
        yield from pairs.inside(design, every, first)
    elif name == "parent":
        yield from pairs.outside(design, every, first)
    elif name == "between":
        yield from pairs.joined(design, first)
        yield from pairs.between(design, first)
        yield from pairs.nested(design, first)
        yield from inner.outwards(design, first, words.says)
        around = _around(first, by_name, words, design)
        yield from _routed(around, by_name, words, resolver, flows)
    elif name == "imports":
        rows = [*every, *(row for row in by_name if not design.is_unit[row])]
        both = dict.fromkeys([*rows, *_files(rows[:WITH_FILES], design)])
        yield from pairs.stated_by(design, both, (pairs.IMPORTS, pairs.INCLUDES))
    elif name == "extends":
        yield from pairs.stated_by(design, every, (pairs.EXTENDS,))
        yield from pairs.namesakes(design, first)
    elif name == "binds":
        yield from pairs.stated_by(design, every, (pairs.BINDS,))
    elif name in ("declared", "configured", "state"):
        rows = [*by_name, *_named_parts(words, design), *first]
        kinds = (pairs.USES, pairs.GUARDED_BY) if name == "configured" else (pairs.USES,)
        yield from pairs.used(design, dict.fromkeys(rows), words.says, kinds)
        for wanted in DECLARES[name]:
            yield from declared(design, resolver, words, wanted)
        if name == "configured":
            yield from pairs.given(design, first, words.says, words.text)
            yield from inner.guarded(design, first, words.says, words.text)
            yield from pairs.namesakes(design, first)
    elif name == "tested":
        above = pairs.outside(design, every, first)
        yield from (one for one in above if one.asked >= 0 and resolver.tests(one.asked))
        yield from pairs.beside(design, first, resolver.tests)
    else:
        yield from _along_nets(name, first, words, design)


def _routed(
    around: list[int], by_name: Sequence[int], words: Words, resolver: Resolver,
    flows: Flows | None,
) -> Iterator[Pair]:  # fmt: skip
    """Yields the parts that stand between others in some units, by nets.

    In units that are written by name what no net puts there is found through statements too.
    """
    design = resolver.design
    direct = list(inner.routed(design, around, words))
    yield from direct
    known = {(one.asked, one.known) for one in direct}
    named = [row for row in around if row in by_name]
    by_logic = inner.routed(
        design, named, words, lambda row: logic_of(row, resolver, flows).derived
    )
    for one in by_logic:
        if (one.asked, one.known) not in known:
            yield one


def _along_nets(name: str, first: list[int], words: Words, design: Design) -> Iterator[Pair]:
    """Yields what drives, reads, clocks or joins the first units, and the nets that are named."""
    nets = _nets(words, design)
    if name in ("drives", "reads"):
        drive = name == "drives"
        ends = (pairs.passed(design, first, drive=drive),
                pairs.within(design, first, words.says, drive=drive),
                pairs.of_nets(design, nets, drive=drive))  # fmt: skip
        yield from inner.deeper(design, chain.from_iterable(ends), words.says, drive)
        yield from pairs.bundled(design, first)
    elif name == "join":
        yield from pairs.joined(design, first)
        found = [pairs.passed(design, first[:JOINED], drive=drive) for drive in (True, False)]
        found += [pairs.bundled(design, first), pairs.through(design, first, words.says)]
        yield from (one._replace(level=2) for one in chain.from_iterable(found))
        around = _around(first, (), words, design)
        yield from inner.wired(design, around, words)
        yield from inner.tied(design, around, words)
    elif name == "clocked":
        yield from pairs.passed(design, first, drive=True, clocking=True)
        yield from pairs.within(design, first, is_clocking, drive=True)
        yield from pairs.of_nets(design, nets, drive=True)
        read = (pairs.passed(design, first, drive=False, clocking=True),
                pairs.of_nets(design, nets, drive=False))  # fmt: skip
        yield from (one._replace(level=1) for one in chain.from_iterable(read))
        yield from inner.crossing(design, first)
        yield from inner.clocked_in(design, first)


def _around(
    first: Sequence[int], by_name: Sequence[int], words: Words, design: Design
) -> list[int]:
    """Returns the units in which parts may be joined: what is named, what holds it, the first ones.

    A net that is named counts with the units in which it is connected.
    """
    rows = [row for row in by_name if design.is_unit[row]]
    for net in _nets(words, design):
        rows += [design.owner(net), *(design.owner(f.row) for f in design.into(net, CONNECTS))]
    rows += first[:AROUND]
    for row in first[:AROUND]:
        rows += [fact.row for fact in design.parents(row)[:JOINED]]
    units = (row for row in rows if design.is_unit[row] and design.paths[row])
    return [*dict.fromkeys(row for row in units if len(design.children(row)) > 1)][: 3 * AROUND]


def _named_parts(words: Words, design: Design) -> list[int]:
    """Returns the types and settings that a question writes by name."""
    rows = (row for word in sorted(words.identifiers) for row in design.called.get(word, ()))
    return [row for row in rows if design.kinds[row] in TYPES | SETTINGS][:NETS_OF_NAME]


def _nets(words: Words, design: Design) -> list[int]:
    """Returns the nets that a question writes by name."""
    rows = (row for word in sorted(words.identifiers) for row in design.called.get(word, ()))
    return [row for row in rows if design.kinds[row] in NETS][:NETS_OF_NAME]


def _files(rows: Sequence[int], design: Design) -> list[int]:
    """Returns the nodes of the files of some units."""
    found = (design.graph.row(f"file:{design.paths[row]}") for row in rows)
    return [row for row in found if row >= 0]
