"""Pictures: what a unit is drawn as, in every format, whatever its names are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.pictures import layout
from hdlgraph.graph.pictures.actuals import meet
from hdlgraph.graph.pictures.bound import bound_into
from hdlgraph.graph.pictures.html import Section, write_html
from hdlgraph.graph.pictures.layout import lay_out
from hdlgraph.graph.pictures.picture import (
    Aside,
    Box,
    Picture,
    Wire,
    bundle_label,
    short_names,
    some,
)
from hdlgraph.graph.pictures.unit import draw_unit
from hdlgraph.graph.pictures.write import WRITERS, pieces
from hdlgraph.index.link.link import link
from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.parsers.includes import IncludeIndex

TESTS = Path(__file__).parents[1]
SOC, GOLDEN = TESTS / "designs" / "soc", TESTS / "golden"
NASTY = "a\"]; <script>alert('x')</script> & `b` #35; {{x}} %% \\n \x1b[2J\u202e |end"


def drawn(root: Path, unit: str, limit: int = 40) -> Picture:
    """Returns the block diagram of a unit of a folder of sources."""
    paths = sorted(p.relative_to(root).as_posix() for p in root.rglob("*.*v"))
    extractor = Extractor(root, IncludeIndex(paths))
    records = [extractor.extract(path, "", "rtl") for path in paths]
    graph = link(records)
    told = next(u for record in records for u in record.units if u.name == unit)
    row = graph.row(next(n.id for n in graph.nodes if n.name == unit and n.path))
    bounds = bound_into(graph, row, {record.path: record for record in records}.__getitem__)
    return draw_unit(graph, row, told, limit, bounds)


def source(folder: Path, text: str) -> Path:
    (folder / "design.sv").write_text(text, encoding="utf-8")
    return folder


def wires(picture: Picture) -> dict[tuple[str, str], Wire]:
    names = {box.id: box.title or " ".join(box.rows) for box in picture.boxes}
    return {(names[one.source], names[one.target]): one for one in picture.wires}


@pytest.fixture(scope="module")
def top() -> Picture:
    return drawn(SOC, "soc_top")


def test_a_unit_has_its_instances_its_ports_and_the_signals_between(top: Picture) -> None:
    assert (top.title, top.subtitle) == ("soc_top", "rtl/soc_top.sv:2")
    titles = [box.title for box in top.boxes if box.kind in ("instance", "library")]
    assert titles == ["u_reset_sync", "bus", "u_arbiter", "u_uart", "u_timer", "u_memory"]
    told = wires(top)
    assert told["uart_rx_i", "u_uart"].names == ("uart_rx_i",)
    assert told["u_uart", "uart_tx_o"].names == ("uart_tx_o",)
    assert told["u_timer", "timer_irq_o"].ways == "one"
    assert told["u_arbiter", "u_timer"].names == ("gnt",)
    # An interface is a box of its own, which all that use it are connected with.
    assert told["bus", "u_uart"].ways == "none"
    assert told["bus", "u_memory"].ways == told["bus", "u_timer"].ways == "one"
    sides = {box.rows: box.side for box in top.boxes if box.kind == "ports"}
    assert sides == {("uart_rx_i",): "in", ("uart_tx_o",): "out", ("timer_irq_o",): "out"}


def test_clocks_and_resets_stand_apart(top: Picture) -> None:
    assert [aside.title for aside in top.asides] == ["Clocks", "Resets"]
    clocks, resets = (aside.rows for aside in top.asides)
    assert clocks == ("clk_i → all instances",)
    assert resets == ("rst_ni → u_reset_sync", "rst_sync_n from u_reset_sync → 4 instances")
    assert not any("clk_i" in wire.names or "rst_ni" in wire.names for wire in top.wires)


@pytest.mark.parametrize("fmt", ["dot", "mermaid"])
def test_text_formats_are_as_before(top: Picture, fmt: str) -> None:
    text = "".join(pieces(top, fmt))
    golden = GOLDEN / f"soc_top.{fmt}"
    if "HDLGRAPH_WRITE_GOLDEN" in os.environ:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_svg_is_as_before_but_for_the_places(top: Picture) -> None:
    """Another version of Graphviz may lay it out in another way."""
    text = "".join(pieces(top, "svg"))
    head, _, style = text.partition("<style>")
    text = re.sub(r"-?\d+\.?\d*", "0", head + style.partition("</style>")[2])
    text = re.sub(r"( 0)+(?=\")", " 0", text)
    golden = GOLDEN / "soc_top.svg"
    if "HDLGRAPH_WRITE_GOLDEN" in os.environ:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_the_same_picture_gives_the_same_bytes(top: Picture) -> None:
    for fmt in WRITERS:
        assert "".join(pieces(top, fmt)) == "".join(pieces(drawn(SOC, "soc_top"), fmt))


def test_boxes_do_not_overlap_and_wires_begin_and_end_at_them(top: Picture) -> None:
    placed = lay_out(top)
    spans = {
        one.box.id: (one.x - one.width / 2, one.y - one.height / 2, one.x + one.width / 2,
                     one.y + one.height / 2)
        for one in placed.boxes
    }  # fmt: skip
    for a, (left, above, right, below) in spans.items():
        assert left >= -1
        assert above >= -1
        assert right <= placed.width + 1
        assert below <= placed.height + 1
        for b, (left2, above2, right2, below2) in spans.items():
            apart = right < left2 or right2 < left or below < above2 or below2 < above
            assert a == b or apart
    for one in placed.wires:
        wire = top.wires[one.number]
        for (x, y), box in ((one.points[0], wire.source), (one.points[-1], wire.target)):
            left, above, right, below = spans[box]
            assert left - 2 <= x <= right + 2
            assert above - 2 <= y <= below + 2
    assert all((one.label is not None) == bool(top.wires[one.number].label) for one in placed.wires)


BUNDLES = """
module a (input clk, output [7:0] cmd_addr, cmd_data, output cmd_valid, input cmd_ready); endmodule
module b (input clk, input [7:0] cmd_addr, cmd_data, input cmd_valid, output cmd_ready); endmodule
module c (input [3:0] d, output [3:0] q); endmodule
module top (input clk, input [7:0] in, output [7:0] out);
  wire [7:0] cmd_addr, cmd_data, bits;
  wire cmd_valid, cmd_ready, odd;
  a u_a (.*);
  b u_b (.*);
  c u_low (.d(in[3:0]), .q(bits[3:0]));
  c u_high (.d(in[7:4]), .q(bits[7:4]));
  c u_next (.d(bits[3:0]), .q(out[3:0]));
  assign odd = ^bits[7:4];
  assign out[7:4] = {4{odd}};
