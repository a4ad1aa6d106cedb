"""The parts of files that depend on others: kept while those answer as before."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import msgspec

from hdlgraph.index.filesets.fileset import Fileset
from hdlgraph.index.fork import trim
from hdlgraph.index.kept.functions import finish, key_of, last, note, while_it_holds
from hdlgraph.index.kept.unchanged import Cut
from hdlgraph.index.link import instances, references
from hdlgraph.index.link.binds import link_binds
from hdlgraph.index.link.guards import link_guards
from hdlgraph.index.link.names import Names
from hdlgraph.index.link.nodes import FileEntry
from hdlgraph.index.link.parts.asked import SIZE, Answer, Stamps, stamp
from hdlgraph.index.link.parts.declared import Declared, mark
from hdlgraph.index.link.parts.pack import NONE, Places, pack_edges, texts_of
from hdlgraph.index.link.parts.standing import Part, Standing, standing_of
from hdlgraph.model.kinds import added
from hdlgraph.store.packed.spilled import Spilled

_Answered = tuple[str, list[str], bytes]
"""What counts for all files, questions, and what stands for the answers."""
KEY = 32
"""Letters of a key that tell one file's facts from another's."""
TRIMMED = 8
"""Linked segments after which free memory goes back to the system."""
_PART = msgspec.msgpack.Decoder(Part)
_PARTS = msgspec.msgpack.Decoder(tuple[list[Part], list[Part]]).decode
_ASKED = msgspec.msgpack.Decoder(list[str]).decode
_Verified = tuple[bytes, dict[str, bytes]]
"""A world, and for each file whose part holds in it the world in which that part was made."""


class Linking:
    """Links the files of a repository, one after the other.

    Args:
        names: all that they define.
        own: what each declares.
        firsts: the first row of each, and the end of the last.
        filesets: which files belong together.
        incdirs: include folders relative to the root.
        cuts: the segments of the files.
    """

    def __init__(
        self,
        names: Names,
        own: Sequence[Declared],
        firsts: Sequence[int],
        filesets: Sequence[Fileset],
        incdirs: tuple[str, ...],
        cuts: Sequence[Cut],
    ) -> None:
        self.names, self._incdirs, self._own, self.cuts = names, incdirs, own, cuts
        self._tails = references.Tails(names)
        paths = [file.path for file in names.files]
        self._paths, self._firsts = paths, firsts
        self._stamps = Stamps(self._answers())
        shared = (names.copies.roots, filesets, incdirs, names.kin.pairs, added())
        self._all = stamp(msgspec.msgpack.encode(shared)).hex()
        self._worlds = [stamp(self._all.encode(), *(file.stamp for file in names.files))]
        self._parts: Spilled[int] = Spilled()
        """The includes and the other links of the files of each segment that was linked."""
        self._noted: list[Standing] = []
        self.stood = False
        """Whether segments stand, so that few files were linked and what is kept is asked for."""

    def standings(self) -> list[Standing]:
        """Returns what each segment adds to the graph: what is kept, or its files are linked.

        Where all files say to each other what they said in the last run, a segment whose files did
        not change is not looked at.
        """
        kept = [standing_of(cut) for cut in self.cuts]
        includes = [
            None
            if one and self._stands(at, one, "includes")
            else self._kept(at, "includes", self._includes)
            for at, one in enumerate(kept)
        ]
        for cut, parts, one in zip(self.cuts, includes, kept, strict=True):
            if parts is not None:
                self._include(cut, [part.files for part in parts])
            elif one is not None:
                self._include(cut, one.included)
        seen = ("\0".join(file.path for file in one.included) for one in self.names.files)
        self._worlds.append(stamp(self._worlds[0], *map(str.encode, seen)))
        stands = [
            one if one and includes[at] is None and self._stands(at, one, "links") else None
            for at, one in enumerate(kept)
        ]
        done: Callable[[FileEntry], None] = _nothing
        self.stood = any(stands)
        if not self.stood:
            done = _finish
            for at in range(len(self._own)):
                _ = self._own[at]
            _ = self.names.instances  # asks all records, of which none must be finished then
        self._noted = [
            self._standing(at, includes[at], done) if one is None else self._stood(at, one)
            for at, one in enumerate(stands)
        ]
        return self._noted

    def _stands(self, at: int, one: Standing, name: str) -> bool:
        """Returns whether the links of a segment hold, as all answers to their questions do."""
        count = len(self._worlds)
        if one.worlds[:count] == tuple(self._worlds):
            return True
        noted = last(_asked(name, self.cuts[at]), _Answered)
        return bool(
            noted and noted[0] == self._all and stamp(self._stamps.of(noted[1])) == noted[2]
        )

    def _stood(self, at: int, one: Standing) -> Standing:
        """Returns what a segment adds that stands; what was noted of it is there for a next run."""
        cut, worlds = self.cuts[at], tuple(self._worlds)
        for name in ("includes", "links"):
            last(_verified(name, at), msgspec.Raw)
            last(_asked(name, cut), msgspec.Raw)
        if one.worlds != worlds:
            one = msgspec.structs.replace(one, worlds=worlds)
            one.note(cut)
        return one

    def _include(self, cut: Cut, included: Sequence[Sequence[str]]) -> None:
        by_path = self.names.by_path
        for file, paths in zip(self.names.files[cut.begin : cut.end], included, strict=True):
            file.included = [by_path[path] for path in paths]

    def _standing(
        self, at: int, includes: list[Part] | None, done: Callable[[FileEntry], None]
    ) -> Standing:
        """Links the files of a segment, and notes what they add."""
        cut = self.cuts[at]
        if includes is None:
            includes = self._found(cut, "includes", partial(self._holds, None))
        links = self._kept(at, "links", self._links, done)
        self._parts.put(at, msgspec.msgpack.encode((includes, links)))
        found = Standing.made(tuple(self._worlds), self._own[cut.begin : cut.end], includes, links)
        found.note(cut)
        if at % TRIMMED == TRIMMED - 1:
            trim()
        return found

    def take(self, at: int) -> tuple[list[Part], list[Part]]:
        """Returns the includes of the files of a segment that stands, and their other edges.

        Raises:
            LookupError, ValueError: what is kept of files is of another run than what was noted.
        """
        blob = self._parts.get(at)
        if blob is not None:
            return _PARTS(blob)
        cut = self.cuts[at]
        found = self._found(cut, "includes"), self._found(cut, "links")
        noted = self._noted[at]
        if noted != Standing.made(noted.worlds, self._own[cut.begin : cut.end], *found):
            raise ValueError("a segment adds something else than was noted")
        return found

    def _found(
        self, cut: Cut, name: str, holds: Callable[[Part], bool] = lambda _: True
    ) -> list[Part]:
        """Returns the parts of the files of a segment that are kept.

        Raises:
            LookupError: one is not there, or does not hold.
        """
        return [
            while_it_holds(file.record, f"{__name__}.{name}", self._all, _PART, holds, _missing)
            for file in self.names.files[cut.begin : cut.end]
        ]

    def _kept(
        self,
        at: int,
        name: str,
        make: Callable[[FileEntry], None],
        done: Callable[[FileEntry], None] = lambda _: None,
    ) -> list[Part]:
        """Returns a part of each file of a segment: what is kept where it holds.

        Where all files say to each other what they said in the last run, all its parts hold.

        Args:
            at: the number of the segment.
            name: of what is kept.
            make: fills the builder with the edges of a file.
            done: takes a file when its part is known.
        """
        verified: dict[str, bytes]
        title, world = _verified(name, at), self._worlds[-1]
        last_world, verified = last(title, _Verified) or (b"", {})
        if last_world != world:
            verified = {}
        found = []
        holding: dict[str, bytes] = {}
        answers: dict[str, bytes] = {}
        for file in self.names.files[self.cuts[at].begin : self.cuts[at].end]:
            key = key_of(file.record)[-KEY:]
            part = while_it_holds(
                file.record, f"{__name__}.{name}", self._all, _PART,
                partial(self._holds, verified.get(key)), partial(self._made, file, make),
            )  # fmt: skip
            if key:
                holding[key] = part.world
            for number, question in enumerate(_ASKED(part.asked)):
                answers[question] = part.stamps[number * SIZE : (number + 1) * SIZE]
            found.append(msgspec.structs.replace(part, asked=NONE, stamps=b""))
            done(file)
        if self.cuts[at].key:
            questions = sorted(answers)
            whole = stamp(b"".join(map(answers.__getitem__, questions)))
            note(_asked(name, self.cuts[at]), (self._all, questions, whole))
        if (last_world, verified) != (world, holding):
            note(title, (world, holding))
        return found

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
            self._worlds[-1],
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
        at = bisect_right(self._firsts, row) - 1
        return texts_of(self._own[at].nodes, "id")[row - self._firsts[at]]

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
            references.link_cells(names, file, entry)
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


def _verified(name: str, at: int) -> str:
    """Returns the title of what is noted of the parts of a segment."""
    return f"verified {name} {at}"


def _asked(name: str, cut: Cut) -> str:
    """Returns the title of the questions that the links of a segment put, and their answers."""
    return f"asked {name} {cut.key}"


def _nothing(_: FileEntry) -> None:
    """Drops nothing."""


def _missing() -> Part:
    raise LookupError("a part that was kept is not there any more")
