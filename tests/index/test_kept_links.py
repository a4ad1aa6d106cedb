"""Links that are kept of unchanged files are those that linking everything anew finds.

Random repositories are edited at random. Most names have several definitions, or none.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from _graphs import module, record

from hdlgraph.graph.graph import Graph
from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.index.kept.derived import Derived
from hdlgraph.index.kept.functions import keeping
from hdlgraph.index.kept.handed import Handed, Returned, take_back
from hdlgraph.index.kept.unchanged import SHARE, cut
from hdlgraph.index.lexical import segments
from hdlgraph.index.link.link import Linked, Told, link_with_notes
from hdlgraph.index.link.parts import linked
from hdlgraph.model import (
    Bind,
    Connection,
    Explanation,
    FileRecord,
    Instance,
    Macro,
    Parameter,
    Port,
    Scope,
    Signal,
    Type,
    Unit,
)
from hdlgraph.store.cache import Cache

PATHS = tuple(
    f"{folder}/{name}"
    for folder in ("rtl", "rtl/sub", "vendor/one", "vendor/two", "dv")
    for name in ("a.sv", "b.sv", "c.svh", "d.svh")
)
UNITS = ("alpha", "beta", "gamma", "lib_x_cell", "lib_cell")
WORDS = ("p", "q", "r", "s")
TYPES = ("t_one", "t_two", "t_three")
CLASSES = ("driver", "monitor", "base")
MACROS = ("M_ONE", "M_TWO", "M_THREE")


class Maker:
    """Makes random facts of files."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def some(self, names: Sequence[str], most: int = 3) -> list[str]:
        """Returns some of the names, in any order, none twice."""
        return self.random.sample(names, self.random.randint(0, min(most, len(names))))

    def one(self, names: Sequence[str]) -> str:
        """Returns one of the names."""
        return self.random.choice(names)

    def line(self) -> int:
        """Returns the number of a line."""
        return self.random.randint(1, 40)

    def wires(self) -> tuple[Connection, ...]:
        """Returns connections by name, by order or all."""
        kind = self.random.randint(0, 4)
        if kind == 0:
            return (Connection("*", "", (), self.line()),)
        if kind == 1:
            return tuple(Connection("", w, (w,), 0, at) for at, w in enumerate(self.some(WORDS)))
        paths = ("u_0.q",) if kind == 2 else ()
        return tuple(
            Connection(w, f"{w}.x", (w,), self.line(), paths=paths) for w in self.some(WORDS)
        )

    def types(self) -> tuple[Type, ...]:
        """Returns declarations of types, some of them other names of classes."""
        return tuple(
            Type(name, "alias", (self.one((*CLASSES, *TYPES)),), self.line(), self.line())
            if self.random.random() < 0.3
            else Type(name, "enum", ("A", "B"), self.line(), self.line())
            for name in self.some((*TYPES, *CLASSES))
        )

    def instances(self) -> tuple[Instance, ...]:
        """Returns instances of known and unknown units."""
        return tuple(
            Instance(
                f"u_{at}",
                self.one((*UNITS, "nowhere")),
                self.line(),
                self.line(),
                tuple((name, "3") for name in self.some(("W", "#0"), 1)),
                self.wires(),
                tuple(Scope(self.one(("g", "u_0")), "x", 1) for _ in self.some("x")),
                witnesses=self.random.randint(0, 3),
            )
            for at in range(self.random.randint(0, 3))
        )

    def unit(self, kind: str, name: str) -> Unit:
        """Returns a unit that declares and uses something of all."""
        return Unit(
            kind,
            name,
            self.line(),
            self.line() + 40,
            ports=tuple(
                Port(w, self.one(("input", "output")), self.one(TYPES), self.line())
                for w in self.some(WORDS)
            ),
            signals=tuple(Signal(w, self.one((*CLASSES, "pkg_a::t_one", "logic")), self.line())
                          for w in self.some(WORDS)),
            parameters=tuple(
                Parameter(w, self.one(("parameter", "type")), "", self.one(CLASSES), self.line())
                for w in self.some(("W", "base"))
            ),
            instances=self.instances() if kind == "module" else (),
            imports=tuple((p, self.line()) for p in self.some(("pkg_a", "pkg_b", "driver"))),
            types=self.types() if kind in ("package", "module") else (),
            extends=self.one(("", "base", "pkg_a::base", "t_one")) if kind == "class" else "",
            factory=tuple((c, self.line()) for c in self.some(CLASSES)) if kind == "class" else (),
            parent=self.one(("", "pkg_a")) if kind == "class" else "",
        )  # fmt: skip

    def file(self, path: str) -> FileRecord:
        """Returns the facts of a file."""
        units = [self.unit("module", name) for name in self.some(UNITS, 2)]
        units += [self.unit("package", name) for name in self.some(("pkg_a", "pkg_b"), 1)]
        units += [self.unit("class", name) for name in self.some(CLASSES, 2)]
        headers = ("a.sv", "c.svh", "sub/c.svh", "../one/d.svh", "none.svh")
        binds = tuple(
            Bind(self.one((*UNITS, "u_0", "alpha.u_0", "beta: u_1")), self.one(UNITS), name,
                 self.line(), self.wires())
            for name in self.some(("i_a", "i_b"), 1)
        )  # fmt: skip
        return record(
            path,
            *units,
            role="testbench" if path.startswith("dv/") else "rtl",
            includes=tuple((name, self.line()) for name in self.some(headers, 2)),
            macros=tuple(Macro(name, "", "1", self.line()) for name in self.some(MACROS, 2)),
            macro_uses=tuple((name, self.line()) for name in sorted(self.some((*MACROS, "NO")))),
            imports=tuple((p, self.line()) for p in self.some(("pkg_a", "pkg_b"), 1)),
            types=self.types(),
            binds=binds,
        )

    def edit(self, files: dict[str, FileRecord]) -> None:
        """Changes a few files: adds, removes, moves, replaces, or moves lines alone."""
        for _ in range(self.random.randint(1, 3)):
            path = self.one(sorted(files))
            what = self.random.randint(0, 6)
            if what == 0 and len(files) > 3:
                del files[path]
            elif what == 1:
                new = self.one(PATHS)
                files[new] = self.file(new)
            elif what == 2:
                new = self.one(PATHS)
                files[new] = msgspec.structs.replace(files.pop(path), path=new)
            elif what == 3:
                files[path] = self.part(files[path])
            elif what == 4:
                files[path] = self.field(files[path])
            elif what == 5:
                role = self.one(("rtl", "testbench", "vendored"))
                files[path] = msgspec.structs.replace(files[path], role=role)
            else:
                units = tuple(
                    msgspec.structs.replace(unit, line=unit.line + 1, comment="More.")
                    for unit in files[path].units
                )
                files[path] = msgspec.structs.replace(files[path], units=units, n_lines=50)

    def part(self, file: FileRecord) -> FileRecord:
        """Returns a file of which one thing is another: a unit, an include, a macro."""
        other, name = self.file(file.path), self.one(("units", "includes", "macros", "types"))
        return msgspec.structs.replace(file, **{name: getattr(other, name)})

    def field(self, file: FileRecord) -> FileRecord:
        """Returns a file in which one thing of one unit is another: its parameters, its ports."""
        if not file.units:
            return file
        at = self.random.randrange(len(file.units))
        unit = file.units[at]
        other = self.unit(unit.kind, unit.name)
        name = self.one(("parameters", "ports", "instances", "types", "parent", "signals"))
        unit = msgspec.structs.replace(unit, **{name: getattr(other, name)})
        units = (*file.units[:at], unit, *file.units[at + 1 :])
        return msgspec.structs.replace(file, units=units)

    def filesets(self, files: Sequence[str]) -> list[Fileset]:
        """Returns two sets of files, one of which needs the other."""
        return [
            Fileset("one", "rtl/one.core", tuple(sorted(self.some(files, 4))), ("two",)),
            Fileset("two", "vendor/two.core", tuple(sorted(self.some(files, 4)))),
        ]


