"""What is kept of a graph and of its signals gives what a search of all of it gives."""

from __future__ import annotations

import gc
import re
import weakref
from pathlib import Path

import hypothesis.strategies as st
import pytest
from _graphs import design_graph
from hypothesis import given, settings

from hdlgraph.graph.graph import Graph
from hdlgraph.graph.kept import in_turn, kept, open_graph, rows_by
from hdlgraph.project import Project
from hdlgraph.query.answer.passages.view import lines_with
from hdlgraph.query.design.between.passing import Passing
from hdlgraph.query.reach import maps
from hdlgraph.query.signals.access import loads
from hdlgraph.query.signals.resolve import Point
from hdlgraph.query.signals.trace import follow


def test_what_is_made_of_a_graph_is_made_once_and_goes_with_it():
    made = []

    @kept
    def names(graph: Graph) -> list[str]:
        made.append(graph.nodes)
        return graph.nodes.column("name")

    like = design_graph()
    one, other = (Graph.of(list(like.nodes), list(like.edges)) for _ in range(2))
    assert names(one) is names(one)
    assert names(other) is not names(one)
    assert len(made) == 2
    made.clear()
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


def test_rows_of_several_keys_come_in_the_order_of_the_table():
    found = rows_by([(0, "b"), (1, "a"), (2, "b"), (2, "a")])
    assert list(in_turn(found, ["a", "b", "c"])) == [0, 1, 2]


def test_a_generation_s_graph_is_open_once(tmp_path: Path):
    design_graph().save(tmp_path)
    checked = []
    first = open_graph(tmp_path, "one", lambda *names: checked.append(names))
    assert open_graph(tmp_path, "one", lambda *names: checked.append(names)) is first
    assert open_graph(tmp_path, "two", lambda *names: checked.append(names)) is not first
    assert len(checked) == 2


def test_search_and_exact_answers_read_one_graph(soc_project: Project):
    from hdlgraph.query.relations.design import design_of

    with soc_project._open().searching() as searcher:
        design = searcher.index.part(design_of)
    assert design is not None
    assert design.graph is soc_project.graph()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("abAB_ .", max_size=8), min_size=1, max_size=6),
    st.sets(st.text("abAB_", min_size=1, max_size=3), min_size=1, max_size=4),
)
def test_lines_with_finds_what_a_pattern_finds(lines: list[str], parts: set[str]):
    pattern = re.compile("|".join(map(re.escape, sorted(parts))), re.I)
    assert lines_with(lines, parts) == [
        number for number, line in enumerate(lines, 1) if pattern.search(line)
    ]


PIECES = ("addr", "x.addr", " >= ", ">=", "BASE", "'h10", " && ", "&&(", " < ", "<=", "END + 1",
          "(", ")", " & ~", "&~(", "MASK", ") == ", "==", "\n", "1a")  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_a_part_of_a_pattern_stands_in_all_that_the_pattern_finds(code: str):
    for part, whole in ((maps._IN_RANGE, maps._RANGE), (maps._IN_MASKED, maps._MASKED)):
        assert [one.span() for one in maps._found(part, whole, code)] == [
            one.span() for one in whole.finditer(code)
        ]


@pytest.mark.parametrize(
    "code", ["if (addr >= BASE && addr < END)", "hit = ((addr & ~MASK) == BASE);"]
)
def test_comparisons_of_addresses_are_found(code: str):
    pairs = ((maps._IN_RANGE, maps._RANGE), (maps._IN_MASKED, maps._MASKED))
    assert any(list(maps._found(part, whole, code)) for part, whole in pairs)


def test_what_a_signal_leads_on_to_is_the_same_when_it_is_known(soc_project: Project):
    design = soc_project._signals()
    asked = [(unit.id, port[0]) for unit in design.flows.units for port in unit.ports[:4]]
    first = [Passing(design)(*one) for one in asked]
    again = Passing(design)
    assert [again(*one) for one in reversed(asked)] == first[::-1]
    assert [plain(design, *one) for one in asked] == first
    assert any(first)


def plain(design, unit: str, port: str) -> frozenset[str]:
    """Returns the ports that a value at a port gets to, nothing of it kept."""
    begin = [Point(row, port) for row in design.units(unit)]
    came, found = {*begin}, set()
    waiting = list(begin)
    for point in waiting:
        if point.row == begin[0].row and point.signal != port:
            found |= {point.signal} & {*design.view(point.row).ports}
        for access in loads(design, point.row, point.signal):
            for one in follow(design, point, access)[0]:
                if one not in came:
                    came.add(one)
                    waiting.append(one)
    return frozenset(found)
