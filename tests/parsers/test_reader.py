"""A reader of another kind of file, added from outside of the package."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from hdlgraph.errors import UsageError
from hdlgraph.index.discover.files import discover
from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.index.request import readers_digest
from hdlgraph.model import FileRecord, kinds
from hdlgraph.parsers import registry
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.project import Project
from hdlgraph.safety import plugins

TOY = '''
import os

from hdlgraph.model import FileRecord, Role, Unit
from hdlgraph.model.kinds import Entity, Relation, add_entity, add_relation
from hdlgraph.parsers.reader import Reader, Statement

add_entity(Entity("gadget", is_unit=True, walked_as="unit"))
add_relation(Relation("COOLS", "cools", "cooled by", weight=0.5))


class Toy(Reader):
    """Reads lines `gadget NAME what it is for`; dies on a file that says so."""

    name = "toy"
    suffixes = (".toy",)
    levels = {"all": "toy reader", "lines": "toy lines"}

    def role_of(self, path, head):
        return Role.GENERATED if "made by" in head else None

    def open(self, repository):
        return self.read

    def read(self, source, level):
        text = source.data.decode()
        if "die" in text and level == "all":
            os._exit(3)
        if "raise" in text:
            raise RuntimeError("no such gadget")
        encoding = 5 if "wrong" in text and level == "all" else "utf-8"
        units = []
        for number, line in enumerate(text.splitlines(), 1):
            word, _, rest = line.partition(" ")
            name, _, about = rest.partition(" ")
            if word == "gadget":
                units.append(Unit("gadget", name, number, number, about))
        return FileRecord(
            path="elsewhere", sha256="", role="", language="toy", size=source.size,
            n_lines=text.count("\\n"), encoding=encoding, units=tuple(units), layers=("toy",),
        )

    def relations(self, record):
        if record.path == "bad.toy":
            raise LookupError("no relations")
        for unit in record.units:
            for name in unit.comment.split():
                yield Statement("COOLS", unit.name, name, unit.line, unit.comment, 0.9)
                yield Statement("UNDECLARED", unit.name, name, unit.line)


READER = Toy()
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a module that a program added by its name."""
    monkeypatch.setattr(kinds, "_ENTITIES", dict(kinds._ENTITIES))
    monkeypatch.setattr(kinds, "_RELATIONS", dict(kinds._RELATIONS))
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "toy_reader.py").write_text(TOY)
    monkeypatch.syspath_prepend(folder)
    registry.add_reader("toy_reader:READER")
    yield folder / "toy_reader.py"
    registry.remove_reader("toy")
    sys.modules.pop("toy_reader", None)


def repository(tmp_path: Path, **files: str) -> Path:
    root = tmp_path / "design"
    root.mkdir()
    (root / "top.sv").write_text("// The top.\nmodule top; endmodule\n")
    for name, text in files.items():
        (root / f"{name}.toy").write_text(text)
    return root


def facts(root: Path) -> list[FileRecord]:
    (path,) = (root / ".hdlgraph").glob("gen-*/facts.msgpack")
    return msgspec.msgpack.decode(path.read_bytes(), type=list[FileRecord])


def index(root: Path):
    return Project(root).index(graphrag="never", embeddings=False)


def test_a_toy_file_is_read_indexed_and_found(toy: Path, tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        pump="gadget water_pump lifts water out of the sump\n",
        made="made by a tool\n",
        deadly="gadget lamp\ndie\n",
        bad="raise\n",
    )
    report = index(root)
    assert report.files == 5
    records = {record.path: record for record in facts(root)}
    pump = records["pump.toy"]
    assert (pump.language, pump.layers, pump.units[0].name) == ("toy", ("toy",), "water_pump")
    assert pump.sha256
    assert pump.role == "rtl"
    assert records["made.toy"].role == "generated"
    assert records["deadly.toy"].units[0].name == "lamp"
    assert records["deadly.toy"].degraded == "toy reader ended with exit code 3"
    assert records["bad.toy"].degraded == (
        "toy reader: RuntimeError: no such gadget; toy lines: RuntimeError: no such gadget"
    )
    assert records["top.sv"].degraded == ""
    hits = Project(root).search("what lifts water from the sump").hits
    assert hits[0].path == "pump.toy"
    shown = Project(root).show("water_pump")["definitions"]
    assert [(one["kind"], one["location"]) for one in shown] == [("gadget", "pump.toy:1")]


def test_a_record_of_wrong_types_costs_one_level_of_one_file(toy: Path, tmp_path: Path) -> None:
    root = repository(tmp_path, lamp="gadget lamp wrong\n", pump="gadget pump moves water\n")
    report = index(root)
    assert report.degraded == (
        "lamp.toy: toy reader answered with no record: Expected `str`, got `int` - at `$[6]`",
    )
    assert Project(root).show("lamp")["definitions"][0]["path"] == "lamp.toy"
    assert Project(root).show("pump")["definitions"][0]["path"] == "pump.toy"


