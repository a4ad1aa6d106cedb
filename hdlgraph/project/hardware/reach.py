"""Who can reach an address: `Project.reach`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hdlgraph.project.hardware.registers import Registers
from hdlgraph.project.hardware.signals import Signals

if TYPE_CHECKING:
    from hdlgraph.query.reach.find import Space
    from hdlgraph.store.folder import Generation


class Reach(Signals, Registers):
    """The part of a project that finds which block answers at an address, and who reaches it."""

    _space: tuple[Generation, Space] | None = None

    def reach(self, asked: str) -> dict[str, Any]:
        """Returns the blocks at an address with their registers, and the hosts that reach them.

        It comes from what the repository says: crossbars in Hjson, constants with bases and
        sizes, rules and comparisons of addresses in RTL. `hosts` is None where that does not
        tell them, `sure` false where no size is told.

        Args:
            asked: an address, as `0x40000010`, or a block or register, as `uart0` or `uart.CTRL`.

        Raises:
            UsageError: it is neither an address nor a name that there is.
        """
        from hdlgraph.query.reach.find import reach

        return self._with_stale(reach(self._address_space(), self._blocks(), asked))

    def regions(self) -> list[str]:
        """Returns the names of the regions of addresses that the repository has, sorted."""
        return sorted({one.name for one in self._address_space().regions if one.name})

    def _address_space(self) -> Space:
        from hdlgraph.index.registers.hjson import read_hjson
        from hdlgraph.query.reach.find import Given, Space
        from hdlgraph.store.design.facts import read_facts

        design, held, opened = self._signals(), self._generation(), self._space
        if opened is None or opened[0].id != held.id:
            held.check("facts.msgpack")
            records = read_facts(held.folder)
            places = tuple(held.manifest.projects)
            given = Given(
                *(records, design, self._blocks(), places),
                *(self.source_text, self._project_bytes, read_hjson),
            )
            self._space = opened = (held, Space(given))
        return opened[1]
