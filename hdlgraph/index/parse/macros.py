"""Finds for each file the macros that it may take from files that it does not include."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from hdlgraph.index.discover.source_file import SourceFile
from hdlgraph.index.kept.memory import decoded, remember
from hdlgraph.index.parse.cache import FactKeys
from hdlgraph.index.shares import ALONE, Shares
from hdlgraph.parsers.macros.scan import MOST_BYTES, MacroScan, scan_macros
from hdlgraph.parsers.macros.table import Borrowed, MacroTable
from hdlgraph.parsers.registry import reader_of, rtl
from hdlgraph.safety.safe_files import read_inside
from hdlgraph.store.cache import Cache


class Lender:
    """Tells which macros a file may take from others; most files take none.

    Args:
        keys: the files, and which of them each includes.
        scans: what files say of macros, by path: of all that define some or take some back.
        defines: `NAME` or `NAME=value`, of settings and filelists.
        scan: gives what any other file says.
    """

    def __init__(
        self,
        keys: FactKeys,
        scans: Mapping[str, MacroScan],
        defines: Iterable[str],
        scan: Callable[[str], MacroScan | None] = lambda path: None,
    ) -> None:
        self._whole, self._scans, self._scan = keys.whole, scans, scan
        self._defines = {one.partition("=")[0].partition("(")[0] for one in defines}
        self._found: dict[str, tuple[Borrowed, ...]] = {}

    @cached_property
    def _table(self) -> MacroTable:
        return MacroTable(self._scans, self._defines)

    def __call__(self, path: str) -> tuple[Borrowed, ...]:
        """Returns the macros that a file takes, by name."""
        found = self._found.get(path)
        if found is None:
            table = self._table
            if path not in self._scans and (scan := self._scan(path)) is not None:
                table.add(path, scan)
            wanted = table.wanted(path)
            found = self._found[path] = table.borrowed(path, self._whole(path)) if wanted else ()
        return found


def defining(scans: Mapping[str, MacroScan]) -> dict[str, MacroScan]:
    """Returns the scans of files that define macros or take some back."""
    return {path: scan for path, scan in scans.items() if scan.defines or scan.undefines}


def scans_of(
    root: Path, files: Sequence[SourceFile], how: str, store: Cache, shares: Shares = ALONE
) -> dict[str, MacroScan]:
    """Returns what each file says of macros, by path; files of other readers are left out.

    Args:
        root: the repository, absolute and free of links.
        files: some of its files.
        how: a digest of how they are read.
        store: where scans of unchanged files are kept.
        shares: who scans the others.
    """
    sources = [one for one in files if _is_scanned(one)]
    kept = {one.path: f"{one.sha256} {how}" for one in sources}
    decoder = msgspec.msgpack.Decoder(MacroScan)
    known = decoded(store, "macros", sorted(set(kept.values())), decoder.decode)

    def scan(paths: Sequence[str]) -> list[MacroScan]:
        return [_scan(root, path) for path in paths]

    missing = {key: path for path, key in reversed(kept.items()) if key not in known}
    found = dict(zip(missing, shares.map("macros", scan, list(missing.values())), strict=True))
    for key, one in found.items():
        known[key] = remember("macros", key, one)
    if found:
        encode = msgspec.msgpack.encode
        store.put_many("macros", {key: encode(one) for key, one in found.items()})
    return {path: known[key] for path, key in kept.items()}


def _is_scanned(source: SourceFile) -> bool:
    is_small = source.size <= MOST_BYTES
    return is_small and bool(source.sha256) and reader_of(source.path) is rtl()


def _scan(root: Path, path: str) -> MacroScan:
    try:
        return scan_macros(read_inside(root, path, MOST_BYTES))
    except OSError:  # the readers report it
        return MacroScan()
