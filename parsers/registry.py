"""The readers that there are: the one of Verilog and SystemVerilog, and those of other packages.

A package other than hdlgraph adds one by an entry point `hdlgraph.readers` that names an instance
of `Reader`, or a program that uses hdlgraph does with `add_reader`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.parsers.documents.formats import Format, format_of
from hdlgraph.parsers.reader import Read, Reader, Repository
from hdlgraph.parsers.rtl import RtlReader
from hdlgraph.safety import plugins
from hdlgraph.safety.plugins import Plugin

ENTRY_POINTS = "hdlgraph.readers"
"""Group of the entry points that name readers of other packages."""


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

    def open(self, repository: Repository) -> Read:  # noqa: ARG002
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


def document_format(path: str) -> Format | None:
    """Returns the format of a document; None for a source file, or what is no document."""
    return None if path.endswith(added_suffixes()) else format_of(path)


def added_suffixes(listed: bool | None = None) -> tuple[str, ...]:
    """Returns the suffixes of other packages' readers, sorted.

    Args:
        listed: only those of readers whose files filelists name (True), or do not name (False).
    """
    found = (reader for reader, _ in _ADDED.values() if listed in (None, reader.is_listed))
    return tuple(sorted({suffix for reader in found for suffix in reader.suffixes}))
