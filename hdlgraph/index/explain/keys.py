"""The keys of the explanations of all files, and the digests of these, as the last run had them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache as once
from functools import cached_property

from hdlgraph.index.explain.by_rules.explainer import Explainer
from hdlgraph.index.explain.neighbourhood import Surroundings
from hdlgraph.index.kept.derived import DIGEST
from hdlgraph.index.kept.functions import last, note
from hdlgraph.index.kept.unchanged import Cut, cut
from hdlgraph.index.request import program_digest
from hdlgraph.model import FileRecord
from hdlgraph.store.cache import Cache
from hdlgraph.store.packed.values import Blob, Views

SIZE = 16
"""Bytes of a key, and of what stands for a file."""
ROW = 2 * SIZE + 2 * DIGEST
"""Bytes of what is noted of a file: what stands for it, its key, the digests of its explanation."""
_UNKNOWN = bytes(2 * DIGEST)
_Noted = tuple[bytes, dict[bytes, bytes]]
"""What others say, and the rows of each segment under what stands for its files."""


class Keys:
    """Keys of explanations: where a file and all around it are the same, those of the last run.

    Args:
        explainer: who explains.
        facts: the key of each path's facts.
        around: the surroundings of the files.
        records: the facts of all files, sorted by path.
    """

    def __init__(
        self,
        explainer: Explainer,
        facts: Mapping[str, str],
        around: Surroundings,
        records: Sequence[FileRecord],
    ) -> None:
        self._explainer, self._facts, self._around = explainer, facts, around
        self._records = records
        said = f"{explainer.name}\0{explainer.version}\0{program_digest()}\0"
        self._writer = said.encode()
        self._state = hashlib.blake2b(self._writer + explainer.state, digest_size=SIZE).digest()
        self._last: dict[bytes, bytes]
        state, self._last = last("explained", _Noted) or (b"", {})
        if state != self._state:
            self._last = {}
        self._cuts = [(one, self._stamp(one)) for one in cut(records)]
        self._rows: dict[str, bytes] = {}
        for one, stamp in self._cuts:
            self._rows.update(self._of(one, stamp))

    def key(self, path: str) -> str:
        """Returns the key of the explanation of a file."""
        return self._rows[path][SIZE : 2 * SIZE].hex()

    def digests(self, path: str) -> bytes:
        """Returns the digests of the explanation of a file, see `packed`."""
        return self._rows[path][2 * SIZE :]

    def unknown(self, records: Sequence[FileRecord], cache: Cache) -> list[FileRecord]:
        """Returns the files whose explanation nobody keeps, of those without digests."""
        asked = [one for one in records if self._rows[one.path].endswith(_UNKNOWN)]
        known = cache.views("explanations", [self.key(one.path) for one in asked])
        missing = []
        for record in asked:
            blob = known.get(self.key(record.path))
            if blob is None:
                missing.append(record)
            else:
                self.add(record.path, blob)
        return missing

    def add(self, path: str, blob: Blob) -> None:
        """Takes the digests of an explanation from what is kept of it."""
        self._rows[path] = self._rows[path][: 2 * SIZE] + bytes(blob[: 2 * DIGEST])

    def reader(self, cache: Cache) -> Callable[[str], Blob | None]:
        """Returns what gives a file's explanation as it is kept, None where it is gone."""

        @once
        def views() -> Views:
            return cache.views("explanations", map(self.key, self._rows), copied=True)

        return lambda path: views().get(self.key(path))

    def note(self) -> None:
        """Notes the keys for the next run."""
        paths = [record.path for record in self._records]
        now = {
            stamp: b"".join(map(self._rows.__getitem__, paths[one.begin : one.end]))
            for one, stamp in self._cuts
            if stamp
        }
        if now != self._last:
            note("explained", (self._state, now))

    def _stamp(self, one: Cut) -> bytes:
        """Returns what stands for the files of a segment and all around them, b"" for nothing."""
        if not one.key:
            return b""
        paths = [record.path for record in self._records[one.begin : one.end]]
        said = one.key.encode() + self._around.joined(paths)
        return hashlib.blake2b(said, digest_size=SIZE).digest()

    def _of(self, one: Cut, stamp: bytes) -> dict[str, bytes]:
        """Returns the row of each file of a segment."""
        records = self._records[one.begin : one.end]
        rows = self._last.get(stamp, b"") if stamp else b""
        if records and len(rows) == ROW * len(records):
            firsts = range(0, len(rows), ROW)
            return {one.path: rows[at : at + ROW] for one, at in zip(records, firsts, strict=True)}
        return {record.path: self._row(record) for record in records}

    @cached_property
    def _known(self) -> dict[bytes, bytes]:
        """Returns the rows of the last run, by what stands for the file."""
        return {
            rows[at : at + SIZE]: rows[at : at + ROW]
            for rows in self._last.values()
            for at in range(0, len(rows), ROW)
        }

    def _row(self, record: FileRecord) -> bytes:
        path = record.path
        own = self._facts[path].encode() + self._around.encoded(path)
        stamp = hashlib.blake2b(own, digest_size=SIZE).digest()
        known = self._known.get(stamp, b"")
        if len(known) == ROW:
            return known
        digest = self._explainer.key(record, self._around[path])
        return stamp + hashlib.sha256(self._writer + own + digest).digest()[:SIZE] + _UNKNOWN
