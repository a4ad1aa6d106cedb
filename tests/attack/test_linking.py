"""Linking stays in proportion to the repository, and says what it leaves out."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from _graphs import module, record
from campaigns.scale import link_seconds, write_clones, write_line

from hdlgraph import Project
from hdlgraph.errors import HdlgraphError
from hdlgraph.graph.graph import Graph
from hdlgraph.index.explain.neighbourhood import neighbourhoods
from hdlgraph.index.fork import SecondProcess
from hdlgraph.index.link.candidates import MOST
from hdlgraph.index.link.copies import Copies
from hdlgraph.index.link.link import Linked, link, link_with_notes
from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.model import (
    Bind,
    Connection,
    FileRecord,
    Instance,
    Macro,
    Parameter,
    Port,
    Role,
    Signal,
    Type,
    Unit,
)
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.store.folder import Store

pytestmark = pytest.mark.warm

SOC = Path(__file__).parent.parent / "designs" / "soc"


def records_of(root: Path) -> list[FileRecord]:
    """Returns the records of a folder's files, read through all layers."""
    from hdlgraph.index.discover.files import discover

    found = discover(root).files
    extractor = Extractor(root, IncludeIndex([one.path for one in found]))
    return [extractor.extract(one.path, one.sha256, one.role) for one in found]


def seconds(records: list[FileRecord]) -> float:
    """Returns the least processor time of three linkings."""
    spent = []
    for _ in range(3):
        began = time.process_time()
        link(records)
        spent.append(time.process_time() - began)
    return min(spent)


def line_record(count: int, name: str) -> FileRecord:
    """Returns a file with `count` instances on line 5 of a module."""
    wires = (Connection("a", "w", ("w",), 5),)
    instances = tuple(Instance(name.format(at), "leaf", 5, 5, (), wires) for at in range(count))
    leaf = Unit("module", "leaf", 1, 3, ports=(Port("a", "input", "", 1),))
    top = Unit("module", "top", 4, 6, ports=(Port("w", "input", "", 4),), instances=instances)
    return record("top.v", leaf, top)


@pytest.mark.parametrize("name", ["u{}", "u"])
def test_instances_on_one_line_take_time_in_proportion(name):
    small, large = line_record(2_000, name), line_record(8_000, name)
    assert seconds([large]) < 9 * seconds([small])  # 4; the square is 16
    graph = link([large])
    assert Counter(edge.kind for edge in graph.edges) == {
        "DEFINES": 8_000 + 4,
        "INSTANTIATES": 16_000,
        "CONNECTS": 8_000,
    }
    assert len({node.id for node in graph.nodes}) == len(graph.nodes)


def test_instances_on_one_line_are_all_read(tmp_path):
    write_line(tmp_path, 500)
    found = records_of(tmp_path)[0]
    assert found.degraded == ""
    assert len(next(u for u in found.units if u.name == "top").instances) == 500


def test_units_read_many_instances_in_proportion(tmp_path):
    spent = []
    for count in (2_000, 8_000):
        write_line(tmp_path / str(count), count)
        began = time.process_time()
        records_of(tmp_path / str(count))
        spent.append(time.process_time() - began)
    assert spent[1] < 10 * spent[0]  # 4; it was 14


def clones(tmp_path: Path, files: int, edited: bool) -> Linked:
    folder = tmp_path / f"{files}-{edited}"
    write_clones(folder, files, 10, edited)
    return link_with_notes(records_of(folder))


def test_edges_of_clones_grow_with_the_files(tmp_path):
    few, many = clones(tmp_path, 60, False), clones(tmp_path, 120, False)
    assert len(many.graph.edges) == 2 * len(few.graph.edges)
    assert many.notes == ()
    uses = [edge for edge in many.graph.edges if edge.kind == "INSTANTIATES"]
    assert {edge.resolved for edge in uses} == {"unique"}
    assert all(edge.target == f"module:{edge.path[:4]}/leaf.v#leaf" for edge in uses)


def test_edges_of_clones_that_differ_are_limited_and_the_limit_is_told(tmp_path):
    found = clones(tmp_path, 60, True)
    uses = Counter(edge.source for edge in found.graph.edges if edge.kind == "INSTANTIATES")
    assert set(uses.values()) == {MOST, 10 * MOST}  # of an instance, and of its module
    assert found.notes == (
        "names with more than 16 definitions: 1, such as leaf with 30: "
        "each use is linked to the 16 nearest",
    )
    best = [
        edge for edge in found.graph.edges if edge.kind == "INSTANTIATES" and edge.confidence > 0.2
    ]
    assert all(edge.target == f"module:{edge.path[:4]}/leaf.v#leaf" for edge in best)
    assert len(best) == 2 * 300


def test_what_is_left_out_is_in_the_report(tmp_path):
    write_clones(tmp_path / "repository", 2 * (MOST + 1), 2, True)
    report = Project(tmp_path / "repository").index(embeddings=False, graphrag="never", jobs=1)
    assert [note for note in report.notes if "such as leaf with 17" in note]


