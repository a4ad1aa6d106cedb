"""Writes and reads explanations as JSON Lines, and decides when an imported one is used."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.model import Explanation
from hdlgraph.safety.safe_files import open_regular, write_atomic

FILE = "explanations.jsonl"
"""The file of a generation."""
LINE_BYTES = 16_000_000
"""Bytes of the longest line of a file of explanations."""
OWN = Explanation(path="", purpose="").model
"""The writer of hdlgraph's own explanations."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FIELDS = ("path", "sha256", "purpose", "behaviour", "interfaces", "parameters", "instances")
_REMEDY = "correct or delete that line, or write the file anew with `hdlgraph explanations export`"


def jsonl(explanations: Iterable[Explanation]) -> bytes:
    """Returns explanations as JSON Lines, sorted by path."""
    ordered = sorted(explanations, key=lambda item: item.path)
    return b"".join(map(line_of, ordered))


def line_of(item: Explanation) -> bytes:
    """Returns an explanation as a line of JSON, with the texts for people."""
    return msgspec.json.encode(item.for_people()) + b"\n"


def write_jsonl(explanations: Iterable[Explanation], target: Path) -> int:
    """Writes explanations to `target`, sorted by path, by atomic rename; returns how many."""
    items = list(explanations)
    try:
        write_atomic(target, jsonl(items))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        raise UsageError(f"cannot write {target}: {error.strerror}; choose another file") from error
    return len(items)


def read_jsonl(source: Path) -> dict[str, Explanation]:
    """Returns the explanations in `source`, keyed by path; of two for one path the last counts.

    Raises:
        UsageError: the file cannot be read, or a line is not an explanation.
    """
    found: dict[str, Explanation] = {}
    try:
        with open_regular(source) as stream:
            for number, line in enumerate(iter(lambda: stream.readline(LINE_BYTES + 1), b""), 1):
                if len(line) > LINE_BYTES:
                    too_long = f"{source}:{number}: longer than {LINE_BYTES} bytes"
                    raise UsageError(f"{too_long}; {_REMEDY}")
                if line.strip():
                    item = _decode(line, source, number)
                    found[item.path] = item
    except OSError as error:
        raise UsageError(
            f"cannot read {source}: {error.strerror or error}; check the path"
        ) from error
    return found


def read_imported(path: Path) -> dict[str, Explanation]:
    """Returns the imported explanations that an index keeps, without hdlgraph's own.

    Former versions imported these too; they would keep a model from the files for good.
    """
    found = read_jsonl(path) if path.is_file() else {}
    return {name: item for name, item in found.items() if item.model != OWN}


def _decode(line: bytes, source: Path, number: int) -> Explanation:
    try:
        raw = msgspec.json.decode(line, type=dict)
        raw.setdefault("model", "imported")
        raw.pop("search", None)
        item = msgspec.convert(raw, type=Explanation)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}:{number}: not an explanation ({error}); {_REMEDY}") from error
    problem = _problem(item)
    if problem:
        raise UsageError(f"{source}:{number}: not an explanation ({problem}); {_REMEDY}")
    return item


def _problem(item: Explanation) -> str:
    if not item.path or item.path.startswith("/") or ".." in item.path.split("/"):
        return "`path` must be relative to the repository root"
    if not item.purpose.strip():
        return "`purpose` is empty"
    if not _SHA256.fullmatch(item.sha256):
        return "`sha256` must be the file's 64 lower-case hexadecimal digits"
    return ""


def usable(imported: Mapping[str, Explanation], path: str, sha256: str) -> Explanation | None:
    """Returns the imported explanation of a file if it was written for exactly this content."""
    item = imported.get(path)
    return item if item is not None and item.sha256 == sha256 else None


def digest(explanation: Explanation) -> str:
    """Returns the SHA-256 of what an explanation says: the cache key of all that follows it."""
    state = hashlib.sha256()
    for field in _FIELDS:
        state.update(getattr(explanation, field).encode() + b"\0")
    state.update("\0".join(explanation.concepts).encode())
    return state.hexdigest()
