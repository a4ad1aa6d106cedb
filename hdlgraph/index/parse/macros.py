"""Finds for each file the macros that it may take from files that it does not include."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def borrowed_macros(
    root: Path, keys: FactKeys, store: Cache, defines: Iterable[str], shares: Shares = ALONE
) -> dict[str, tuple[Borrowed, ...]]:
    """Returns the macros that each file may take from others, by path; most files take none.

    Args:
        root: the repository.
        keys: its files, and which of them each includes.
        store: where scans of unchanged files are kept.
        defines: `NAME` or `NAME=value`, of settings and filelists.
        shares: who scans the others.
    """
    scans = _scans(root.resolve(), keys, store, shares)
    known = {one.partition("=")[0].partition("(")[0] for one in defines}
    table = MacroTable(scans, known)
    found = {}
    for path in sorted(scans):
        if table.wanted(path) and (taken := table.borrowed(path, keys.whole(path))):
            found[path] = taken
    return found


def _scans(root: Path, keys: FactKeys, store: Cache, shares: Shares) -> dict[str, MacroScan]:
    """Returns what each file says of macros, by path; files of other readers are left out."""
    sources = [one for one in keys.sources.values() if _is_scanned(one)]
    kept = {one.path: f"{one.sha256} {keys.how}" for one in sources}
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
