"""The parsing worker: a process that reads batches of paths on stdin and answers on stdout.

Frames in both directions are a 4-byte little-endian length and MessagePack. It announces each
file before it starts it, so that its parent knows which file a crash or a hang belongs to.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from pathlib import Path
from typing import BinaryIO

import msgspec

from hdlgraph.index.parse.one_file import Extractor
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.macros.table import Borrowed
from hdlgraph.parsers.reader import WHOLE
from hdlgraph.parsers.registry import Added, load_readers
from hdlgraph.safety.peak import peak_mb

START, DONE, IDLE = 0, 1, 2


class Setup(msgspec.Struct, frozen=True):
    """What a worker needs to know once; `readers` are those of other packages.

    `borrowed` are the macros that files may take from others, by path as places in `macros`.
    """

    root: str
    paths: tuple[str, ...]
    incdirs: tuple[str, ...]
    defines: tuple[str, ...]
    memory_mb: int
    deep_bytes: int
    witness: bool
    readers: tuple[Added, ...] = ()
    macros: tuple[Borrowed, ...] = ()
    borrowed: dict[str, tuple[int, ...]] = {}


class Task(msgspec.Struct, frozen=True, array_like=True):
    """One file to read. `level`: the strongest of its reader's to try; `reason` why that."""

    path: str
    sha256: str
    role: str
    level: str = WHOLE
    reason: str = ""


def write_frame(stream: BinaryIO, payload: bytes) -> None:
    """Writes one frame and flushes."""
    stream.write(len(payload).to_bytes(4, "little") + payload)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """Returns the next frame, or None at the end of the stream."""
    head = stream.read(4)
    return stream.read(int.from_bytes(head, "little")) if len(head) == 4 else None


def main() -> None:
    """Serves batches until stdin ends."""
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # Libraries that print must not break the frames.
    sys.stdout = sys.stderr
    import pyslang  # noqa: F401 - loaded while nothing was asked yet, and before any deadline

    first = read_frame(stdin)
    if first is None:
        return
    setup = msgspec.msgpack.decode(first, type=Setup)
    limit_memory(setup.memory_mb)
    load_readers(setup.readers)
    borrowed = {path: [setup.macros[at] for at in some] for path, some in setup.borrowed.items()}
    extractor = Extractor(
        Path(setup.root),
        IncludeIndex(setup.paths, setup.incdirs),
        defines=setup.defines,
        deep_bytes=setup.deep_bytes,
        witness=setup.witness,
        borrowed=borrowed,
    )
    gc.freeze()
    encode = msgspec.msgpack.Encoder().encode
    write_frame(stdout, encode((IDLE, peak_mb())))
    while (frame := read_frame(stdin)) is not None:
        for task in msgspec.msgpack.decode(frame, type=list[Task]):
            write_frame(stdout, encode((START, task.path, time.process_time())))
            record = extractor.extract(
                task.path, task.sha256, task.role, level=task.level, reason=task.reason
            )
            write_frame(stdout, encode((DONE, task.path, encode(record))))
        write_frame(stdout, encode((IDLE, peak_mb())))


def limit_memory(megabytes: int) -> None:
    """Limits the memory of this process beside that of its libraries; 0 sets no limit."""
    if megabytes <= 0:
        return
    # Address space, not resident: thread stacks and the code of the libraries count too.
    wanted = (megabytes + 384) * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