def test_each_copy_links_within_itself(tmp_path):
    single = records_of(SOC)
    alone = link(move(single, "a"))
    graph = link([one for top in "abc" for one in move(single, top)])
    for top in "abc":
        expected = {line.replace("a/", f"{top}/") for line in lines(alone, "a/")}
        assert expected
        assert lines(graph, f"{top}/") == expected
    assert not [
        edge
        for edge in graph.edges
        if edge.target.partition(":")[2][:2] != edge.path[:2]
        and edge.target.partition(":")[2][:1] != "#"
    ]


def test_an_edited_copy_is_still_a_copy():
    def tree(top: str, edited: str) -> list[FileRecord]:
        made = []
        for at in range(12):
            name = f"m{at}"
            unit = module(name, f"m{at + 1}") if at < 11 else module(name)
            sha = f"{at}{edited if at == 3 else ''}"
            made.append(named(record(f"{top}/rtl/{name}.sv", unit), sha))
        return made

    graph = link([*tree("main", ""), *tree("old", "x"), *tree("third/party", "")])
    for edge in graph.edges:
        if edge.kind == "INSTANTIATES":
            top = edge.path.partition("/rtl")[0]
            assert edge.target.startswith(f"module:{top}/")
            assert edge.resolved == "unique"


def test_folders_with_few_equal_files_are_no_copies():
    files = [(f"{top}/{at}.v", f"{at if at < 5 else top}") for top in "ab" for at in range(10)]
    assert Copies(files).roots == {}
    assert Copies((f"{top}/x.v", "same") for top in "ab").roots == {}
    assert Copies((f"{top}/{at}.v", "") for top in "ab" for at in range(10)).roots == {}


def test_copies_inside_of_copies_are_found():
    inner = [(f"{tree}/{at}.v", f"{at}") for tree in ("x/lib", "y/third/lib") for at in range(4)]
    files = [*inner, *((f"x/{at}.v", f"x{at}") for at in range(3))]
    both = [(f"{top}/{path}", sha) for top in ("new", "old") for path, sha in files]
    found = Copies(both)
    assert found.roots["new"] == found.roots["old"] == "new"
    assert found.roots["new/x/lib"] == found.roots["new/y/third/lib"]


def test_the_nearest_of_many_are_those_of_all_ranked():
    homes = [f"t{at % 3}/{'d/' * (at % 5)}f{at}/m.sv" for at in range(90)]
    roles = ["testbench" if at % 4 == 0 else "rtl" for at in range(90)]
    definitions = [
        record(path, module("m"), role=role) for path, role in zip(homes, roles, strict=True)
    ]
    for user in ("t0/top.sv", "t1/d/d/top.sv", "top.sv", "t2/d/f17/top.sv"):
        graph = link([*definitions, record(user, module("top", "m"))])
        found = [e.target for e in graph.edges if e.kind == "INSTANTIATES" and "top.u" in e.source]
        assert found == [f"module:{path}#m" for path in brute(user, homes, roles)[:MOST]]


def brute(user: str, homes: list[str], roles: list[str]) -> list[str]:
    from hdlgraph.index.link.ranked import distance

    def key(pair: tuple[str, str]) -> tuple:
        apart, steps = distance(user, pair[0])
        return (apart, pair[1] == Role.TESTBENCH, steps, pair[0])

    return [path for path, _ in sorted(zip(homes, roles, strict=True), key=key)]


def star(count: int) -> list[FileRecord]:
    ports = tuple(Port(f"p{at}", "input", "", 1) for at in range(count))
    signals = tuple(Signal(f"p{at}", "logic", 1) for at in range(count))
    instances = tuple(
        Instance(f"u{at}", "leaf", 2, 2, (), (Connection("*", "", (), 2),)) for at in range(count)
    )
    return [
        record("leaf.sv", Unit("module", "leaf", 1, 2, ports=ports)),
        record("top.sv", Unit("module", "top", 1, 2, signals=signals, instances=instances)),
    ]


def test_implicit_connections_are_no_product():
    found = link_with_notes(star(400))
    implicit = [edge for edge in found.graph.edges if edge.kind == "CONNECTS"]
    assert len(implicit) == 1000 + 16 * (400 + 400)  # not 160,000
    assert found.notes == (
        "1 units have more connections by `.*` than are kept, such as module:top.sv#top",
    )
    assert link_with_notes(star(20)).notes == ()


def types_and_imports(count: int) -> list[FileRecord]:
    packages = [
        record(
            f"p{at}.sv",
            Unit("package", f"p{at}", 1, 2, types=(Type(f"t{at}", "enum", (), 1, 1),)),
        )
        for at in range(count)
    ]
    imports = tuple((f"p{at}", 1) for at in range(count))
    signals = tuple(Signal(f"s{at}", f"t{at}", 1) for at in range(count))
    user = Unit("module", "top", 1, 2, imports=imports, signals=signals)
    return [*packages, record("top.sv", user)]


