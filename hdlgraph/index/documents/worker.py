"""The process that reads documents: one after the other, paths on stdin, sections on stdout.

Frames are as those of `hdlgraph.index.parse.worker`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from hdlgraph.index.parse.worker import limit_memory, read_frame, write_frame
from hdlgraph.parsers.documents.formats import BYTES, TEXT_BYTES, format_of, read_document
from hdlgraph.parsers.documents.records import Document
from hdlgraph.safety.safe_files import open_inside

MAX_CHARS = 300
"""Characters that are kept of what a reader says of a broken document."""


class Task(msgspec.Struct, frozen=True, array_like=True):
    """One document: its path as it is cited, its root, and its path there."""

    path: str
    root: str
    inside: str


class Read(msgspec.Struct, frozen=True, array_like=True):
    """What was read of a document; `why` says why that is nothing, "" where it is something.

    `sha256` is that of the whole file, "" where it could not be read at all.
    """

    sha256: str
    document: Document
    why: str = ""


NOTHING = Document("", ())


def read_one(task: Task) -> Read:
    """Returns what a document holds; whatever goes wrong is in its `why`."""
    import hashlib

    kind = format_of(task.path)
    most = TEXT_BYTES if kind is None or kind.is_text else BYTES
    try:
        with open_inside(Path(task.root), task.inside) as stream:
            data = stream.read(most)
            digest, size = hashlib.sha256(data), len(data)
            while size <= 8 * BYTES and (block := stream.read(1 << 20)):
                digest.update(block)
                size += len(block)
    except OSError as error:
        return Read("", NOTHING, f"cannot be read: {error.strerror or error}")
    try:
        return Read(digest.hexdigest(), read_document(task.path, data, size))
    except Exception as error:  # the boundary of one document: told, never lost
        known = isinstance(error, ValueError) and type(error).__name__ == "DocumentError"
        why = str(error) if known else f"cannot be read ({type(error).__name__}: {error})"
        return Read(digest.hexdigest(), NOTHING, why[:MAX_CHARS])


def main() -> None:
    """Serves documents until stdin ends."""
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # libraries that print must not break the frames
    first = read_frame(stdin)
    if first is None:
        return
    limit_memory(msgspec.msgpack.decode(first, type=int))
    write_frame(stdout, b"")
    while (frame := read_frame(stdin)) is not None:
        found = read_one(msgspec.msgpack.decode(frame, type=Task))
        write_frame(stdout, msgspec.msgpack.encode(found))


if __name__ == "__main__":
    main()
