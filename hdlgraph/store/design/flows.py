"""The flows of all units on disk: what drives and reads their signals (see `hdlgraph.model.flow`).

    flows/units.msgpack    (node id, name, kind, path, line, ports, signals, modports) of each unit
                           that has a flow, sorted by path and line
    flows/data.bin         the flow of each unit as MessagePack, one behind the other
    flows/starts.npy       where each begins in data.bin, and the end of the last
    flows/said.msgpack     (path, kind, line, text) of the messages that checks report

data.bin is memory-mapped; of a design only the units that a question reaches are decoded.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from hdlgraph.errors import IndexDamagedError, IndexVersionError
from hdlgraph.model.flow import Flow

if TYPE_CHECKING:
    import numpy as np

    from hdlgraph.store.packed.slices import Piece, Slices

FOLDER = "flows"
REMEDY = "run `hdlgraph index` again"
KEPT = 2000
"""Decoded flows that are kept in memory."""


class FlowUnit(NamedTuple):
    """A unit that has a flow; `id` is its node in the graph.

    `ports` are (name, direction, line, type of an interface port, else ""), in their order;
    `signals` (name, line); `modports` of an interface (name, ((direction, name), ...)).
    """

    id: str
    name: str
    kind: str
    path: str
    line: int
    ports: tuple[tuple[str, str, int, str], ...] = ()
    signals: tuple[tuple[str, int], ...] = ()
    modports: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()


class StoredMessage(NamedTuple):
    """A message that a check reports, and where."""

    path: str
    kind: str
    line: int
    text: str


def write_flows(
    slices: Slices,
    units: Callable[[int], Iterable[tuple[bytes, bytes]]],
    messages: Callable[[int], Iterable[StoredMessage]],
) -> None:
    """Writes the flows of units, in the order of the files that have them.

    Args:
        slices: of the generation.
        units: gives each unit of the file of a number, a `FlowUnit` as MessagePack, with its flow.
        messages: gives the messages of its checks.
    """
    import numpy as np

    from hdlgraph.store.packed.spilled import Spilled

    (slices.folder / FOLDER).mkdir(exist_ok=True)  # there where linking is done once more
    heads: Spilled[int] = Spilled()
    encode = msgspec.msgpack.encode

    def flows_of(number: int) -> list[bytes]:
        found = list(units(number))
        heads.put(number, encode([head for head, _ in found]))
        return [flow for _, flow in found]

    def heads_of(number: int) -> list[bytes]:
        found = heads.get(number)
        if found is None:
            return [head for head, _ in units(number)]
        return msgspec.msgpack.decode(found, type=list[bytes])

    pieces = slices.write(f"{FOLDER}/data.bin", flows_of, is_array=False)
    starts = np.concatenate(([0], *(np.diff(_starts_of(slices, one)) for one in pieces)))
    np.save(slices.folder / FOLDER / "starts.npy", np.cumsum(starts, dtype=np.int64))
    slices.write(f"{FOLDER}/units.msgpack", heads_of)
    slices.write(f"{FOLDER}/said.msgpack", lambda number: map(encode, messages(number)))


def _starts_of(slices: Slices, piece: Piece) -> np.ndarray:
    """Returns where the flows of a piece begin, and the end of the last, counted from anywhere.

    Raises:
        IndexDamagedError: the former generation does not say that.
    """
    import numpy as np

    from hdlgraph.safety.npy import read_array

    if slices.former is None or piece.first == piece.end:
        return np.concatenate(([0], np.cumsum(piece.lengths)))
    path = slices.former.folder / FOLDER / "starts.npy"
    try:
        found = read_array(path)[piece.first : piece.end + 1]
    except (OSError, ValueError) as error:
        raise IndexDamagedError(
            f"{path}: cannot be read ({error}): run `hdlgraph index --fresh`"
        ) from error
    return found


class Flows:
    """The flows of one generation.

    Args:
        generation: its folder.

    Raises:
        IndexVersionError: the index has none, or they are damaged.
    """

    def __init__(self, generation: Path) -> None:
        self._folder = folder = generation / FOLDER
        if not folder.is_dir():
            raise IndexVersionError(f"{generation}: has no facts of signals: {REMEDY}")
        self._kept: dict[int, Flow] = {}
        self._decoder = msgspec.msgpack.Decoder(Flow)
        try:
            heads = (folder / "units.msgpack").read_bytes()
            self.units = msgspec.msgpack.decode(heads, type=list[FlowUnit])
            self._data = self._mapped(folder / "data.bin")
            self._starts = self._read_starts()
        except (OSError, ValueError, RecursionError) as error:
            raise self._bad(error) from error

    def _bad(self, why: object) -> IndexVersionError:
        return IndexVersionError(f"{self._folder}: cannot be read ({why}): {REMEDY}")

    @staticmethod
    def _mapped(path: Path) -> mmap.mmap | bytes:
        with path.open("rb") as stream:
            size = path.stat().st_size
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if size else b""

    def _read_starts(self) -> np.ndarray:
        import numpy as np

        from hdlgraph.safety.npy import read_array

        starts = read_array(self._folder / "starts.npy")
        good = starts.ndim == 1 and starts.dtype == np.int64 and len(starts) == len(self.units) + 1
        if not good or starts[0] != 0 or starts[-1] != len(self._data):
            raise ValueError("places of units do not fit")
        if (starts[1:] < starts[:-1]).any():
            raise ValueError("places of units are not in order")
        return starts

    def flow(self, row: int) -> Flow:
        """Returns the flow of the unit at `row` of `units`.

        Raises:
            IndexVersionError: it is damaged.
        """
        found = self._kept.get(row)
        if found is None:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            begin, end = int(self._starts[row]), int(self._starts[row + 1])
            try:
                found = self._decoder.decode(self._data[begin:end])
                check(found)
            except (ValueError, RecursionError) as error:
                raise self._bad(f"{self.units[row].id}: {error}") from error
            self._kept[row] = found
        return found

    @cached_property
    def by_id(self) -> Mapping[str, int]:
        """Returns the row of each unit by its node id."""
        return {unit.id: row for row, unit in enumerate(self.units)}

    @cached_property
    def by_name(self) -> Mapping[str, list[int]]:
        """Returns the rows of units by their name."""
        found: dict[str, list[int]] = {}
        for row, unit in enumerate(self.units):
            found.setdefault(unit.name, []).append(row)
        return found

    @cached_property
    def by_signal(self) -> Mapping[str, list[int]]:
        """Returns the rows of the units that declare a signal or port, by its name."""
        found: dict[str, list[int]] = {}
        for row, unit in enumerate(self.units):
            for name in dict.fromkeys((*(p[0] for p in unit.ports), *(s[0] for s in unit.signals))):
                found.setdefault(name, []).append(row)
        return found

    def said(self) -> list[StoredMessage]:
        """Returns the messages that checks report, by path and line."""
        try:
            data = (self._folder / "said.msgpack").read_bytes()
            return msgspec.msgpack.decode(data, type=list[StoredMessage])
        except (OSError, ValueError, RecursionError) as error:
            raise self._bad(error) from error


def check(flow: Flow) -> None:
    """Checks that the numbers in a flow name what there is, and that no guard is in itself.

    Raises:
        ValueError: one does not.
    """
    names, guards = len(flow.names), len(flow.guards)
    used = [number for one in flow.guards for number in one.reads]
    around = [step.guard for block in flow.blocks for step in block.steps]
    around += [child.guard for child in flow.children]
    around += [one.guard for one in flow.declared]
    for block in flow.blocks:
        used += [number for _, number, _ in block.events]
        if not 0 <= block.guards <= block.guards_end <= guards:
            raise ValueError("a process has guards that there are not")
        for step in block.steps:
            used += step.reads
            used += [number for number, _ in step.writes]
    for child in flow.children:
        for link in child.links:
            used += link.reads
            used += [number for number, _ in link.writes]
    if used and not 0 <= min(used) <= max(used) < names:
        raise ValueError("a name that there is not")
    if around and not -1 <= min(around) <= max(around) < guards:
        raise ValueError("a guard that there is not")
    if any(not -1 <= one.outer < at for at, one in enumerate(flow.guards)):
        raise ValueError("a guard around itself")