def with_hash(file: FileRecord) -> FileRecord:
    """Returns a file with a hash of what it says, without its path: copies are found by it."""
    plain = msgspec.structs.replace(file, path="", sha256="")
    return msgspec.structs.replace(
        file, sha256=hashlib.sha256(msgspec.msgpack.encode(plain)).hexdigest()
    )


def told_of(files: Sequence[FileRecord]) -> Told:
    said = {
        one.path: Explanation(path=one.path, purpose="Counts.", concepts=("queue",), model="m")
        for one in files
    }
    return Told(said, {})


def kept_of(known: dict[str, dict[str, bytes]], found: Returned) -> dict[str, dict[str, bytes]]:
    """Returns what a cache holds after a run."""
    return {
        name: {**known.get(name, {}), **found.new.get(name, {})} for name in {*known, *found.new}
    }


def written(found: Linked, folder: Path) -> dict[str, bytes]:
    found.graph.save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files whose edges are made and not kept, as they are."""
    paths: list[str] = []
    make = linked.Linking._made
    monkeypatch.setattr(
        linked.Linking, "_made",
        lambda self, file, how: (paths.append(file.path), make(self, file, how))[1],
    )  # fmt: skip
    return paths


@pytest.mark.parametrize("seed", range(20))
def test_kept_links_are_those_of_a_fresh_run(
    seed: int, tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 3:  # in segments of few files
        monkeypatch.setattr(segments, "LEAST", SHARE)
        monkeypatch.setattr(segments, "MOST", (2 + seed % 4) * SHARE)
    if seed % 2:  # as in a large repository little is held of files that are not at hand
        for name in ("kept.derived.OPEN", "link.parts.declared.HELD", "link.nodes.Held.MOST"):
            monkeypatch.setattr(f"hdlgraph.index.{name}", 1)
    maker, cache = Maker(seed), {"linked": {}}
    files = {path: maker.file(path) for path in PATHS[:: 1 + seed % 2]}
    sets, spared = maker.filesets(sorted(files)), 0
    for number in range(12):
        records = [with_hash(file) for _, file in sorted(files.items())]
        given = {"incdirs": ("vendor/one",), "filesets": sets}
        told = told_of(records)
        keys = {
            one.path: hashlib.sha256(msgspec.msgpack.encode(one)).hexdigest() for one in records
        }
        handed = Handed(cache)
        made.clear()
        with keeping(Derived(handed, "linked", records, keys)):
            found = link_with_notes(records, lambda told=told: told, **given)
        cache = kept_of(cache, handed.to_return())
        spared += 2 * len(records) - len(made)
        fresh = link_with_notes(records, lambda told=told: told, **given)
        assert found.notes == fresh.notes
        updated = written(found, tmp_path / f"{number}")
        assert updated == written(fresh, tmp_path / f"{number}-fresh")
        maker.edit(files)
        if maker.random.random() < 0.2:
            sets = maker.filesets(sorted(files))
    assert spared > 20


def test_a_changed_line_links_no_other_file(made: list[str]) -> None:
    maker, cache = Maker(5), {"linked": {}}
    files = [with_hash(maker.file(path)) for path in PATHS]
    for _ in range(2):
        made.clear()
        keys = {file.path: f"{file.path} {file.n_lines}" for file in files}
        handed = Handed(cache)
        with keeping(Derived(handed, "linked", files, keys)):
            link_with_notes(files)
        cache = kept_of(cache, handed.to_return())
        files[3] = msgspec.structs.replace(files[3], n_lines=77)
    assert made == [PATHS[3], PATHS[3]]  # its includes, its other edges


def test_what_nobody_asks_for_leaves_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LEAST", SHARE)
    monkeypatch.setattr(segments, "MOST", 3 * SHARE)
    looked: list[tuple[int, str]] = []
    keep = linked.Linking._kept

    def kept_parts(self: linked.Linking, at: int, name: str, *more: object) -> list[linked.Part]:
        looked.append((at, name))
        return keep(self, at, name, *more)

    monkeypatch.setattr(linked.Linking, "_kept", kept_parts)
    maker, cache, rounds = Maker(5), {"linked": {}}, []
    files = [with_hash(maker.file(path)) for path in PATHS]
    for name in ("solo", "alone", "alone"):
        solo = with_hash(record("zz/solo.sv", module(name)))
        looked.clear()
        records = [*files, solo]
        keys = {one.path: f"{one.path} {one.sha256}" for one in records}
        handed = Handed(cache)
        with keeping(Derived(handed, "linked", records, keys)):
            cuts = cut(sorted(records, key=lambda one: one.path))
            link_with_notes(records)
        cache = kept_of(cache, handed.to_return())
        rounds.append(list(looked))
    last_one = len(cuts) - 1
    assert len(rounds[0]) == 2 * len(cuts) > 8
    assert rounds[1:] == [[(last_one, "includes"), (last_one, "links")], []]


def damaged(part: list, number: int) -> list:
    """Returns what is kept of a file with other bytes in it, as a stranger might write them."""
    if isinstance(part, list):
        return [damaged(one, number) for one in part]
    if isinstance(part, bytes) and len(part) > 12:
        at = 4 * (number % (len(part) // 4))
        return part[:at] + (b"\xff" * 4, b"\x7f" * 4, b"\x09\0\0\0")[number % 3] + part[at + 4 :]
    return part


@pytest.mark.parametrize("number", range(9))
def test_a_cache_that_no_run_wrote_ends_in_a_sound_graph(number: int, tmp_path: Path) -> None:
    maker = Maker(number)
    files = [with_hash(maker.file(path)) for path in PATHS]
    keys = {file.path: file.path for file in files}
    handed = Handed({})
    with keeping(Derived(handed, "linked", files, keys)):
        link_with_notes(files)
    known = kept_of({}, handed.to_return())
    for key, blob in known["linked"].items():
        kept = msgspec.msgpack.decode(blob)
        for one in kept.values():  # their answers stay: so they are believed
            one[1] = [damaged(part, number) if at != 1 else part for at, part in enumerate(one[1])]
        known["linked"][key] = msgspec.msgpack.encode(kept)
    with keeping(Derived(Handed(known), "linked", files, keys)):
        link_with_notes(files).graph.save(tmp_path)
    graph = Graph.load(tmp_path)
    assert len(list(graph.nodes)) > len(files)
    assert list(graph.edges)


@pytest.mark.parametrize("number", range(12))
def test_a_note_that_no_run_wrote_ends_in_a_sound_graph(number: int, tmp_path: Path) -> None:
    files = [with_hash(Maker(2).file(path)) for path in PATHS]
    keys = {file.path: file.path for file in files}
    handed = Handed({})
    with keeping(Derived(handed, "linked", files, keys)):
        fresh = link_with_notes(files)
    known = kept_of({}, handed.to_return())
    contents = known["linked contents"]
    (title,) = (name for name in contents if ":standing-" in name)
    noted = msgspec.msgpack.decode(contents[title])
    noted[number] = noted[(number + 1) % 12] if number % 2 else type(noted[number])()
    contents[title] = msgspec.msgpack.encode(noted)
    with keeping(Derived(Handed(known), "linked", files, keys)):
        found = link_with_notes(files)
    assert list(found.graph.nodes)[:9] == list(fresh.graph.nodes)[:9]
    found.graph.save(tmp_path)
    assert len(list(Graph.load(tmp_path).edges)) > 9


def test_what_another_process_leaves_in_a_file_comes_into_the_cache(tmp_path: Path) -> None:
    maker, place = Maker(3), tmp_path / "left"
    files = [with_hash(maker.file(path)) for path in PATHS]
    keys = {file.path: file.path for file in files}
    left = []
    for handed in (Handed({}), Handed({}, place)):
        with keeping(Derived(handed, "linked", files, keys)) as derived:
            link_with_notes(files)
            assert not derived.has(files[0])  # all is handed over before the tables are made
        left.append(handed.to_return())
    filed = left[1]
    assert (filed.new, filed.file) == ({}, place)
    assert place.stat().st_size > 1000
    found = []
    for number, returned in enumerate(left):
        cache = Cache(tmp_path / f"{number}.sqlite")
        take_back(cache, "linked", returned)
        rows = cache._db.execute("SELECT namespace, key, value FROM kv").fetchall()
        found.append(sorted(rows))
        cache.close()
    assert found[0] == found[1]
    assert not place.exists()
