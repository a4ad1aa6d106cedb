"""What a reader of a kind of file is: which files it reads, and how it makes a record of each.

`hdlgraph.parsers.rtl` is the one of Verilog and SystemVerilog, `hdlgraph.parsers.registry` holds
all of them. Readers run in worker processes that may be killed: a file that crashes a reader,
hangs it or takes all memory becomes a record without facts and harms no other file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from hdlgraph.model import FileRecord, Role
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.limits import DEEP_BYTES
from hdlgraph.parsers.macros.table import Borrowed

WHOLE = "all"
"""The strongest level of every reader."""


class Source(msgspec.Struct, frozen=True):
    """One file to read: `data` are its first bytes, usually all of its `size`."""

    path: str
    sha256: str
    role: str
    data: bytes
    size: int


@dataclass(frozen=True)
class Repository:
    """What a reader may know of the repository besides the file at hand.

    Args:
        read: returns the first bytes of a path, safely; raises OSError where it may not be read.
        includes: the paths of all files, and which of them an include means.
        defines: `NAME` or `NAME=value`, for readers that have a preprocessor.
        deep_bytes: larger files are not worth a thorough look.
        witness: whether to read Verilog with PyVerilog as well.
        borrowed: macros that a file may take from files that it does not include, by its path.
    """

    read: Callable[[str], bytes]
    includes: IncludeIndex
    defines: tuple[str, ...] = ()
    deep_bytes: int = DEEP_BYTES
    witness: bool = True
    borrowed: Mapping[str, Sequence[Borrowed]] = field(default_factory=dict)


Read = Callable[[Source, str], FileRecord]
"""Makes the record of a file at one level; whatever it raises is recorded, never lost."""


class Statement(NamedTuple):
    """A relation that a file states.

    Args:
        kind: name of a declared `hdlgraph.model.Relation`.
        source: the unit of the file that it holds of, "" for the file.
        target: name of a unit, or path of a file, in the repository.
        line: where the file states it, from 1.
        text: what it says of it.
        confidence: 0 to 1.
    """

    kind: str
    source: str
    target: str
    line: int
    text: str = ""
    confidence: float = 1.0


class Reader:
    """A reader of one kind of file; a subclass sets the names and defines `open`.

    Attributes:
        name: one word for the kind of file; also the language of its records.
        suffixes: what the names of its files end with, a dot first.
        levels: ways to read a file, the strongest first, with their names for people. When a
            worker dies at one of them the file is read at the next.
        libraries: names of the installed packages whose version a record depends on.
        is_listed: whether filelists name such files; other ones are read besides those listed.
    """

    name = ""
    suffixes: tuple[str, ...] = ()
    levels: dict[str, str] = {WHOLE: "reader"}
    libraries: tuple[str, ...] = ()
    is_listed = False

    def role_of(self, path: str, head: str) -> Role | None:  # noqa: ARG002
        """Returns what a file is for; None where the rules that hold for all files decide.

        Args:
            path: relative to the root of the repository.
            head: the first 4,000 characters of its text.
        """
        return None

    def language_of(self, path: str) -> str:  # noqa: ARG002
        """Returns the language of a file that could not be read."""
        return self.name

    def open(self, repository: Repository) -> Read:
        """Returns the function that reads files of a repository; called once in each worker."""
        raise NotImplementedError

    def relations(self, record: FileRecord) -> Iterable[Statement]:  # noqa: ARG002
        """Returns the relations that a file states besides those that its record implies."""
        return ()

    def bare(self, source: Source) -> FileRecord:
        """Returns the record of a file of which nothing is known but its bytes."""
        return FileRecord(
            path=source.path,
            sha256=source.sha256,
            role=source.role,
            language=self.language_of(source.path),
            size=source.size,
            n_lines=source.data.count(b"\n"),
            encoding="",
        )
