"""The cache of an index: facts, tokens, explanations and embeddings of earlier runs, by content.

A key names everything its value depends on, so nothing is ever out of date; a value that is
missing is computed again. The file may be deleted at any time.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from hdlgraph.errors import UnsafeFileError
from hdlgraph.safety.safe_files import open_regular
from hdlgraph.store.packed.key_set import KeySet
from hdlgraph.store.packed.values import Blob, Packed, Views, write_packed

T = TypeVar("T")

SPARE = 1000
"""Unused entries that are always kept; beyond twice the used ones the rest is dropped."""

IDLE = 0.5
"""Share of the file that holds nothing from which on it is written anew; new entries fill it."""

PACKED = ("facts", "derived", "linked", "explanations", "shapes")
"""Namespaces with a value for each file, which are packed (see `packed/values.py`) once more values
stand in rows than LEAST and than the share SCATTERED of those in use."""
LEAST, SCATTERED = 256, 1 / 8

_TABLE = (
    "CREATE TABLE IF NOT EXISTS kv (namespace TEXT NOT NULL, key TEXT NOT NULL, "
    "value BLOB NOT NULL, crc INTEGER, UNIQUE (namespace, key))"
)
_COLUMNS = "namespace TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL"
_UNIQUE = "UNIQUE (namespace, key)"
_SCHEMAS = {
    ("table", "kv", f"CREATE TABLE kv ({_COLUMNS}, crc INTEGER, {_UNIQUE})"),
    ("table", "kv", f"CREATE TABLE kv ({_COLUMNS}, {_UNIQUE})"),  # of an earlier version
    ("table", "kv", f"CREATE TABLE kv ({_COLUMNS}, {_UNIQUE}, crc INTEGER)"),  # after ALTER TABLE
    ("index", "sqlite_autoindex_kv_1", None),
}
_VALUE_BYTES = 512_000_000
"""No value is larger; SQLite refuses one that is."""
_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
"""What ends a journal that names another one, which SQLite would remove on reading it."""
_ROW = "INSERT OR REPLACE INTO kv (namespace, key, value, crc) VALUES (?, ?, ?, ?)"


class Cache:
    """A key-value file with namespaces; each `put_many` is one durable transaction.

    A file that is damaged or that a stranger made is replaced by an empty one. A value whose
    checksum (CRC-32) does not fit counts as missing.

    Args:
        path: the file.
        keep: whether to move a damaged file aside (`.damaged`) and to take over what can still
            be read of it, instead of removing it.
    """

    def __init__(self, path: Path, *, keep: bool = False) -> None:
        self.path = path
        self.used: dict[str, KeySet] = {}
        self._keep = keep
        self._packs: dict[str, Packed] = {}
        try:
            self._db = self._open()
        except sqlite3.OperationalError:  # the disk, not the file's content
            raise
        except sqlite3.DatabaseError:
            self._db = self._anew()

    def _open(self) -> sqlite3.Connection:
        db = _connect(self.path)
        try:
            _check_schema(db)
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=NORMAL")
            db.execute(_TABLE)
            if "crc" not in {row[1] for row in db.execute("PRAGMA table_info(kv)")}:
                db.execute("ALTER TABLE kv ADD COLUMN crc INTEGER")  # of an earlier version
            db.commit()
        except BaseException:
            db.close()
            raise
        return db

    def _anew(self) -> sqlite3.Connection:
        """Replaces a damaged file by a new one and returns it."""
        aside = self.path.with_name(self.path.name + ".damaged")
        if self._keep and self.path.exists():
            _remove(aside)
            self.path.replace(aside)
        self._remove()
        db = self._open()
        if self._keep:
            with suppress(sqlite3.Error), db:
                db.executemany(_ROW, _readable(aside))
        return db

    def delete(self) -> None:
        """Closes and removes the file (only time is lost)."""
        self._db.close()
        self._remove()
        self._packs = {}
        for namespace in PACKED:
            packed_file(self.path, namespace).unlink(missing_ok=True)

    def _remove(self) -> None:
        _remove(self.path)

    def _sound(self, work: Callable[[], T], otherwise: T) -> T:
        """Returns the result of `work`, or `otherwise` after replacing a damaged file."""
        try:
            return work()
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:  # a full disk, a lock
                raise
            self._db.close()
            self._db = self._anew()
            return otherwise

    def get_many(self, namespace: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Returns the values of those `keys` that are known."""
        wanted = list(keys)
        views = self.views(namespace, wanted)
        return {key: bytes(found) for key in wanted if (found := views.get(key)) is not None}

    def views(self, namespace: str, keys: Iterable[str], copied: bool = False) -> Views:
        """Returns the values of those `keys` that are known; packed ones are not copied.

        Unless they are to be `copied`: who asks for all of them once does not want them mapped.
        """
        wanted = list(keys)
        self._used(namespace).update(wanted)
        packed = self._packed(namespace)
        asked = wanted
        if len(packed):
            rows = self._keys(namespace)
            asked = [key for key in wanted if key in rows or key not in packed]

        def read() -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for start in range(0, len(asked), 500):
                part = asked[start : start + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, value, crc FROM kv WHERE namespace = ? AND key IN ({marks})"
                rows = self._db.execute(query, (namespace, *part))
                found.update((key, value) for key, value, crc in rows if _fits(value, crc))
            return found

        return Views(self._sound(read, {}), packed, wanted, copied)

    def _packed(self, namespace: str) -> Packed:
        """Returns the packed values of a namespace."""
        found = self._packs.get(namespace)
        if found is None:
            place = packed_file(self.path, namespace) if namespace in PACKED else None
            found = self._packs[namespace] = Packed(place)
        return found

    def _keys(self, namespace: str) -> set[str]:
        """Returns the keys of a namespace that have rows."""

        def read() -> set[str]:
            query = "SELECT key FROM kv WHERE namespace = ?"
            return {key for (key,) in self._db.execute(query, (namespace,))}

        return self._sound(read, set())

    def known(self, namespace: str, keys: Iterable[str]) -> set[str]:
        """Returns those of `keys` that have a value, sound or not."""
        packed = self._packed(namespace)
        found = {key for key in keys if key in packed}
        wanted = [key for key in keys if key not in found]

        def read() -> set[str]:
            rows: set[str] = set()
            for start in range(0, len(wanted), 500):
                part = wanted[start : start + 500]
                marks = ",".join("?" * len(part))
                query = f"SELECT key FROM kv WHERE namespace = ? AND key IN ({marks})"
                rows.update(key for (key,) in self._db.execute(query, (namespace, *part)))
            return rows

        none: set[str] = set()
        return found | self._sound(read, none)

    def use(self, namespace: str, keys: Iterable[str]) -> None:
        """Records that this run uses entries which it need not read, so that none is pruned."""
        self._used(namespace).update(keys)

    def _used(self, namespace: str) -> KeySet:
        found = self.used.get(namespace)
        if found is None:
            found = self.used[namespace] = KeySet()
        return found

    def put_many(self, namespace: str, values: Mapping[str, bytes]) -> None:
        """Stores `values`; they survive a kill from the moment this returns."""
        self._used(namespace).update(values)
        rows = [(namespace, key, value, zlib.crc32(value)) for key, value in values.items()]

        def write() -> bool:
            with self._db:
                self._db.executemany(_ROW, rows)
            return True

        if not self._sound(write, False):
            write()

    def fill(self, namespace: str, entries: Iterator[tuple[str, bytes]]) -> None:
        """Stores the values of a namespace of which most runs read all: packed where it has none.

        They would else be packed at the end, and their rows be removed.
        """
        first = dict(islice(entries, LEAST + 1))
        is_many = namespace in PACKED and len(first) > LEAST
        if not is_many or len(self._packed(namespace)) or self.count(namespace):
            while first:
                self.put_many(namespace, first)
                first = dict(islice(entries, LEAST + 1))
            return
        used = self._used(namespace)

        def noted() -> Iterator[tuple[str, bytes]]:
            for key, value in chain(first.items(), entries):
                used.add(key)
                yield key, value

        with suppress(OSError):  # a full disk, say: they are made again when they are asked for
            write_packed(packed_file(self.path, namespace), noted())
        del self._packs[namespace]

    def count(self, namespace: str) -> int:
        """Returns how many entries a namespace holds."""
        query = "SELECT COUNT(*) FROM kv WHERE namespace = ?"
        return self._sound(lambda: int(self._db.execute(query, (namespace,)).fetchone()[0]), 0)

    def prune(self) -> int:
        """Drops entries this run did not use where they outweigh the used; returns how many.

        Some are kept so that going back to a former branch stays cheap.
        """
        return self._sound(self._prune, 0)

    def _prune(self) -> int:
        dropped = 0
        for namespace, used in self.used.items():
            if self.count(namespace) <= 2 * len(used) + SPARE:
                continue
            query = "SELECT key FROM kv WHERE namespace = ?"
            rows = self._db.execute(query, (namespace,)).fetchall()
            unused = [(namespace, key) for (key,) in rows if key not in used]
            with self._db:
                self._db.executemany("DELETE FROM kv WHERE namespace = ? AND key = ?", unused)
            dropped += len(unused)
        if dropped and self._idle() > IDLE:
            self._db.execute("VACUUM")
        return dropped

    def tidy(self) -> None:
        """Drops what is not used any more, and packs the rest."""
        self.prune()
        self.pack()

    def pack(self, namespaces: Iterable[str] = PACKED) -> None:
        """Packs the values of namespaces that have many in rows."""
        with suppress(OSError):  # a full disk, say: they stay where they are
            for namespace in namespaces:
                self._sound(partial(self._pack, namespace), None)

    def _pack(self, namespace: str) -> None:
        used, rows = self._used(namespace), self._keys(namespace)
        if sum(key in used for key in rows) <= max(LEAST, SCATTERED * len(used)):
            return
        packed = self._packed(namespace)
        is_wide = len(rows) + len(packed) > len(used) + SPARE

        def values() -> Iterator[tuple[str, Blob]]:
            for key in packed:
                stays = key not in rows and (not is_wide or key in used)
                if stays and (value := packed.get(key)) is not None:
                    yield key, value
            query = "SELECT key, value, crc FROM kv WHERE namespace = ?"
            for key, value, crc in self._db.execute(query, (namespace,)):
                if _fits(value, crc) and (not is_wide or key in used):
                    yield key, value

        write_packed(packed_file(self.path, namespace), values())
        del self._packs[namespace]
        with self._db:
            self._db.execute("DELETE FROM kv WHERE namespace = ?", (namespace,))
        if self._idle() > IDLE:
            self._db.execute("VACUUM")

    def _idle(self) -> float:
        """Returns the share of the file that holds nothing."""
        free, whole = (
            int(self._db.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("freelist_count", "page_count")
        )
        return free / max(whole, 1)

    def close(self) -> None:
        """Closes the file and folds its journal in."""
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()


def _connect(path: Path) -> sqlite3.Connection:
    """Returns the open file, without a stranger's journal beside it.

    A journal may name any file, which SQLite removes when it plays the journal back; those that
    our own killed runs leave name none.
    """
    journal = path.with_name(path.name + "-journal")
    try:
        with open_regular(journal, follow=False) as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - len(_SUPER_JOURNAL)))
            foreign = stream.read() == _SUPER_JOURNAL
    except FileNotFoundError:
        foreign = False
    except UnsafeFileError:
        foreign = True
    if foreign:
        journal.unlink()
    db = sqlite3.connect(path, timeout=30, check_same_thread=False)
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
    return db


