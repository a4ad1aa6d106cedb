"""Columns that stay as they are stored: texts found by hashes, values by row, rows by value."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.graph.called import SKIPPED, Called
from hdlgraph.model import NodeKind
from hdlgraph.query.best import best_first, few_best
from hdlgraph.store.tables import Table, grouped, hashed
from hdlgraph.store.tables.hashed import Hashed

NAMES = st.text(st.sampled_from("aBc_./ä0"), max_size=20)
KINDS = st.sampled_from(["module", NodeKind.FILE.value, *SKIPPED])


def stored(**columns: list) -> Table:
    """Returns a table as one that was read from disk."""
    return Table({}, Table(columns).to_arrow(("kind", "path"), ("line",)))


@given(st.lists(st.tuples(NAMES, KINDS), max_size=30))
def test_nodes_are_called_by_the_last_component_in_small_letters(nodes: list) -> None:
    names, kinds = [name for name, _ in nodes], [kind for _, kind in nodes]
    wanted: dict[str, list[int]] = {}
    for row, (name, kind) in enumerate(nodes):
        if kind not in SKIPPED:
            sign = "/" if kind == NodeKind.FILE.value else "."
            wanted.setdefault(name.rpartition(sign)[2].lower(), []).append(row)
    called = Called(stored(name=names, kind=kinds))
    assert {name: called[name] for name in wanted} == wanted
    assert called.get("nothing") == ()


@given(st.lists(NAMES, max_size=30), NAMES)
def test_a_text_has_the_rows_that_a_dictionary_has(texts: list[str], other: str) -> None:
    data, bounds = stored(name=texts).packed("name")
    found = Hashed(data, bounds[:-1], bounds[1:])
    for text in (*texts, other):
        assert found.find(text.encode()) == [n for n, one in enumerate(texts) if one == text]


@given(st.lists(st.tuples(NAMES, st.integers(-3, 9)), max_size=20))
def test_values_by_row_are_those_of_the_list(rows: list) -> None:
    columns = {"name": [a for a, _ in rows], "path": [a for a, _ in rows], "line": []}
    columns["line"] = [b for _, b in rows]
    table = stored(**columns)
    for name, wanted in columns.items():
        values = table.values(name)
        assert list(values) == wanted
        assert [values[row] for row in range(len(values))] == wanted
        assert list(values[1:3]) == wanted[1:3]
    for path in {*columns["path"], "none"}:
        same = [row for row, one in enumerate(columns["path"]) if one == path]
        assert table.rows_with("path", path).tolist() == same


@given(st.lists(st.integers(-1, 4), max_size=40))
def test_rows_are_grouped_by_value(values: list[int]) -> None:
    order, start = grouped(np.asarray(values, np.int32), 5)
    for value in range(5):
        rows = [row for row, one in enumerate(values) if one == value]
        assert order[start[value] : start[value + 1]].tolist() == rows


@given(st.lists(st.floats(-9, 9, width=32) | st.sampled_from([0.0, -0.0, 1.5])), st.integers(1, 9))
def test_the_highest_are_first_and_of_equal_ones_the_first(values: list, count: int) -> None:
    for kind in (np.float32, np.float64):
        found = np.asarray(values, kind)
        wanted = np.argsort(-found, kind="stable").tolist()
        assert best_first(found).tolist() == wanted
        assert few_best(found, count).tolist() == wanted[:count]


def test_the_hash_of_one_text_is_that_of_an_array_of_texts() -> None:
    texts = [
        b"",
        b"a",
        b"abcdefg",
        b"abcdefgh",
        b"abcdefghi",
        b"signal:rtl/a.sv#a.clk" * 9,
        b"\xff" * 13,
    ]
    for text in texts:
        data = np.frombuffer(text, np.uint8)
        many = hashed._keys(data, np.zeros(1, np.int64), np.asarray([len(data)]))
        assert hashed._key(text) == int(many[0])
