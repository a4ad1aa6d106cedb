"""Pictures: ends without a direction, and what a page's own style must not reach."""

from __future__ import annotations

import re
from pathlib import Path

import hdlgraph
from hdlgraph.graph.pictures.bound import bound_into
from hdlgraph.graph.pictures.picture import Picture
from hdlgraph.graph.pictures.svg import svg_element
from hdlgraph.graph.pictures.unit import draw_unit
from hdlgraph.index.link.link import link
from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.parsers.includes import IncludeIndex


def drawn(folder: Path, text: str, unit: str) -> Picture:
    """Returns the block diagram of a unit of a source."""
    (folder / "design.sv").write_text(text, encoding="utf-8")
    record = Extractor(folder, IncludeIndex(["design.sv"])).extract("design.sv", "", "rtl")
    graph = link([record])
    told = next(one for one in record.units if one.name == unit)
    row = graph.row(next(node.id for node in graph.nodes if node.name == unit and node.path))
    return draw_unit(graph, row, told, 40, bound_into(graph, row, lambda path: record))


def test_what_is_bound_with_unknown_directions_drives_nothing(tmp_path: Path) -> None:
    """A checker's ports have the names of those that it looks at: its `d_o` is no output."""
    text = """
    module regs (input d_i, output q_o); assign q_o = d_i; endmodule
    module block (input d_i, output d_o); regs u_regs (.d_i(d_i), .q_o(d_o)); endmodule
    bind block nowhere u_check (.d_i(d_i), .d_o(d_o));
    """
    picture = drawn(tmp_path, text, "block")
    titles = {box.id: box.title for box in picture.boxes}
    ends = {(titles[one.source], titles[one.target], one.ways) for one in picture.wires}
    assert not [one for one in ends if one[0] == "u_check"]
    assert ("u_regs", "u_check", "none") in ends  # d_o
    assert ("", "u_check", "none") in ends  # d_i


def test_no_class_of_a_drawing_hides_it_on_the_page(tmp_path: Path) -> None:
    """The page's `.out`, of what only screen readers read, hid every box of outputs."""
    sheet = (Path(hdlgraph.__file__).parent / "serve/web/static/app.css").read_text()
    rules = re.findall(r"([^{}]+)\{([^}]*)\}", sheet)
    hiding = ("clip-path", "display: none", "visibility: hidden")
    lists = [names for names, body in rules if any(one in body for one in hiding)]
    own = {match[1] for names in lists for match in re.finditer(r"\.([\w-]+)\s*(?:,|$)", names)}
    text = """
    module part (input d_i, output q_o); assign q_o = d_i; endmodule
    module block (input d_i, output d_o); part u_part (.d_i(d_i), .q_o(d_o)); endmodule
    """
    found = "".join(svg_element(drawn(tmp_path, text, "block")))
    used = {name for names in re.findall(r'class="([^"]+)"', found) for name in names.split()}
    assert "outputs" in used
    assert "out" in own
    assert not used & own
