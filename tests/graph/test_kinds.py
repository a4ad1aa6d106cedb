"""Kinds of nodes and edges: declared once, and added from outside of the package."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hdlgraph.graph.export import lines
from hdlgraph.graph.file_edges import load
from hdlgraph.graph.graph import Graph
from hdlgraph.index.link.link import link
from hdlgraph.model import Edge, EdgeKind, FileRecord, Node, NodeKind, Unit, kinds
from hdlgraph.model.kinds import Entity, Relation
from hdlgraph.query.design.show import show, who
from hdlgraph.query.features.graph import FileGraph

COOLS = Relation("COOLS", "cools", "cooled by", "#00aaff", weight=0.5)
WATCHES = Relation("WATCHES", "watches", "watched by")
GADGET = Entity("gadget", "#aa00ff", is_unit=True, walked_as="unit")


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three kinds as another package would add them, gone after the test."""
    monkeypatch.setattr(kinds, "_ENTITIES", dict(kinds._ENTITIES))
    monkeypatch.setattr(kinds, "_RELATIONS", dict(kinds._RELATIONS))
    kinds.add_entity(GADGET)
    kinds.add_relation(COOLS)
    kinds.add_relation(WATCHES)
    return


def toy_graph() -> Graph:
    nodes = [
        Node("file:a.sv", "file", "a.sv", "a.sv", 1),
        Node("module:a.sv#cpu", "module", "cpu", "a.sv", 1),
        Node("gadget:f.toy#fan", "gadget", "fan", "f.toy", 3),
    ]
    edges = [
        Edge("file:a.sv", "module:a.sv#cpu", "DEFINES", "a.sv", 1),
        Edge("gadget:f.toy#fan", "module:a.sv#cpu", "COOLS", "f.toy", 4, "from above", "toy", 0.8),
        Edge("module:a.sv#cpu", "gadget:f.toy#fan", "WATCHES", "a.sv", 2),
    ]
    return Graph.of(nodes, edges)


@pytest.fixture
def graph(added: None, tmp_path: Path) -> Graph:
    """The toy graph as it comes back from the disk."""
    toy_graph().save(tmp_path)
    return Graph.load(tmp_path)


def test_an_added_kind_is_stored_and_loaded(graph: Graph) -> None:
    assert list(graph.nodes) == list(toy_graph().nodes)
    assert list(graph.edges) == list(toy_graph().edges)


def test_search_walks_an_added_kind_that_has_a_weight(graph: Graph, tmp_path: Path) -> None:
    found = load(tmp_path)
    assert found["kind"] == ["COOLS"]  # WATCHES has none
    assert (found["src_name"], found["dst_name"]) == (["fan"], ["cpu"])
    files = FileGraph.load(tmp_path, ["a.sv", "f.toy"])
    assert files.weight.tolist() == pytest.approx([0.5 * 0.8])
    seed, edges = files.walk([1], 0, hops=1)
    assert (seed, files.edges[edges[0]].describe()) == (1, "fan -COOLS-> cpu (f.toy:4)")


def test_who_and_show_say_it_in_words(graph: Graph) -> None:
    (user,) = who(graph, "cpu")["users"]
    assert (user["kind"], user["words"], user["user_name"]) == ("COOLS", "cools", "fan")
    (shown,) = show(graph, "cpu")["definitions"]
    said = {(one["relation"], one["words"], one["id"], one["kind"]) for one in shown["relations"]}
    assert said == {
        ("COOLS", "cooled by", "gadget:f.toy#fan", "gadget"),
        ("WATCHES", "watches", "gadget:f.toy#fan", "gadget"),
    }
    assert [one["stated_at"] for one in shown["relations"]] == ["a.sv:2", "f.toy:4"]
    (shown,) = show(graph, "fan")["definitions"]
    assert shown["kind"] == "gadget"
    assert "ports" in shown  # a unit like others


