"""The parts of files that depend on others: kept while those answer as before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import msgspec

from hdlgraph.index.derived import finish, key_of, last, note, while_it_holds
from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.index.link import instances, references
from hdlgraph.index.link.binds import link_binds
from hdlgraph.index.link.guards import link_guards
from hdlgraph.index.link.names import Missing, Names
from hdlgraph.index.link.nodes import FileEntry
from hdlgraph.index.link.parts.asked import Answer, Stamps, stamp
from hdlgraph.index.link.parts.declared import Declared, mark
from hdlgraph.index.link.parts.pack import NONE, EdgePart, Places, pack_edges, texts_of
from hdlgraph.model.kinds import added


class Part(msgspec.Struct, frozen=True, array_like=True):
    """What linking added for a file.

    `asked` are the questions to others, as MessagePack, `stamps` stand for the answers, `world` for
    all files when it was made; `stubs` are the places of
    stubs in the order in which they were needed, `missing` (kind, name, path, user, line) of names
    that nothing defines, `many` names with many definitions, `limited` ids of units with too many
    connections, `files` the paths of the files that the file includes, `mark` stands for the edges.
    """

    asked: memoryview
    stamps: bytes
    world: bytes
    edges: EdgePart
    stubs: list[str]
    missing: list[tuple[str, str, str, str, int]]
    many: dict[str, int]
    limited: list[str]
    files: list[str]
    mark: bytes


KEY = 32
"""Letters of a key that tell one file's facts from another's."""
_PART = msgspec.msgpack.Decoder(Part)
_ASKED = msgspec.msgpack.Decoder(list[str]).decode
_Verified = tuple[bytes, dict[str, bytes]]
"""A world, and for each file whose part holds in it the world in which that part was made."""


class Linking:
    """Links the files of a repository, one after the other.

    Args:
        names: all that they define.
        parts: what each declares.
        firsts: the first row of each, and the end of the last.
        filesets: which files belong together.
        incdirs: include folders relative to the root.
    """

    def __init__(
        self,
        names: Names,
        parts: Sequence[Declared],
        firsts: Sequence[int],
        filesets: Sequence[Fileset],
        incdirs: tuple[str, ...],
    ) -> None:
        self.names, self._incdirs = names, incdirs
        self._tails = references.Tails(names)
        self._nodes = {file.path: one.nodes for file, one in zip(names.files, parts, strict=True)}
        paths = [file.path for file in names.files]
        self._paths, self._firsts = paths, firsts
        self._stamps = Stamps(self._answers())
        shared = (names.copies.roots, filesets, incdirs, names.kin.pairs, added())
        self._all = stamp(msgspec.msgpack.encode(shared)).hex()
        self._world = stamp(self._all.encode(), *(file.stamp for file in names.files))

    def parts(self) -> list[Part]:
        """Returns the includes of all files, then all other edges of each."""
        files = self.names.files
        found = self._kept("includes", self._includes)
        for file, part in zip(files, found, strict=True):
            file.included = [self.names.by_path[path] for path in part.files]
        seen = ("\0".join(part.files).encode() for part in found)
        self._world = stamp(self._world, *seen)
        _ = self.names.instances  # asks all records, of which none must be finished then
        return found + self._kept("links", self._links, _finish)

    def _kept(
        self,
        name: str,
        make: Callable[[FileEntry], None],
        done: Callable[[FileEntry], None] = lambda _: None,
    ) -> list[Part]:
        """Returns a part of each file: what is kept where it holds.

        Where all files say to each other what they said in the last run, all its parts hold.

        Args:
            name: of what is kept.
            make: fills the builder with the edges of a file.
            done: takes a file when its part is known.
        """
        verified: dict[str, bytes]
        last_world, verified = last(f"verified {name}", _Verified) or (b"", {})
        if last_world != self._world:
            verified = {}
        found = []
        holding: dict[str, bytes] = {}
        for file in self.names.files:
            key = key_of(file.record)[-KEY:]
            part = while_it_holds(
                file.record, f"{__name__}.{name}", self._all, _PART,
                partial(self._holds, verified.get(key)), partial(self._made, file, make),
            )  # fmt: skip
            if key:
                holding[key] = part.world
            found.append(msgspec.structs.replace(part, asked=NONE, stamps=b""))
            done(file)
        if (last_world, verified) != (self._world, holding):
            note(f"verified {name}", (self._world, holding))
        return found

    def clear(self) -> None:
        """Drops the nodes of files, once all are linked."""
        self._nodes.clear()

    def _holds(self, world: bytes | None, part: Part) -> bool:
        """Returns whether a part holds; `world` is that of the one that is known to, if any."""
        return part.world == world or self._stamps.of(_ASKED(part.asked)) == part.stamps

    def _made(self, file: FileEntry, make: Callable[[FileEntry], None]) -> Part:
        names = self.names
        names.begin()
        make(file)
        asked = sorted(names.asked.all)
        places = Places(self._paths, self._firsts, list(names.stubs))
        edges = pack_edges(names.builder.take_edges(), places.of)
        return Part(
            memoryview(msgspec.msgpack.encode(asked)),
            self._stamps.of(asked),
            self._world,
            edges,
            list(names.stubs_asked),
            [(*key, line) for key, line in names.missing.items()],
            names.many,
            [self._id(row) for row in names.star_limited],
            [one.path for one in file.included],
            mark(edges),
        )

    def _id(self, row: int) -> str:
        """Returns the id of a node of a file."""
        place, rest = Places(self._paths, self._firsts, ()).of(row)
        return texts_of(self._nodes[place], "id")[rest]

    def _includes(self, file: FileEntry) -> None:
        references.link_includes(self.names, file, self._incdirs, self._tails)

    def _links(self, file: FileEntry) -> None:
        names = self.names
        references.link_imports(names, file)
        references.link_macros(names, file)
        link_guards(names, file)
        for entry in file.units:
            references.link_classes(names, file, entry)
            references.link_types(names, file, entry)
            instances.link_instances(names, file, entry)
        link_binds(names, file)

    def _answers(self) -> dict[str, Answer]:
        names = self.names
        spaces = (
            *(names.modules, names.packages, names.classes, names.added),
            *(names.aliases, names.macros),
        )
        found: dict[str, Answer] = {
            space.sign: lambda name, space=space: self._files(  # type: ignore[misc]
                one.path for one in space.quietly(name) or ()
            )
            for space in spaces
        }
        return {
            **found,
            "i": lambda name: self._files(
                file.path for file in names.instances.places.get(name, ())
            ),
            "s": lambda name: self._files(one.path for one in names.shortened.quietly(name) or ()),
            "t": lambda name: [b"t", *(one.encode() for one in self._homes(name))],
            "f": lambda path: [b"f" if path in names.by_path else b""],
            "e": self._ends,
            "v": self._seen,
        }

    def _files(self, paths: Iterable[str]) -> Iterable[bytes]:
        by_path = self.names.by_path
        return [by_path[path].stamp for path in dict.fromkeys(paths)]

    def _homes(self, name: str) -> list[str]:
        return sorted(self.names.type_homes.quietly(name) or ())

    def _ends(self, name: str) -> Iterable[bytes]:
        """Returns the files whose paths end so; of those only the path and the role count."""
        parts, _, end = name.partition("/")
        files = self._tails.space(int(parts)).quietly(end) or ()
        return [b"e", *(f"{file.path}\0{file.role}".encode() for file in files)]

    def _seen(self, path: str) -> Iterable[bytes]:
        """Returns what a file includes, directly or not."""
        files = [self.names.by_path[path]] if path in self.names.by_path else []
        found: dict[str, list[str]] = {}
        while files:
            file = files.pop()
            if file.path not in found:
                found[file.path] = [one.path for one in file.included]
                files += file.included
        return [b"v", *("\0".join((one, *more)).encode() for one, more in sorted(found.items()))]


def _finish(file: FileEntry) -> None:
    """Drops what is asked for a file alone, once that is linked."""
    finish(file.record)
    for one in file.units:
        one.close()


def missed(parts: Iterable[Part]) -> dict[Missing, int]:
    """Returns the names that nothing defines, each with its first line."""
    found: dict[Missing, int] = {}
    for part in parts:
        for kind, name, path, user, line in part.missing:
            key = Missing(kind, name, path, user)
            found[key] = min(line, found.get(key, line))
    return found
