"""Conversations of one user about one index, in SQLite; the file is for this user alone."""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.results import Answer

NAME = "threads.sqlite"
LISTED = 200
"""Conversations that are listed, the latest."""
TITLE = 120
"""Characters of a title."""
_TABLES = """
create table if not exists threads (id text primary key, title text, begun real, used real);
create table if not exists turns (
  thread text references threads (id) on delete cascade, number integer, typed text, asked text,
  answer blob, at real, primary key (thread, number)
);
"""


class Thread(msgspec.Struct, frozen=True):
    """A conversation: its name in addresses, its title, when it was begun and used (seconds)."""

    id: str
    title: str
    begun: float
    used: float
    turns: int = 0


class KeptTurn(msgspec.Struct, frozen=True):
    """One question of a conversation as typed and as understood, with its answer."""

    number: int
    typed: str
    asked: str
    answer: Answer


class Threads:
    """The conversations in a folder; may be used by several threads of the program.

    Args:
        folder: of the user's own data.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._lock = threading.Lock()

    def begin(self, title: str) -> str:
        """Returns the id of a new conversation."""
        name = secrets.token_hex(8)
        now = time.time()
        with self._open() as base:
            short_title = " ".join(title.split())[:TITLE]
            base.execute("insert into threads values (?, ?, ?, ?)", (name, short_title, now, now))
        return name

    def add(self, thread: str, typed: str, asked: str, answer: Answer) -> KeptTurn:
        """Adds a turn at the end of a conversation; returns it.

        Raises:
            UsageError: there is no such conversation any more.
        """
        with self._open() as base:
            self._check(base, thread)
            (number,) = base.execute(
                "select coalesce(max(number), 0) + 1 from turns where thread = ?", (thread,)
            ).fetchone()
            now = time.time()
            kept = msgspec.json.encode(answer)
            base.execute(
                "insert into turns values (?, ?, ?, ?, ?, ?)",
                (thread, number, typed, asked, kept, now),
            )
            base.execute("update threads set used = ? where id = ?", (now, thread))
        return KeptTurn(number, typed, asked, answer)

    def listed(self) -> list[Thread]:
        """Returns the conversations, the last used first."""
        with self._open() as base:
            rows = base.execute(
                "select id, title, begun, used, (select count(*) from turns where thread = id)"
                " from threads order by used desc, id limit ?",
                (LISTED,),
            ).fetchall()
            return [_thread(row) for row in rows]

    def turns(self, thread: str) -> tuple[Thread, list[KeptTurn]]:
        """Returns a conversation and its turns, the first first.

        Raises:
            UsageError: there is no such conversation.
        """
        with self._open() as base:
            self._check(base, thread)
            row = base.execute(
                "select id, title, begun, used, (select count(*) from turns where thread = id)"
                " from threads where id = ?",
                (thread,),
            ).fetchone()
            rows = base.execute(
                "select number, typed, asked, answer from turns where thread = ? order by number",
                (thread,),
            ).fetchall()
            return _thread(row), [_turn(one) for one in rows]

    def forget(self, thread: str) -> None:
        """Removes a conversation."""
        with self._open() as base:
            base.execute("delete from turns where thread = ?", (thread,))
            base.execute("delete from threads where id = ?", (thread,))

    @staticmethod
    def _check(base: sqlite3.Connection, thread: str) -> None:
        if not base.execute("select 1 from threads where id = ?", (thread,)).fetchone():
            raise UsageError(f"conversation {thread[:40]!r}: there is none of that name")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._own_file()
            try:
                with closing(sqlite3.connect(self.path, timeout=5)) as base, base:
                    base.executescript(_TABLES)
                    yield base
            except (sqlite3.Error, msgspec.MsgspecError, RecursionError) as error:
                raise UsageError(
                    f"{self.path}: cannot be used ({error}); move it away to begin anew"
                ) from error

    def _own_file(self) -> None:
        """Makes the file before SQLite does, so that it is nobody else's for no moment."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            handle = os.open(self.path, flags, 0o600)
            os.fchmod(handle, 0o600)
            os.close(handle)
        except OSError as error:
            raise UsageError(
                f"{self.path}: cannot be used ({error.strerror}); move it away to begin anew"
            ) from error


def _thread(row: tuple[object, ...]) -> Thread:
    """Returns a row as a conversation; raises msgspec.MsgspecError where it is none."""
    names = Thread.__struct_fields__
    return msgspec.convert(dict(zip(names, row, strict=True)), Thread)


def _turn(row: tuple[object, ...]) -> KeptTurn:
    """Returns a row as a turn; raises msgspec.MsgspecError where it is none."""
    number, typed, asked = msgspec.convert(row[:3], tuple[int, str, str])
    return KeptTurn(
        number, typed, asked, msgspec.json.decode(msgspec.convert(row[3], bytes), type=Answer)
    )
