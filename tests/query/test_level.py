"""The hierarchy level by level: counts below, pages, library cells, cycles."""

from __future__ import annotations

import pytest
from _graphs import module, record

from hdlgraph.errors import UsageError
from hdlgraph.index.link.link import link
from hdlgraph.project import Project
from hdlgraph.query.design.level import COUNTED, Hierarchy, level

PARENTS = 12
CELLS = 30


@pytest.fixture(scope="module")
def hierarchy(tmp_path_factory: pytest.TempPathFactory) -> Hierarchy:
    """A top of `PARENTS` blocks, each of two cells and a leaf; a unit that instantiates itself."""
    root = tmp_path_factory.mktemp("level")
    blocks = [
        f"module block_{n:02}(input clk);\n  cell_a u_a(.clk(clk));\n  cell_a u_b(.clk(clk));\n"
        f"  leaf u_leaf(.clk(clk));\nendmodule\n"
        for n in range(PARENTS)
    ]
    uses = [f"  block_{n:02} u_{n:02}(.clk(clk));\n" for n in range(PARENTS)]
    many = [f"  cell_a u_many_{n:02}(.clk(clk));\n" for n in range(CELLS)]
    top = f"module top(input clk);\n{''.join(uses)}{''.join(many)}endmodule\n"
    cells = "module cell_a(input clk);\nendmodule\nmodule leaf(input clk);\nendmodule\n"
    loop = "module loop(input clk);\n  loop u_again(.clk(clk));\nendmodule\n"
    (root / "all.sv").write_text("".join([top, *blocks, cells, loop]))
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    return Hierarchy(Project(root).graph())


def test_the_tops_come_large_first_with_what_is_below(hierarchy: Hierarchy) -> None:
    found = level(hierarchy)
    assert [(one["name"], one["below"]) for one in found["entries"]] == [
        ("top", PARENTS + CELLS + 3 * PARENTS)
    ]
    assert found["unit"] is None


def test_cells_are_folded_and_listed_when_asked_for(hierarchy: Hierarchy) -> None:
    found = level(hierarchy, "top")
    assert [one["unit"] for one in found["entries"]] == [f"block_{n:02}" for n in range(PARENTS)]
    assert found["total"] == PARENTS
    assert [(one["name"], one["count"]) for one in found["cells"]] == [("cell_a", CELLS)]
    cells = level(hierarchy, "top", cells=True)
    assert cells["total"] == CELLS
    assert {one["unit"] for one in cells["entries"]} == {"cell_a"}


def test_a_level_comes_in_pages(hierarchy: Hierarchy) -> None:
    pages = [level(hierarchy, "top", start=start, limit=5) for start in (0, 5, 10)]
    names = [one["name"] for page in pages for one in page["entries"]]
    assert names == [f"u_{n:02}" for n in range(PARENTS)]
    assert {page["total"] for page in pages} == {PARENTS}


def test_an_entry_tells_its_place_and_what_is_below(hierarchy: Hierarchy) -> None:
    (first, *_) = level(hierarchy, "top")["entries"]
    assert first["below"] == 3
    assert first["location"] == "all.sv:2"
    assert level(hierarchy, first["unit_id"])["unit"]["name"] == "block_00"


def test_a_cycle_is_marked_and_ends(hierarchy: Hierarchy) -> None:
    (again,) = level(hierarchy, "loop")["entries"]
    assert again["note"] == "cycle"
    assert again["below"] == 0
    assert hierarchy.below


def test_what_is_no_unit_is_refused(hierarchy: Hierarchy) -> None:
    with pytest.raises(UsageError, match="not a module"):
        level(hierarchy, "all.sv")
    with pytest.raises(UsageError, match="nothing is called"):
        level(hierarchy, "absent")


def test_a_chain_that_doubles_is_counted_at_once() -> None:
    """Each unit is counted once, however many ways lead to it."""
    records = []
    for n in range(60):
        records += [
            record(f"p{n}.sv", module(f"p{n}", f"q{n}", f"r{n}")),
            record(f"q{n}.sv", module(f"q{n}", f"p{n + 1}")),
            record(f"r{n}.sv", module(f"r{n}", f"p{n + 1}")),
        ]
    records.append(record("p60.sv", module("p60")))
    found = level(Hierarchy(link(tuple(records))))
    assert [one["name"] for one in found["entries"]] == ["p0"]
    assert found["entries"][0]["below"] == COUNTED  # 4 * (2 ** 60 - 1), counted no further
