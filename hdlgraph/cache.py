"""What earlier runs computed, by content: facts, tokens, explanations, embeddings.

A key names everything its value depends on, so nothing is ever out of date; a value that is
missing is computed again. The file may be deleted at any time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

SPARE = 1000
"""Unused entries that are always kept; beyond twice the used ones the rest is dropped."""

_TABLE = (
    "CREATE TABLE IF NOT EXISTS kv (namespace TEXT NOT NULL, key TEXT NOT NULL, "
    "value BLOB NOT NULL, UNIQUE (namespace, key))"
)


class Cache:
    """A key-value file with namespaces; each `put_many` is one durable transaction."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.used: dict[str, set[str]] = {}
        try:
            self._db = self._open()
        except sqlite3.OperationalError:  # the disk, not the file's content
            raise
        except sqlite3.DatabaseError:
            self._remove()
            self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=30, check_same_thread=False)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute(_TABLE)
        db.commit()
        return db

    def delete(self) -> None:
        """Closes and removes the file (only time is lost)."""
        self._db.close()
        self._remove()

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def get_many(self, namespace: str, keys: Iterable[str]) -> dict[str, bytes]:
        """Returns the values of those `keys` that are known."""
        wanted = list(keys)
        self.used.setdefault(namespace, set()).update(wanted)
        found: dict[str, bytes] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, value FROM kv WHERE namespace = ? AND key IN ({marks})"
            found.update(self._db.execute(query, (namespace, *part)).fetchall())
        return found

    def put_many(self, namespace: str, values: Mapping[str, bytes]) -> None:
        """Stores `values`; they survive a kill from the moment this returns."""
        self.used.setdefault(namespace, set()).update(values)
        rows = [(namespace, key, value) for key, value in values.items()]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO kv VALUES (?, ?, ?)", rows)

    def count(self, namespace: str) -> int:
        """Returns how many entries a namespace holds."""
        query = "SELECT COUNT(*) FROM kv WHERE namespace = ?"
        return int(self._db.execute(query, (namespace,)).fetchone()[0])

    def prune(self) -> int:
        """Drops entries this run did not use where they outweigh the used; returns how many.

        Some are kept so that going back to a former branch stays cheap.
        """
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
        if dropped:
            self._db.execute("VACUUM")
        return dropped

    def close(self) -> None:
        """Closes the file and folds its journal in."""
        with suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()
