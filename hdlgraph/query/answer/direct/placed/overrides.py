"""Finds the values that instances give a parameter, and the instances that leave its default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.graph.graph import Graph
from hdlgraph.model import EdgeKind, NodeKind
from hdlgraph.query.answer.facts.page import FactPage
from hdlgraph.query.answer.facts.settings import until
from hdlgraph.query.reach.numbers import NoNumberError, value

DEEP = 4  # parameters that follow from each other
_PARAMETER, _INSTANCE = NodeKind.PARAMETER.value, NodeKind.INSTANCE.value


class Given(NamedTuple):
    """An instance, its unit, and the value of one parameter of it.

    The place is where the instance gives the value; where it leaves the default, where it stands.
    `declared` is the place of the parameter.
    """

    instance: str
    unit: str
    parameter: str
    value: str
    path: str
    line: int
    is_default: bool
    declared: tuple[str, int]

    @property
    def parent(self) -> str:
        """Returns the unit around the instance."""
        return self.instance.partition(".")[0]


def parameters(graph: Graph, name: str) -> list[int]:
    """Returns the rows of the parameters of a name that instances may set."""
    nodes = graph.nodes
    kinds, names, details = (nodes.column(key) for key in ("kind", "name", "detail"))
    return [
        row
        for row in graph.ending(name)
        if kinds[row] == _PARAMETER
        and names[row].rpartition(".")[2] == name
        and details[row].startswith("parameter")
        and nodes.column("path")[row]
    ]


def parameters_of(graph: Graph, unit: str) -> list[int]:
    """Returns the rows of the parameters of a unit that instances may set, by place."""
    nodes = graph.nodes
    kinds, names, details = (nodes.column(key) for key in ("kind", "name", "detail"))
    return [
        row
        for row, kind in enumerate(kinds)
        if kind == _PARAMETER
        and names[row].rpartition(".")[0] == unit
        and details[row].startswith("parameter")
    ]


def given(graph: Graph, row: int) -> Iterator[Given]:
    """Yields what each instance gives a parameter, then those that leave it at its default."""
    nodes, edges = graph.nodes, graph.edges
    names, kinds = nodes.column("name"), nodes.column("kind")
    sources, relations = edges.column("source"), edges.column("kind")
    unit, _, parameter = names[row].rpartition(".")
    declared = nodes.column("path")[row], nodes.column("line")[row]
    known = set[int]()
    for edge in graph.in_edges(row).tolist():
        at = sources[edge]
        if relations[edge] == EdgeKind.PARAMETERIZES.value and kinds[at] == _INSTANCE:
            known.add(at)
            text = edges.column("text")[edge]
            place = edges.column("path")[edge], edges.column("line")[edge]
            yield Given(names[at], unit, parameter, text, *place, False, declared)
    default = nodes.column("detail")[row].partition("=")[2].strip()
    for owner in graph.ending(unit) if default else ():
        for edge in graph.in_edges(owner).tolist() if names[owner] == unit else ():
            at = sources[edge]
            is_one = relations[edge] == EdgeKind.INSTANTIATES.value and at not in known
            if is_one and kinds[at] == _INSTANCE and nodes.column("path")[owner] == declared[0]:
                place = nodes.column("path")[at], nodes.column("line")[at]
                yield Given(names[at], unit, parameter, default, *place, True, declared)


def tell(page: FactPage, one: Given, before: str, after: str = "") -> None:
    """Adds a sentence that an instance sets a parameter, or that its default stands.

    Args:
        page: the answer so far.
        one: the instance and the value.
        before: what stands before it, such as "- ".
        after: what follows from it; it stands behind the citation.
    """
    label = one.instance.rpartition(".")[2]
    statement = page.instance(one.path, one.line)
    if one.is_default:
        unit = statement.unit if statement is not None else one.unit
        page.fact(
            f"{before}{one.parent} instantiates {unit} as {label}",
            *((unit, label), one.path, one.line),
        )
        page.fact(
            f"{' ' * len(before)}{one.parameter} defaults to {one.value}",
            *((one.parameter,), *one.declared),
        )
    elif statement is None:
        page.fact(
            f"{before}{one.parent} sets {one.parameter} of {label} to {one.value}",
            *((one.parameter,), one.path, one.line),
        )
    else:
        last = max(until(page, one.path, statement, one.parameter), one.line)
        page.state(
            f"{before}{one.parent} sets {one.parameter} of {label} to {one.value}",
            *(one.path, statement.line, last),
        )
    if after:
        page.lines[-1] += after


def number_of(
    graph: Graph, text: str, unit: str, names: list[str] | None = None, deep: int = DEEP
) -> int | None:
    """Returns the value of an expression by the defaults of a unit's parameters, None if unclear.

    A name of no parameter of the unit is a constant of a package, where only one is called so.
    The parameters that instances may set are added to `names`.
    """

    def known(name: str) -> int:
        found = _default(graph, name, unit) if deep else -1
        detail = graph.nodes.column("detail")[found] if found >= 0 else ""
        owner = graph.nodes.column("name")[found].rpartition(".")[0] if found >= 0 else ""
        number = number_of(graph, detail.partition("=")[2].strip(), owner, names, deep - 1)
        if number is None:
            raise NoNumberError(name)
        if names is not None and detail.startswith("parameter") and not _is_package(graph, owner):
            names.append(name)
        return number

    try:
        return value(text, known)
    except NoNumberError:
        return None


def _default(graph: Graph, name: str, unit: str) -> int:
    """Returns the row of the parameter that a unit means by a name, -1 where that is unclear."""
    nodes = graph.nodes
    names = nodes.column("name")
    scope, _, last = name.replace(" ", "").rpartition("::")
    rows = [
        row
        for row in graph.ending(last)
        if nodes.column("kind")[row] == _PARAMETER and names[row].rpartition(".")[2] == last
    ]
    own = [row for row in rows if names[row].rpartition(".")[0] == (scope or unit)]
    if own or scope:
        return own[0] if own else -1
    shared = [row for row in rows if _is_package(graph, names[row].rpartition(".")[0])]
    return shared[0] if len(shared) == 1 else -1


def _is_package(graph: Graph, name: str) -> bool:
    kinds, names = graph.nodes.column("kind"), graph.nodes.column("name")
    package = NodeKind.PACKAGE.value
    return any(kinds[row] == package and names[row] == name for row in graph.ending(name))


def same(graph: Graph, wanted: str, one: Given) -> bool:
    """Returns whether a value is the wanted one, as written or as a number."""
    if _plain(wanted) == _plain(one.value):
        return True
    unit = one.unit if one.is_default else one.parent
    numbers = [number_of(graph, text, unit, deep=0) for text in (wanted, one.value)]
    return numbers[0] is not None and numbers[0] == numbers[1]


def _plain(text: str) -> str:
    return "".join(text.split()).strip("\"'")
