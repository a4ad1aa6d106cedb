"""The registers of a repository on disk: what describes them, and the RTL that implements them.

    registers/blocks.msgpack    the blocks of registers, sorted by path and name

It is read by the questions about registers alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from hdlgraph.errors import IndexVersionError

FOLDER = "registers"
FILE = "blocks.msgpack"
REMEDY = "run `hdlgraph index` again"


class RtlLine(NamedTuple):
    """A line of RTL that has to do with a register or field; lines count from 1.

    `how`: `implements` (the cell or constant that holds it), `reads` and `writes` (a use of its
    value by the hardware) or `declares` (the parameter with its offset, or a signal of its name).
    `name` is what stands there, as `reg2hw.ctrl.tx.q`; `unit` the module or package around it.
    `whole` says that the line names the register and not the field.
    """

    path: str
    line: int
    how: str
    name: str
    unit: str
    whole: bool = False


class Field(NamedTuple):
    """A field: its bits (`lsb` from 0, -1 where unknown; `width`), access and value after reset.

    `access` is that of software as its description has it (rw, ro, rw1c ...), `hardware` that of
    the hardware. `line` is that of the description. `reset` is "" where nothing tells it.
    """

    name: str
    lsb: int
    width: int
    access: str
    hardware: str
    reset: str
    line: int
    text: str = ""
    rtl: tuple[RtlLine, ...] = ()


class Register(NamedTuple):
    """A register, an array of registers or a window; `kind` says which.

    `offset` is in bytes from the start of its block, -1 where unknown; `copies` how many registers
    there are, 0 where unknown; `size` the bytes of one of them, or of the window.
    """

    name: str
    kind: str
    offset: int
    copies: int
    size: int
    access: str
    line: int
    text: str = ""
    fields: tuple[Field, ...] = ()
    rtl: tuple[RtlLine, ...] = ()


class RegisterBlock(NamedTuple):
    """The registers that one interface of a unit has, as one file describes them.

    `format`: hjson, systemrdl or ip-xact.
    """

    name: str
    format: str
    path: str
    line: int
    registers: tuple[Register, ...] = ()


def write_registers(generation: Path, blocks: Sequence[RegisterBlock]) -> None:
    """Writes the blocks into the folder of a generation; nothing where there are none."""
    if blocks:
        folder = generation / FOLDER
        folder.mkdir(exist_ok=True)  # there where linking is done once more
        (folder / FILE).write_bytes(msgspec.msgpack.encode(list(blocks)))


def read_registers(generation: Path) -> list[RegisterBlock]:
    """Returns the blocks of a generation, [] where it has none.

    Raises:
        IndexVersionError: they are damaged.
    """
    path = generation / FOLDER / FILE
    if not (generation / FOLDER).is_dir():
        return []
    try:
        found = msgspec.msgpack.decode(path.read_bytes(), type=list[RegisterBlock])
        _check(found)
    except (OSError, ValueError, RecursionError) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error
    return found


def _check(blocks: Sequence[RegisterBlock]) -> None:
    for block in blocks:
        if block.line < 0:
            raise ValueError(f"{block.name}: a line below 0")
        for register in block.registers:
            lines = [register.line, *(one.line for one in register.rtl)]
            for field in register.fields:
                lines += [field.line, *(one.line for one in field.rtl)]
            if min(lines) < 0 or min(register.copies, register.size) < 0:
                raise ValueError(f"{block.name}.{register.name}: a number below 0")