endmodule
"""


def test_signals_that_go_the_same_way_are_one_wire(tmp_path: Path) -> None:
    told = wires(drawn(source(tmp_path, BUNDLES), "top"))
    there, back = told["u_a", "u_b"], told["u_b", "u_a"]
    assert (there.label, there.names) == ("cmd_… (3)", ("cmd_addr", "cmd_data", "cmd_valid"))
    assert (back.label, back.names) == ("cmd_ready", ("cmd_ready",))


def test_other_bits_of_a_net_are_no_connection(tmp_path: Path) -> None:
    told = wires(drawn(source(tmp_path, BUNDLES), "top"))
    assert ("u_low", "u_next") in told
    assert ("u_high", "u_next") not in told
    assert ("u_high", "logic") in told
    assert ("u_low", "logic") not in told  # its signal goes to an instance already


@pytest.mark.parametrize(
    ("one", "other", "meets"),
    [
        ("a", "a[3]", True),
        ("a[3:0]", "a[4]", False),
        ("a[3:0]", "a[ 2 ]", True),
        ("a[i]", "a[3]", True),
        ("a.req", "a.rsp", False),
        ("a.req.x", "a.req", True),
        ("{b, a[1]}", "a[2] & c", False),
        ("{b, a[1]}", "f(a)", True),
        ("`A", "a[1]", True),
    ],
)
def test_which_parts_of_a_net_meet(one: str, other: str, meets: bool) -> None:
    assert meet("a", one, other) is meets
    assert meet("a", other, one) is meets


def crowd(instances: int, units: int) -> str:
    cells = [f"module m{n} (input clk, input d, output q); endmodule" for n in range(units)]
    nets = [f"wire [{instances}:0] n;"]
    body = [f"m{i % units} u{i} (.clk, .d(n[{i}]), .q(n[{i + 1}]));" for i in range(instances)]
    return "\n".join((*cells, "module top (input clk);", *nets, *body, "endmodule"))


def test_six_hundred_instances_give_a_readable_picture(tmp_path: Path) -> None:
    picture = drawn(source(tmp_path, crowd(600, 100)), "top")
    boxes = [box for box in picture.boxes if box.kind != "ports"]
    assert len(boxes) == 40
    last = boxes[-1]
    assert (last.kind, last.title, last.subtitle) == ("more", "366 more instances", "61 units")
    assert len(last.rows) == 8
    assert picture.notes[0].startswith("366 of 600 instances are in one box (--limit 40 boxes)")
    assert len("".join(pieces(picture, "svg"))) < 200_000


def test_instances_of_a_unit_share_a_box_and_it_says_so(tmp_path: Path) -> None:
    picture = drawn(source(tmp_path, crowd(12, 3)), "top", limit=10)
    assert [box.title for box in picture.boxes] == ["m0 ×4", "m1 ×4", "m2 ×4"]
    assert picture.boxes[0].subtitle == "u0, +3 more"
    assert picture.notes == ("12 instances share a box with others of the same unit",)
    assert [box.title for box in drawn(tmp_path, "top", limit=1).boxes] == ["12 more instances"]


def test_a_unit_without_instances_is_drawn_with_its_logic(tmp_path: Path) -> None:
    text = "module m (input a, output b); assign b = ~a; endmodule"
    told = wires(drawn(source(tmp_path, text), "m"))
    assert set(told) == {("a", "logic"), ("logic", "b")}
    empty = drawn(source(tmp_path, "module m; endmodule"), "m")
    assert (empty.boxes, empty.wires) == ((), ())
    assert all("".join(pieces(empty, fmt)) for fmt in WRITERS)


def test_names_are_shortened_only_as_far_as_they_differ() -> None:
    assert short_names(["g.u_a", "h.u_b", "h.u_a"]) == ["g.u_a", "u_b", "h.u_a"]
    assert some(["a", "b", "c"], 2) == ("a", "+2 more")
    assert bundle_label(["req"]) == "req"
    assert bundle_label(["tl_a", "tl_b", "tl_c"]) == "tl_… (3)"
    assert bundle_label(["one", "two", "three"]) == "one +2"
    long = ["divider_operand_of_the_alu_a", "divider_operand_of_the_alu_b"]
    assert bundle_label(long) == "divider_operand_of_the_alu_… (2)"


def nasty() -> Picture:
    boxes = (
        Box("n0", "instance", NASTY, NASTY, (NASTY,), "", NASTY, NASTY, "x"),
        Box("p0", "ports", rows=(NASTY,), side="in", tip=NASTY),
        Box("l0", "logic", "logic"),
    )
    joined = (Wire("p0", "n0", NASTY, (NASTY,)), Wire("n0", "l0", "", (NASTY,), "none"))
    return Picture(NASTY, NASTY, boxes, joined, (Aside(NASTY, (NASTY,)),), (NASTY,))


def test_hostile_names_stay_text_in_svg() -> None:
    text = "".join(pieces(nasty(), "svg"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    names = {one.tag.rpartition("}")[2] for one in ElementTree.fromstring(text.encode()).iter()}
    assert names == {"svg", "title", "style", "rect", "text", "defs", "marker", "path", "g"}


def test_hostile_names_stay_text_in_dot() -> None:
    import pygraphviz

    text = "".join(pieces(nasty(), "dot"))
    graph = pygraphviz.AGraph(text)
    assert sorted(graph.nodes()) == ["a0", "a1", "l0", "n0", "p0"]
    assert len(graph.edges()) == 2
    assert graph.get_node("n0").attr["tooltip"].replace("\\\\", "\\").startswith('a"]; <script>')


def test_hostile_names_stay_text_in_mermaid() -> None:
    for line in "".join(pieces(nasty(), "mermaid")).splitlines():
        told = re.sub(r'"(?:[\w ,:/()*+=×→…-]|#\d+;|<br/>)*"', '""', line)
        ids = r"(?:n0|p0|l0|a0)"
        assert re.fullmatch(
            rf'%%[^{{}}]*|flowchart LR|  {ids}(?:\["""?\]|>""\]|\(\[""\]\)|\[""\])'
            rf'|  {ids} -->(?:\|""\|)? {ids}|  {ids} --- {ids}',
            told,
        ), line


