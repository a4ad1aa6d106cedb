"""Reads the descriptions of registers of a repository, links them to RTL and writes them."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

import msgspec

from hdlgraph.index.discover.files import DESCRIPTIONS
from hdlgraph.index.discover.texts import TextReader
from hdlgraph.index.kept.functions import of_content
from hdlgraph.index.kept.unchanged import Cut, Former, by_segment, same_file, stamp_of, while_same
from hdlgraph.index.registers.hjson import read_hjson
from hdlgraph.index.registers.ipxact import ENDINGS, read_ipxact
from hdlgraph.index.registers.link import Evidence, Found, in_file, link, named_in
from hdlgraph.index.registers.rdl import is_installed, read_rdl
from hdlgraph.index.registers.reggen import read_reggen
from hdlgraph.model import FileRecord
from hdlgraph.safety.printable import visible
from hdlgraph.safety.safe_files import read_inside
from hdlgraph.store.design.registers import FILE, FOLDER, RegisterBlock, write_registers

BYTES, ALL_BYTES = 4_000_000, 100_000_000
"""Larger descriptions are not read, and no more than so many bytes of all together."""
SECONDS = 60.0
"""Descriptions are read for no longer."""
LISTED = 20
"""Broken files that the report names one by one."""
CUT = "too many descriptions"
SIGN = b"registers"
"""What stands in Hjson that describes registers."""
RDL = ".rdl"
INSTALL = "install `hdlgraph[registers]` for them"


def write_found(
    folder: Path,
    root: Path,
    places: Iterable[str],
    records: Sequence[FileRecord],
    cuts: Sequence[Cut],
    former: Former | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Writes the registers of a repository into a generation.

    Returns notes on broken files, and the files of the former generation that are still right.

    Args:
        folder: of the generation.
        root: the repository.
        places: the paths of its project files, among them the descriptions.
        records: the facts of all files, sorted by path.
        cuts: the segments of the files.
        former: the former generation.
    """
    wanted = sorted(set(descriptions(places)))
    blocks: list[RegisterBlock] | None = None

    def read() -> _Named:
        nonlocal blocks
        blocks, notes = read_blocks(root, wanted)
        return _digest(blocks), sorted(named_in(blocks)), notes

    def write() -> tuple[str, ...]:
        found = read_blocks(root, wanted)[0] if blocks is None else blocks
        write_registers(folder, _all_linked(root, found, records))
        return ()

    lasting = "" if not is_installed() else version("systemrdl-compiler")
    digest, named, notes = while_same(
        "descriptions",
        root,
        wanted,
        _Named,
        read,
        lasting.encode(),
        lambda one: not _is_cut(one[2]),
    )
    make, more = partial(_said, root, frozenset(named)), _digest(named)
    said = by_segment("said of registers", records, cuts, bytes, make, more) if named else []
    key = _digest((digest, [record.path for record in records], said))
    _, is_same = same_file(f"{FOLDER}/{FILE}", folder, former, key, write)
    more_notes = len(notes) - LISTED
    told = (
        *notes[:LISTED],
        *([f"{more_notes} more broken descriptions of registers"] * (more_notes > 0)),
    )
    return told, (f"{FOLDER}/{FILE}",) if is_same else ()


_Named = tuple[bytes, list[str], list[str]]
"""What stands for blocks, their names, and notes on broken descriptions."""


def _digest(value: object) -> bytes:
    return hashlib.sha256(msgspec.msgpack.encode(value)).digest()


def _is_cut(notes: Sequence[str]) -> bool:
    """Returns whether descriptions were left out that the next run may have time for."""
    return any(note.endswith(CUT) for note in notes)


def _said(root: Path, named: frozenset[str], records: Sequence[FileRecord]) -> bytes:
    """Returns what stands for all that files say of registers."""
    return stamp_of(in_file, records, named, text_of=TextReader(root))


def _all_linked(
    root: Path, blocks: Sequence[RegisterBlock], records: Sequence[FileRecord]
) -> list[RegisterBlock]:
    """Returns blocks with their lines of RTL."""
    if not blocks:
        return []
    evidence = evidence_of(root, blocks, records)
    return [_linked(block, tuple(evidence.of(block))) for block in blocks]


def _linked(block: RegisterBlock, found: tuple[Found, ...]) -> RegisterBlock:
    """Returns a block with its lines of RTL, as kept where these and the block are the same."""
    key = msgspec.msgpack.encode((block, found))
    return of_content("linked registers", key, RegisterBlock, lambda: link(block, found))


def evidence_of(
    root: Path, blocks: Sequence[RegisterBlock], records: Sequence[FileRecord]
) -> Evidence:
    """Returns the lines of RTL that speak of the registers of blocks."""
    return Evidence(records, blocks, TextReader(root))


def read_blocks(root: Path, places: Iterable[str]) -> tuple[list[RegisterBlock], list[str]]:
    """Returns the blocks that the descriptions have, by path, and a note on each broken one."""
    blocks: list[RegisterBlock] = []
    notes: list[str] = []
    left, until = ALL_BYTES, time.monotonic() + SECONDS
    root = root.resolve()
    passed = 0
    for place in sorted(set(descriptions(places))):
        if left <= 0 or time.monotonic() > until:
            notes.append(f"{visible(place)} and later: registers not read, {CUT}")
            break
        if place.endswith(RDL) and not is_installed():
            passed += 1
            continue
        try:
            data = read_inside(root, place, BYTES)
            left -= len(data)
            blocks += _kept(place, data)
        except (OSError, ValueError) as error:
            why = visible(str(error)[:200])
            notes.append(f"{visible(place)}: registers not read: {why}")
    if passed:
        notes.append(f"{passed} SystemRDL files: registers not read; {INSTALL}")
    return blocks, notes


def _kept(place: str, data: bytes) -> list[RegisterBlock]:
    """Returns the blocks of a description; in a process that indexes again, of each but once."""
    reader = version("systemrdl-compiler") if place.endswith(RDL) else ""
    key = b"\0".join((f"{reader}\0{place}".encode(errors="surrogateescape"), data))
    return of_content("registers", key, list[RegisterBlock], lambda: _read(place, data))


def _read(place: str, data: bytes) -> list[RegisterBlock]:
    if place.endswith(ENDINGS):
        return read_ipxact(place, data)
    text = data.decode("utf-8-sig", errors="replace")
    if place.endswith(RDL):
        return read_rdl(place, text)
    return read_reggen(place, read_hjson(text)) if SIGN in data else []


def descriptions(places: Iterable[str]) -> Iterator[str]:
    """Yields the paths that may describe registers; templates (`NAME.tpl.hjson`) do not."""
    return (one for one in places if one.endswith(DESCRIPTIONS) and ".tpl." not in one)