def packed_file(path: Path, namespace: str) -> Path:
    """Returns the file beside a cache that holds the packed values of a namespace."""
    return path.with_name(f"{path.stem}-{namespace}.packed")


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _check_schema(db: sqlite3.Connection) -> None:
    """Checks that a file holds our one table: views and triggers of a stranger may never end.

    Raises:
        sqlite3.DatabaseError: it holds something else, or is damaged.
    """
    db.execute("PRAGMA trusted_schema=OFF")
    for kind, name, sql in db.execute("SELECT type, name, sql FROM sqlite_master"):
        if (kind, name, sql) not in _SCHEMAS:
            raise sqlite3.DatabaseError(f"holds the foreign {kind} {name}")


def _fits(value: object, crc: object) -> bool:
    """Returns whether a value has its checksum; those of earlier versions have none."""
    return isinstance(value, bytes) and (crc is None or zlib.crc32(value) == crc)


def _readable(path: Path) -> Iterator[tuple[str, str, bytes, int | None]]:
    """Yields the rows of a damaged file up to the first that cannot be read."""
    with suppress(sqlite3.Error, UnicodeError), closing(_connect(path)) as db:
        _check_schema(db)
        for namespace, key, value, *crc in db.execute("SELECT * FROM kv"):
            if isinstance(value, bytes) and _fits(value, crc[0] if crc else None):
                yield str(namespace), str(key), value, zlib.crc32(value)