class Tags(HTMLParser):
    """Collects the tags of a page with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.found.append((tag, dict(attrs)))


def tags(text: str) -> Iterator[tuple[str, dict]]:
    parser = Tags()
    parser.feed(text)
    return iter(parser.found)


def test_a_page_takes_nothing_from_elsewhere_and_runs_only_its_own_script() -> None:
    tree = [{"name": NASTY, "id": "x", "location": NASTY, "children": [
        {"name": NASTY, "unit": NASTY, "unit_id": "y", "location": NASTY, "children": []},
    ]}]  # fmt: skip
    sections = [Section("x", nasty()), Section("y", nasty(), NASTY)]
    text = "".join(write_html(NASTY, sections, tree, [NASTY]))
    found = list(tags(text))
    names = [tag for tag, _ in found]
    assert names.count("script") == 1
    assert "alert(" not in re.sub(r"alert\(&#x27;", "", text)
    for _, attributes in found:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert not {"src", "action", "formaction"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")
    policy = next(one["content"] for tag, one in found if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    ids = [one["id"] for _, one in found if "id" in one]
    assert len(ids) == len(set(ids))
    assert {one["href"][1:] for _, one in found if "href" in one} <= set(ids)


def test_the_policy_of_a_page_names_its_script_and_style() -> None:
    import base64
    import hashlib

    text = "".join(write_html("x", [Section("", nasty())]))
    for tag in ("script", "style"):
        (inner,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in text


def test_a_layout_that_takes_too_long_is_given_up(
    monkeypatch: pytest.MonkeyPatch, top: Picture
) -> None:
    monkeypatch.setattr(layout, "LIMIT_S", 0.001)
    with pytest.raises(HdlgraphError, match=r"takes longer than 0 s .*--format dot or mermaid"):
        lay_out(top)


def test_graphviz_gets_no_name_of_the_design(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    real = layout._graphviz
    monkeypatch.setattr(layout, "_graphviz", lambda dot: seen.append(dot) or real(dot))
    lay_out(nasty())
    assert "script" not in seen[0]
    assert seen[0].isascii()


def test_resets_that_go_nowhere_and_interrupts_are_not_in_the_corner(tmp_path: Path) -> None:
    text = """
    module part (input wire clk_i, input wire rst_ni, output wire intr_link_reset_o);
    endmodule
    module top (input wire clk_i, input wire rst_ni, input wire spare_rst_ni, output wire irq_o);
      wire unused_rst_n;
      wire intr_link_reset;
      assign unused_rst_n = rst_ni;
      part a (.clk_i, .rst_ni, .intr_link_reset_o(intr_link_reset));
      part b (.clk_i, .rst_ni, .intr_link_reset_o());
      assign irq_o = intr_link_reset;
    endmodule
    """
    found = drawn(source(tmp_path, text), "top")
    resets = next(aside.rows for aside in found.asides if aside.title == "Resets")
    assert resets == ("rst_ni → a, b", "spare_rst_ni")


BINDS = """
module fifo (input clk, input push, output full); assign full = push; endmodule
module watch (input clk, input full); endmodule
module unknown_user; fifo u_f (.clk(c)); endmodule
bind fifo watch u_watch (.clk(clk), .full(full));
bind fifo nowhere u_missing (.clk(clk), .push_i(push));
"""


def test_what_is_bound_to_a_unit_is_in_its_picture(tmp_path: Path) -> None:
    (tmp_path / "checks.sv").write_text(BINDS.split("module unknown_user")[1].partition("\n")[2])
    picture = drawn(source(tmp_path, BINDS.partition("bind")[0]), "fifo")
    shown = {box.title: box for box in picture.boxes}
    assert shown["u_watch"].subtitle == "watch, bound"
    assert shown["u_watch"].place == "checks.sv:1"
    assert shown["u_missing"].kind == "library"
    assert ("logic", "u_watch") in wires(picture)
    assert not {"u_watch", "u_missing"} & {box.title for box in drawn(tmp_path, "watch").boxes}
