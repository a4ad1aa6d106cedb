"""The parts of a design as a picture."""

from __future__ import annotations

from hdlgraph.graph.pictures.write import WRITERS, pieces
from hdlgraph.model.community import Community, Connection, TopUnit
from hdlgraph.query.overview.overview import Overview
from hdlgraph.query.overview.picture import draw_overview


def part(number: int, title: str, role: str = "rtl", **fields) -> Community:
    basic = {"level": 0, "parent": -1, "purpose": "", "units": 1, "roles": {role: 4}, "files": 4}
    return Community(community=number, title=title, **{**basic, **fields})


PARTS = (
    part(7, "core", files=9, top_units=tuple(
        TopUnit("module", name, "a.sv", 1) for name in ("top", "alu", "lsu", "csr", "pmp")
    ), connections=(
        Connection(2, "uart", {"instantiates": 2, "drives": 5, "uses": 90, "used_by": 3}),
        Connection(9, "not shown", {"instantiates": 1}),
    )),
    part(2, "uart", connections=(Connection(7, "core", {"instantiated_by": 2, "uses": 3}),)),
    part(4, "tests", "testbench", connections=(Connection(7, "core", {"imports": 6}),)),
    part(9, "below", level=1, parent=7),
)  # fmt: skip


def test_a_box_for_each_part_and_a_wire_for_what_joins_two() -> None:
    picture = draw_overview(Overview("r", 17, 0, 2, PARTS))
    assert [(box.title, box.kind) for box in picture.boxes] == [
        ("core", "part"), ("uart", "part"), ("tests", "library"),
    ]  # fmt: skip
    assert picture.boxes[0].rows == ("top", "alu", "lsu", "+2 more")
    assert picture.subtitle == "17 files in 3 parts"
    told = {(one.source, one.target): (one.label, one.names) for one in picture.wires}
    assert told == {
        ("n0", "n1"): ("drives 5", ("drives 5", "instantiates 2", "uses 90")),
        ("n1", "n0"): ("", ("uses 3",)),
        ("n2", "n0"): ("", ("imports 6",)),
    }
    assert all("".join(pieces(picture, fmt)) for fmt in WRITERS)


def test_the_largest_parts_are_drawn_and_the_others_counted() -> None:
    picture = draw_overview(Overview("r", 17, 0, 2, PARTS), limit=1)
    assert [box.title for box in picture.boxes] == ["core"]
    assert picture.wires == ()
    assert picture.notes == ("2 smaller parts are left out (--limit 1)",)
