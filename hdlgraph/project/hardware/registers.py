"""Registers as software sees them: `Project.registers`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.project.repository import Repository

if TYPE_CHECKING:
    from hdlgraph.store.design.registers import RegisterBlock
    from hdlgraph.store.folder import Generation


class Registers(Repository):
    """The part of a project that tells its registers and fields, and the RTL behind them."""

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

    def _blocks(self) -> list[RegisterBlock]:
        from hdlgraph.store.design.registers import FOLDER, read_registers

        held, opened = self._generation(), self._registers
        if opened is None or opened[0].id != held.id:
            held.check(FOLDER)
            self._registers = opened = (held, read_registers(held.folder))
        return opened[1]
