"""Judgements of answers by one user, as JSON Lines that `hdlgraph eval` reads as questions."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
import time
from pathlib import Path
from typing import Any, Literal

import msgspec

from hdlgraph.errors import UsageError

NAME = "feedback.jsonl"
"""Judgements that name a right file: a question set."""
REFUSED = "feedback-refused.jsonl"
"""Files that were judged wrong, where nobody said which one is right."""
BYTES = 50_000_000
"""The most bytes of either file."""


class _Judgement(msgspec.Struct):
    """What a line has to have, as far as it has it."""

    question: str
    id: str = ""
    at: float = 0
    relevant: list[str] = []
    refused: list[str] = []
    verdict: Literal["up", "right", "down"] = "up"


class Feedback:
    """The judgements in a folder.

    Args:
        folder: of the user's own data.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.refused = folder / REFUSED
        self._lock = threading.Lock()

    def add(self, question: str, path: str, verdict: str, note: str = "") -> dict[str, Any]:
        """Keeps one judgement; returns its record.

        Args:
            question: as asked.
            path: the file that was judged.
            verdict: "up" and "right" say that it answers the question, "down" that it does not.
            note: words of the user.

        Raises:
            UsageError: the file cannot be written, or is full.
        """
        now = time.time_ns()
        digest = hashlib.sha256(f"{now} {question} {path} {verdict}".encode("utf-8", "replace"))
        record: dict[str, Any] = {
            "id": f"fb-{digest.hexdigest()[:12]}",
            "question": question,
            "kind": "feedback",
            "relevant" if verdict != "down" else "refused": [path],
            "verdict": verdict,
            "at": round(now / 1e9, 3),
        }
        if note:
            record["note"] = note
        line = json.dumps(record, ensure_ascii=True) + "\n"
        self._append(self.refused if verdict == "down" else self.path, line.encode())
        return record

    def listed(self) -> list[dict[str, Any]]:
        """Returns all judgements, the latest first; lines that cannot be read are left out."""
        found = []
        for path in (self.path, self.refused):
            for line in self._read(path).splitlines():
                try:
                    msgspec.json.decode(line, type=_Judgement)
                    found.append(msgspec.json.decode(line))
                except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                    continue
        return sorted(found, key=lambda one: one.get("at", 0))[::-1]

    def exported(self) -> bytes:
        """Returns the question set: JSON Lines, b"" where there is none yet.

        A question stands once, with all its right files; the last judgement of a file counts.
        """
        asked: dict[str, dict[str, dict[str, Any]]] = {}
        for record in reversed(self.listed()):
            for path in filter(_is_text, record.get("relevant") or record.get("refused") or ()):
                judged = asked.setdefault(record["question"], {})
                judged.pop(path, None)
                judged[path] = record
        return b"".join(map(_question, asked.values()))

    def _read(self, path: Path) -> bytes:
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            handle = os.open(path, flags)
        except OSError:
            return b""
        with os.fdopen(handle, "rb") as stream:
            regular = stat.S_ISREG(os.fstat(handle).st_mode)
            return stream.read(BYTES) if regular else b""

    def _append(self, path: Path, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        flags |= os.O_NONBLOCK  # a pipe is not waited for
        try:
            with self._lock:
                handle = os.open(path, flags, 0o600)
                try:
                    if not stat.S_ISREG(os.fstat(handle).st_mode):
                        raise UsageError(f"{path}: is no file; move it away to begin anew")
                    os.fchmod(handle, 0o600)
                    if os.fstat(handle).st_size + len(data) > BYTES:
                        raise UsageError(f"{path}: is full; move it away to begin anew")
                    os.write(handle, data)
                finally:
                    os.close(handle)
        except OSError as error:
            raise UsageError(f"{path}: cannot be written ({error.strerror})") from error


def _question(judged: dict[str, dict[str, Any]]) -> bytes:
    """Returns one question of the set, b"" where none of its files is right."""
    right = [path for path, record in judged.items() if record.get("verdict") != "down"]
    if not right:
        return b""
    record = {**judged[right[-1]], "relevant": right}
    return json.dumps(record, ensure_ascii=True).encode() + b"\n"


def _is_text(value: object) -> bool:
    return isinstance(value, str)
