"""Finds the keys of facts: those of the last run for files of which nothing says otherwise.

A key depends on the file, on the files that it includes at any depth, on the macros that it takes
from others, and on how files are read. Which macros there are to take is told by the files that
define some or take some back. So where the same paths are there, read in the same way, and no
such definition is another, only the files that changed and those that include one of them have
other keys; for what else is changed all keys are found anew.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.parse.cache import FactKeys, included_names
from hdlgraph.index.parse.macros import Lender, defining, scans_of
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.macros.scan import MacroScan
from hdlgraph.store.cache import Cache

BLOCK = 256
"""Files whose keys are kept in one piece, of which an edit writes one or a few."""
_SPACE, _HEAD = "keys", "head"


class _Block(msgspec.Struct, array_like=True, gc=False):
    """What is kept of neighbouring files.

    `includes`: (names, the files that they mean) of each path that includes some. `scans`: of the
    files that define macros or take some back.
    """

    states: list[str]
    keys: list[str]
    includes: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
    scans: dict[str, MacroScan]


class _Head(msgspec.Struct, array_like=True):
    """How the files were read, and the digest of each block."""

    how: str
    incdirs: tuple[str, ...]
    blocks: list[bytes]


def fact_keys(
    root: Path,
    sources: Sequence[SourceFile],
    store: Cache,
    how: str,
    incdirs: Sequence[str] = (),
    defines: Iterable[str] = (),
    shares: Shares = ALONE,
) -> FactKeys:
    """Returns the keys of the facts of all files, and notes them for the next run.

    Args:
        root: the repository.
        sources: its files, sorted by path.
        store: where the last run noted them.
        how: a digest of all that facts depend on besides files and `incdirs`.
        incdirs: include folders.
        defines: `NAME` or `NAME=value`, of settings and filelists; `how` depends on them.
        shares: who reads files that are not known.
    """
    return _Finder(
        root.resolve(), sources, store, how, tuple(incdirs), tuple(defines), shares
    ).find()


class _Finder:
    """Finds the keys of one run; see `fact_keys`."""

    def __init__(
        self,
        root: Path,
        sources: Sequence[SourceFile],
        store: Cache,
        how: str,
        incdirs: tuple[str, ...],
        defines: tuple[str, ...],
        shares: Shares,
    ) -> None:
        self.root, self.sources, self.store = root, sources, store
        self.how, self.incdirs, self.defines, self.shares = how, incdirs, defines, shares
        self.sums: list[bytes] = []
        self.states = [f"{one.path}\0{one.role}\0{one.sha256}" for one in sources]

    def find(self) -> FactKeys:
        blocks = self._read()
        changed = None if blocks is None else self._changed(blocks)
        if blocks is None or changed is None:
            return self._anew()
        return self._after(blocks, changed) or self._anew()

    def _read(self) -> list[_Block] | None:
        """Returns what the last run noted, None where it read in another way or it is damaged."""
        with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
            head = self._decoded(_HEAD, _Head)
            if head is None or (head.how, head.incdirs) != (self.how, self.incdirs):
                return None
            names = [str(at) for at in range(len(head.blocks))]
            found = self.store.get_many(_SPACE, names)
            if [_sum(found.get(name, b"")) for name in names] != head.blocks:
                return None
            self.sums = head.blocks
            decode = msgspec.msgpack.Decoder(_Block).decode
            return [decode(found[name]) for name in names]
        return None

    def _decoded(self, name: str, kind: type[_Head]) -> _Head | None:
        data = self.store.get_many(_SPACE, [name]).get(name)
        return None if data is None else msgspec.msgpack.decode(data, type=kind)

    def _changed(self, blocks: Sequence[_Block]) -> list[int] | None:
        """Returns the places of the files that changed, None where there are other paths."""
        if len(blocks) != -(-len(self.sources) // BLOCK):
            return None
        found = []
        for at, block in zip(range(0, len(self.states), BLOCK), blocks, strict=True):
            states = self.states[at : at + BLOCK]
            if not len(states) == len(block.states) == len(block.keys):
                return None
            if states != block.states:
                for place, (now, then) in enumerate(zip(states, block.states, strict=True), at):
                    if now.partition("\0")[0] != then.partition("\0")[0]:
                        return None
                    found += [place] if now != then else []
        return found

    def _anew(self) -> FactKeys:
        """Returns the keys of all files, none of them taken over."""
        names = included_names(self.root, self.sources, self.store, self.shares)
        keys = FactKeys(self.sources, names, self.incdirs, self.how)
        scans = self._scans(self.sources)
        keys.lend = Lender(keys, scans, self.defines)
        self.sums = []
        blocks = []
        for at in range(0, len(self.sources), BLOCK):
            paths = [one.path for one in self.sources[at : at + BLOCK]]
            blocks.append(
                _Block(
                    self.states[at : at + BLOCK],
                    [keys.key(path) for path in paths],
                    {
                        path: (names[path], _sorted(keys.direct[path]))
                        for path in paths
                        if names[path]
                    },
                    defining({path: scans[path] for path in paths if path in scans}),
                )
            )
        self._note(dict(enumerate(blocks)))
        return keys

    def _after(self, blocks: Sequence[_Block], changed: Sequence[int]) -> FactKeys | None:
        """Returns the keys after an edit, None where all are to be found anew."""
        some = [self.sources[at] for at in changed]
        scans = {path: scan for block in blocks for path, scan in block.scans.items()}
        if not self._redefine(blocks, scans, changed):
            return None
        paths = {one.path: at for at, one in enumerate(self.sources)}
        known = dict(zip(paths, (key for block in blocks for key in block.keys), strict=True))
        direct = {path: {*found} for block in blocks for path, (_, found) in block.includes.items()}
        if not _is_ours(known, scans, direct):
            return None
        direct |= self._included(blocks, changed)
        others = sorted(_includers(direct, [one.path for one in some]))
        for path in others:
            del known[path]
        keys = FactKeys(self.sources, {}, (), self.how, direct, known)
        told = self._scans([self.sources[paths[path]] for path in others])
        keys.lend = Lender(
            keys, scans, self.defines, lambda path: told.get(path) or self._scan(keys.sources[path])
        )
        for path in others:
            at = paths[path]
            blocks[at // BLOCK].keys[at % BLOCK] = keys.key(path)
        for at in changed:
            blocks[at // BLOCK].states[at % BLOCK] = self.states[at]
        touched = {at // BLOCK for at in (*changed, *map(paths.__getitem__, others))}
        self._use()
        self._note({at: blocks[at] for at in sorted(touched)})
        return keys

    def _redefine(
        self, blocks: Sequence[_Block], scans: dict[str, MacroScan], changed: Sequence[int]
    ) -> bool:
        """Returns whether changed files define what they did; notes then what else they say."""
        fresh = self._scans([self.sources[at] for at in changed])
        for at in changed:
            path = self.sources[at].path
            now, then = fresh.get(path, MacroScan()), scans.get(path, MacroScan())
            if _definitions(now) != _definitions(then):
                return False
            if path in scans:
                scans[path] = blocks[at // BLOCK].scans[path] = now
        return True

    def _included(self, blocks: Sequence[_Block], changed: Sequence[int]) -> dict[str, set[str]]:
        """Returns what changed files include where that is new, and notes it in their blocks."""
        some = [self.sources[at] for at in changed]
        names = included_names(self.root, some, self.store, self.shares)
        found: dict[str, set[str]] = {}
        index: IncludeIndex | None = None
        for at in changed:
            path, known = self.sources[at].path, blocks[at // BLOCK].includes
            if known.get(path, ((), ()))[0] == names[path]:
                continue
            index = index or IncludeIndex((one.path for one in self.sources), self.incdirs)
            means = {one for name in names[path] if (one := index.resolve(path, name))}
            found[path] = means
            known[path] = names[path], _sorted(means)
        return found

    def _scans(self, some: Sequence[SourceFile]) -> dict[str, MacroScan]:
        return scans_of(self.root, some, self.how, self.store, self.shares)

    def _scan(self, source: SourceFile) -> MacroScan | None:
        return self._scans([source]).get(source.path)

    def _use(self) -> None:
        """Records that all is used of what finding keys anew would read."""
        self.store.use("includes", {one.sha256 for one in self.sources})
        self.store.use("macros", [f"{one.sha256} {self.how}" for one in self.sources])

    def _note(self, blocks: Mapping[int, _Block]) -> None:
        """Notes blocks by their number, and leaves the others as they are."""
        encode = msgspec.msgpack.Encoder(order="deterministic").encode
        found = {str(at): encode(block) for at, block in blocks.items()}
        sums = dict(enumerate(self.sums)) | {at: _sum(found[str(at)]) for at in blocks}
        head = _Head(self.how, self.incdirs, [sums[at] for at in range(len(sums))])
        if found:
            self.store.put_many(_SPACE, {**found, _HEAD: encode(head)})


def _is_ours(
    known: Mapping[str, str], scans: Mapping[str, MacroScan], direct: Mapping[str, set[str]]
) -> bool:
    """Returns whether a note is of these files; of others nobody but a stranger wrote it."""
    named = set(scans).union(direct, *direct.values())
    return len({*known.values()}) == len(known) and known.keys() >= named


def _definitions(scan: MacroScan) -> tuple[list[tuple[object, ...]], frozenset[str]]:
    """Returns what of a file counts for others: where in it a macro stands does not."""
    return [(one.name, one.text, one.uses, one.means) for one in scan.defines], scan.undefines


def _sum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _sorted(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(paths))


def _includers(direct: Mapping[str, Iterable[str]], paths: Sequence[str]) -> set[str]:
    """Returns some files, and those that include one of them at any depth."""
    inverse = defaultdict(list)
    for path, found in direct.items():
        for one in found:
            inverse[one].append(path)
    seen, front = set(paths), [*paths]
    while front:
        fresh = {*inverse.get(front.pop(), ())} - seen
        seen |= fresh
        front += fresh
    return seen