def test_people_read_the_words(graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    from hdlgraph.serve.cli.text.structure import show_definitions, show_users

    show_definitions(show(graph, "cpu"))
    show_users(who(graph, "cpu"))
    text = capsys.readouterr().out
    assert re.search(r"  cooled by\n    fan +f.toy:4  from above\n", text)
    assert re.search(r"^cools\n    fan +f.toy:4  from above\n", text, re.M)


@pytest.mark.parametrize("fmt", ["graphml", "gexf", "json", "cypher"])
def test_exports_carry_the_words(graph: Graph, fmt: str) -> None:
    text = "".join(lines(graph, fmt))
    assert "cools" in text
    assert "COOLS" in text


def test_networkx_reads_words_and_colours(graph: Graph) -> None:
    import networkx as nx

    found = nx.parse_graphml("".join(lines(graph, "graphml")), force_multigraph=True)
    ((_, _, edge),) = (e for e in found.edges(data=True) if e[2]["kind"] == "COOLS")
    assert edge["label"] == "cools"
    found = nx.read_gexf(io.BytesIO("".join(lines(graph, "gexf")).encode()))
    colour = found.nodes["gadget:f.toy#fan"]["viz"]["color"]
    assert (colour["r"], colour["g"], colour["b"]) == (0xAA, 0x00, 0xFF)


def test_a_unit_of_an_added_kind_is_linked_as_such(added: None) -> None:
    unit = Unit("gadget", "fan", 1, 2)
    record = FileRecord("f.toy", "", "rtl", "toy", 1, 2, "utf-8", units=(unit,))
    assert [node.id for node in link([record]).nodes] == ["file:f.toy", "gadget:f.toy#fan"]
    assert any("COOLS" in text for text in kinds.added())


def test_a_kind_that_nothing_declares_is_shown_and_not_walked(tmp_path: Path) -> None:
    toy_graph().save(tmp_path)
    graph = Graph.load(tmp_path)
    assert load(tmp_path)["kind"] == []
    (user,) = who(graph, "cpu")["users"]
    assert user["words"] == "cools"
    assert "CREATE (:HDL:Other {" in "".join(lines(graph, "cypher"))


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Relation("USES", "eats", "eaten by"), "declared twice"),
        (Relation("A B", "a", "b"), "letters, digits and underscores"),
        (Relation("A", "a", "b", "red"), "#rrggbb"),
        (Relation("A", "a", "b", weight=2.0), "weight 2.0"),
    ],
)
def test_a_malformed_kind_is_refused(kind: Relation, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        kinds.add_relation(kind)
    with pytest.raises(ValueError, match="declared twice"):
        kinds.add_entity(Entity("module"))


def test_entry_points_add_kinds_when_an_unknown_one_turns_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hdlgraph.safety import plugins

    folder = tmp_path / "toy-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[hdlgraph.kinds]\ntoy = toy_kinds\n")
    (tmp_path / "toy_kinds.py").write_text(
        "from hdlgraph.model.kinds import Relation, add_relation\n"
        "add_relation(Relation('HEATS', 'heats', 'heated by'))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_folders", lambda: [str(tmp_path)])
    monkeypatch.setattr(kinds, "_RELATIONS", dict(kinds._RELATIONS))
    kinds._load_entry_points.cache_clear()
    assert kinds.relation("HEATS").backward == "heated by"
    assert kinds.relation("NEVER_HEARD_OF").forward == "never heard of"


def test_the_page_on_json_names_every_use() -> None:
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    who_section = page.partition("## `who NAME`")[2].partition("\n## ")[0]
    assert [k.name for k in kinds.relations() if k.is_use and k.name not in who_section] == []


def test_every_kind_of_the_package_has_words_and_a_colour() -> None:
    for kind in (*kinds.entities(), *kinds.relations()):
        assert kind.colour != "#8a8f98", kind.name
    colours = [kind.colour for kind in kinds.entities()]
    assert len(set(colours)) == len(colours)
    assert [kind.name for kind in kinds.relations()] == [kind.value for kind in EdgeKind]
    assert [kind.name for kind in kinds.entities()] == [kind.value for kind in NodeKind]