def binds(count: int) -> list[FileRecord]:
    instances = tuple(Instance(f"u{at}", "leaf", 1, 1) for at in range(count))
    found = tuple(Bind(f"top.u{at}", "probe", f"b{at}", 1) for at in range(count))
    top = Unit("module", "top", 1, 2, instances=instances)
    return [record("top.sv", top, module("leaf"), module("probe"), binds=found)]


def classes(count: int) -> list[FileRecord]:
    units = [Unit("package", "pkg", 1, 9)]
    units += [Unit("class", f"c{at}", 1, 1, parent="pkg") for at in range(count)]
    factory = tuple((f"c{at}", 1) for at in range(count))
    parameters = tuple(Parameter(f"T{at}", "type", "", "x", 1) for at in range(count))
    units.append(Unit("class", "user", 1, 1, parent="pkg", factory=factory, parameters=parameters))
    return [record("pkg.sv", *units)]


def includes(count: int) -> list[FileRecord]:
    headers = [record(f"h{at}/x.svh", macros=(Macro("M", "", "", 1),)) for at in range(count)]
    written = tuple((f"h{at}/x.svh", 1) for at in range(count))
    return [*headers, record("a/b/top.sv", includes=written)]


def guards(count: int) -> list[FileRecord]:
    headers = [record(f"h{at}/x.svh", macros=(Macro("M", "", "", 1),)) for at in range(count)]
    branches = tuple((2 * at + 1, 2 * at + 2) for at in range(count))
    return [*headers, record("a/b/top.sv", branches=branches, conditions=("M && N",) * count)]


@pytest.mark.parametrize("make", [types_and_imports, binds, classes, includes, guards])
def test_no_product_of_a_file_s_names(make):
    small, large = make(1_000), make(4_000)
    assert seconds(large) < 9 * max(seconds(small), 0.01)  # 4; the square is 16


def test_neighbours_of_many_definitions_are_not_compared_each_with_each():
    def made(count: int) -> list[FileRecord]:
        tops = (record(f"p{at}/top.v", module("top", "leaf")) for at in range(count))
        return [*tops, *(record(f"p{at}/leaf.v", module("leaf")) for at in range(count))]

    spent = []
    for count in (800, 3_200):
        records, tries = made(count), []
        for _ in range(3):  # the best: collection of a long process's garbage falls anywhere
            began = time.process_time()
            found = neighbourhoods(records)
            tries.append(time.process_time() - began)
        spent.append(min(tries))
        assert [n.path for n in found["p7/leaf.v"].parents] == ["p7/top.v"]
    assert spent[1] < 9 * max(spent[0], 0.02)


def test_linking_that_does_not_end_keeps_the_former_index(tmp_path, monkeypatch):
    write_clones(tmp_path / "repository", 4, 1, False)
    Project(tmp_path / "repository").index(embeddings=False, graphrag="never", jobs=1)
    store = Store(tmp_path / "repository" / ".hdlgraph")
    before = store.manifest()
    write_clones(tmp_path / "repository", 6, 1, False)
    monkeypatch.setattr("hdlgraph.index.stages.linking.LINK_S", 1.0)
    monkeypatch.setattr("hdlgraph.index.stages.linking.LINK_FILE_S", 0.0)
    monkeypatch.setattr("hdlgraph.index.stages.linking.link", lambda *_: time.sleep(60))
    monkeypatch.setattr("hdlgraph.index.fork.can_fork", lambda: True)  # tests before left threads
    with pytest.raises(HdlgraphError, match="linking: no end after 1 s"):
        Project(tmp_path / "repository").index(embeddings=False, graphrag="never", jobs=1)
    assert store.manifest() == before
    assert Graph.load(store.hold().folder).row("module:p001/leaf.v#leaf") >= 0


def test_work_that_ended_before_its_limit_is_taken_after_it(monkeypatch):
    monkeypatch.setattr("hdlgraph.index.fork.can_fork", lambda: True)  # tests before left threads
    second = SecondProcess("work", lambda: 7, 0.3)
    time.sleep(0.5)
    assert second.result() == 7


def named(one: FileRecord, sha256: str) -> FileRecord:
    from msgspec.structs import replace

    return replace(one, sha256=sha256)


def move(records: list[FileRecord], top: str) -> list[FileRecord]:
    from msgspec.structs import replace

    return [replace(one, path=f"{top}/{one.path}") for one in records]


def lines(graph: Graph, prefix: str) -> set[str]:
    """Returns the edges that files below a folder state, as text."""
    return {
        f"{e.kind} {e.source} {e.target} {e.line} {e.text} {e.confidence} {e.resolved}"
        for e in graph.edges
        if e.path.startswith(prefix)
    }


def test_the_campaign_takes_the_time_of_linking_an_index(indexed_soc: Path) -> None:
    assert 0 < link_seconds(indexed_soc / ".hdlgraph") < 60
