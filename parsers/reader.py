"""What a reader of a kind of file is, and which readers there are.

A reader says which files it reads and makes a record of each. The one of hdlgraph itself reads
Verilog and SystemVerilog (`hdlgraph.parsers.rtl`). A package other than hdlgraph adds one by an
entry point `hdlgraph.readers` that names an instance of `Reader`, or a program that uses hdlgraph
does with `add_reader`.

Readers run in worker processes that may be killed: a file that crashes a reader, hangs it or takes
all memory becomes a record without facts and harms no other file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import msgspec
from hdlgraph.parsers.includes import IncludeIndex
from hdlgraph.parsers.limits import DEEP_BYTES

from hdlgraph.errors import UsageError
from hdlgraph.model import FileRecord, Role
from hdlgraph.safety import plugins
from hdlgraph.safety.plugins import Plugin

ENTRY_POINTS = "hdlgraph.readers"
"""Group of the entry points that name readers of other packages."""
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
    """

    read: Callable[[str], bytes]
    includes: IncludeIndex
    defines: tuple[str, ...] = ()
    deep_bytes: int = DEEP_BYTES
    witness: bool = True


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

    def role_of(self, path: str, head: str) -> Role | None:
        """Returns what a file is for; None where the rules that hold for all files decide.

        Args:
            path: relative to the root of the repository.
            head: the first 4,000 characters of its text.
        """
        return None

    def language_of(self, path: str) -> str:
        """Returns the language of a file that could not be read."""
        return self.name

    def open(self, repository: Repository) -> Read:
        """Returns the function that reads files of a repository; called once in each worker."""
        raise NotImplementedError

    def relations(self, record: FileRecord) -> Iterable[Statement]:
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


class Added(msgspec.Struct, frozen=True):
    """What a worker is told of a reader of another package: where it lies, and what it reads."""

    plugin: Plugin
    name: str
    suffixes: tuple[str, ...]
    levels: dict[str, str]


_ADDED: dict[str, tuple[Reader, Added]] = {}
"""The readers of other packages by name."""


def add_reader(name: str, release: str = "") -> Reader:
    """Adds a reader of another package for the length of this process; returns it.

    Args:
        name: `module:attribute` of an instance of `Reader`; the module is imported.
        release: name and version of the package, where it is installed.

    Raises:
        UsageError: there is none of that name, or another reader has its name or a suffix.
    """
    try:
        plugin, reader = plugins.find(name, release)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"reader {name}: cannot be imported ({error})") from error
    if not isinstance(reader, Reader):
        raise UsageError(f"reader {plugin}: is no instance of hdlgraph.parsers.reader.Reader")
    _check(plugin, reader)
    known = Added(plugin, reader.name, tuple(reader.suffixes), dict(reader.levels))
    _ADDED[reader.name] = (reader, known)
    return reader


def load_readers(handed: Sequence[Added]) -> None:
    """Adds the readers of the parent of this process: what `added_readers` returned there."""
    for one in handed:
        reader: Reader
        try:
            reader = plugins.load(one.plugin)
        except Exception as error:  # only its own files suffer from it
            reader = _Unloadable(one, error)
        _ADDED[one.name] = (reader, one)


class _Unloadable(Reader):
    """Stands for a reader that the parent could import and this process cannot."""

    def __init__(self, known: Added, error: Exception) -> None:
        self.name, self.suffixes, self.levels = known.name, known.suffixes, known.levels
        self._why = f"{known.plugin} cannot be imported by a worker process ({error})"

    def open(self, repository: Repository) -> Read:
        """Raises ImportError, which the record of each file then says."""
        raise ImportError(self._why)


def _check(plugin: Plugin, reader: Reader) -> None:
    """Raises UsageError where a reader is incomplete or gets in the way of another one."""
    if not reader.name or not reader.levels or not all(s[:1] == "." for s in reader.suffixes):
        raise UsageError(f"reader {plugin}: needs a name, a level, and suffixes that begin with .")
    others = ((other, known.plugin) for other, known in _ADDED.values())
    for other, where in ((rtl(), "hdlgraph"), *others):
        taken = sorted(set(reader.suffixes) & set(other.suffixes))
        if reader is not other and (reader.name == other.name or taken):
            what = f"suffix {taken[0]}" if taken else f"name {reader.name!r}"
            raise UsageError(f"reader {plugin}: {what} belongs to the reader of {where}")


def remove_reader(name: str) -> None:
    """Removes a reader that was added."""
    _ADDED.pop(name, None)


@cache
def rtl() -> Reader:
    """Returns the reader of Verilog and SystemVerilog, which reads all that no other one does."""
    from hdlgraph.parsers.rtl import RtlReader

    return RtlReader()


@cache
def load_installed() -> None:
    """Adds the readers that installed packages name as entry points, once."""
    for name, release in plugins.installed(ENTRY_POINTS):
        add_reader(name, release)


def readers() -> tuple[Reader, ...]:
    """Returns all readers: that of RTL, then those of other packages by name."""
    return (rtl(), *(_ADDED[name][0] for name in sorted(_ADDED)))


def added_readers() -> tuple[Added, ...]:
    """Returns the readers of other packages by name, as a worker is told of them."""
    return tuple(_ADDED[name][1] for name in sorted(_ADDED))


def reader_of(path: str) -> Reader:
    """Returns the reader of a file."""
    for reader, _ in _ADDED.values():
        if path.endswith(reader.suffixes):
            return reader
    return rtl()


def added_suffixes(listed: bool | None = None) -> tuple[str, ...]:
    """Returns the suffixes of other packages' readers, sorted.

    Args:
        listed: only those of readers whose files filelists name (True), or do not name (False).
    """
    found = (reader for reader, _ in _ADDED.values() if listed in (None, reader.is_listed))
    return tuple(sorted({suffix for reader in found for suffix in reader.suffixes}))
