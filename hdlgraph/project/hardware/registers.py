"""Registers as software sees them: `Project.registers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.errors import IndexVersionError
from hdlgraph.project.repository import Repository

if TYPE_CHECKING:
    from hdlgraph.store.design.registers import RegisterBlock
    from hdlgraph.store.folder import Generation

MAX_LISTED = 6
"""Registers of one name that a note lists."""


class Registers(Repository):
    """The part of a project for its registers and fields, and the RTL behind them."""

    _registers: tuple[Generation, list[RegisterBlock]] | None = None

    def registers(self, name: str = "", limit: int = 0) -> dict[str, Any]:
        """Returns blocks of registers, with the description and the lines of RTL of each field.

        Args:
            name: of a block, register, field or unit, as `uart`, `uart.CTRL`, `ctrl.tx` or
                `uart_core`; without one, all blocks are listed with their counts alone.
            limit: most lines of RTL of a field; 0 for few of a block and more of a register.

        Raises:
            UsageError: nothing has the name; the message holds the nearest names.
        """
        from hdlgraph.query.registers.find import overview, registers

        blocks = self._blocks()
        found = registers(blocks, name, limit) if name.strip() else overview(blocks)
        moved = self.moved()
        return {**found, "notes": list(self._note_on(moved)), "stale": moved.to_dict()}

    def registers_called(self, name: str) -> str:
        """Returns a sentence on the registers that are called exactly so, "" without any."""
        from hdlgraph.query.registers.find import called

        try:
            found = called(self._blocks(), name.strip())
        except IndexVersionError:
            return ""
        if not found:
            return ""
        listed = ", ".join(f"{one} ({place})" for one, place in found[:MAX_LISTED])
        more = f" and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
        of = f"{len(found)} blocks" if len(found) > 1 else "a block"
        return (
            f"{name.strip()} is a register of {of}: {listed}{more}; "
            f"`hdlgraph registers {found[0][0]}` shows one"
        )

    def registers_matching(self, question: str) -> str:
        """Returns a sentence on the registers that have most words of a question."""
        from hdlgraph.query.registers.find import best_matching

        blocks = self._blocks()
        number = sum(len(one.registers) for one in blocks)
        if not number:
            return ""
        found = best_matching(blocks, question)
        listed = ", ".join(f"{one} ({place})" for one, place in found[:MAX_LISTED]) or "none"
        more = f" and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
        return (
            f"{number} registers are described in the repository; these have most of the words: "
            f"{listed}{more}; `hdlgraph registers NAME` shows one"
        )

    def _blocks(self) -> list[RegisterBlock]:
        from hdlgraph.store.design.registers import FOLDER, read_registers

        held, opened = self._generation(), self._registers
        if opened is None or opened[0].id != held.id:
            held.check(FOLDER)
            self._registers = opened = (held, read_registers(held.folder))
        return opened[1]