def test_what_a_reader_states_is_linked(toy: Path, tmp_path: Path) -> None:
    root = repository(
        tmp_path, top="gadget top is not the module\n", fan="gadget fan cools top and cpu, daily\n"
    )
    (root / "cpu.sv").write_text("// Calculates.\nmodule cpu; top u_top(); endmodule\n")
    (root / "bad.toy").write_text("gadget bad thing\n")
    report = index(root)
    assert [note for note in report.notes if "no relations" in note] == [
        "bad.toy: toy reader: LookupError: no relations"
    ]
    users = Project(root).who("top")["users"]
    said = {(one["kind"], one["user_name"], one["target"]) for one in users}
    # A module is an instance of modules alone, whatever else has the name.
    assert said == {
        ("INSTANTIATES", "cpu", "module:top.sv#top"),
        ("COOLS", "fan", "gadget:top.toy#top"),
    }
    graph = Project(root).graph()
    (edge,) = (edge for edge in graph.edges if edge.kind == "COOLS")
    assert (edge.source, edge.path, edge.line, edge.confidence) == (
        "gadget:fan.toy#fan", "fan.toy", 1, 0.9,
    )  # fmt: skip


def test_a_new_interpreter_that_links_knows_what_was_added(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hdlgraph.index.fork.can_fork", lambda: False)
    root = repository(tmp_path, pump="gadget pump moves water\n")
    index(root)
    (found,) = Project(root).show("pump")["definitions"]
    assert (found["kind"], found["path"]) == ("gadget", "pump.toy")


def test_without_the_reader_such_files_are_left_alone(tmp_path: Path) -> None:
    root = repository(tmp_path, pump="gadget water_pump\n")
    assert [file.path for file in discover(root).files] == ["top.sv"]


def test_files_that_no_filelist_names_come_along(toy: Path, tmp_path: Path) -> None:
    root = repository(tmp_path, pump="gadget water_pump\n")
    (root / "other.sv").write_text("module other; endmodule\n")
    (root / "all.f").write_text("top.sv\n")
    found = discover(root, filelist=root / "all.f")
    assert [file.path for file in found.files] == ["pump.toy", "top.sv"]


def test_the_cache_key_names_the_reader_and_its_code(toy: Path) -> None:
    first = readers_digest()
    toy.write_text(TOY + "# another byte\n")
    second = readers_digest()
    registry.remove_reader("toy")
    assert len({first, second, readers_digest()}) == 3


def test_a_reader_that_only_the_parent_can_import_harms_no_other_file(
    toy: Path, tmp_path: Path
) -> None:
    toy.write_text("import a_neighbour_of_the_program\n" + TOY)  # it was imported before
    root = repository(tmp_path, pump="gadget water_pump\n")
    report = index(root)
    assert len(report.degraded) == 1
    assert "toy_reader:READER cannot be imported by a worker process" in report.degraded[0]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("READER = 5", "is no instance of"),
        ("READER = Reader()", "needs a name, a level, and suffixes"),
        ("READER = type('A', (Reader,), dict(name='a', suffixes=('.sv',)))()", "suffix .sv"),
        ("READER = type('A', (Reader,), dict(name='rtl', suffixes=('.a',)))()", "name 'rtl'"),
        ("pass", "cannot be imported"),
    ],
)  # fmt: skip
def test_a_reader_in_the_way_is_refused(
    body: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wrong_reader.py").write_text(
        f"from hdlgraph.parsers.reader import Reader\n{body}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match=why):
        registry.add_reader("wrong_reader:READER")
    sys.modules.pop("wrong_reader", None)
    assert [one.name for one in registry.readers()] == ["rtl"]


def test_installed_packages_name_theirs_by_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "toy-1.2.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.2\n")
    (folder / "entry_points.txt").write_text("[hdlgraph.readers]\ntoy = toy_reader:READER\n")
    monkeypatch.syspath_prepend(tmp_path)  # a folder that is merely searched does not count
    assert list(plugins.installed(registry.ENTRY_POINTS)) == []
    monkeypatch.setattr(plugins, "_folders", lambda: [str(tmp_path)])
    assert list(plugins.installed(registry.ENTRY_POINTS)) == [("toy_reader:READER", "toy 1.2")]


def test_a_package_is_loaded_from_its_file(tmp_path: Path) -> None:
    package = tmp_path / "toy_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "names.py").write_text("NAME = 'toy'\n")
    (package / "inner.py").write_text("from toy_package.names import NAME\n")
    plugin = plugins.Plugin("toy_package.inner", "NAME", str(package / "__init__.py"))
    assert plugins.load(plugin) == "toy"
    names = [path.name for path in plugins.code(plugin)]
    assert names == ["__init__.py", "inner.py", "names.py"]
    for name in ("toy_package", "toy_package.names", "toy_package.inner"):
        sys.modules.pop(name)


def test_an_unreadable_file_has_a_record(toy: Path, tmp_path: Path) -> None:
    record = Extractor(tmp_path, IncludeIndex(["no.toy"])).extract("no.toy", "", "rtl")
    assert (record.path, record.language) == ("no.toy", "toy")
    assert record.degraded.startswith("unreadable")
