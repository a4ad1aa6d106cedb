"""What a design declares and does not use: `Project.unused`."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from hdlgraph.project.hardware.signals import Signals

if TYPE_CHECKING:
    from hdlgraph.model import FileRecord
    from hdlgraph.query.unused.records import Finding
    from hdlgraph.store.folder import Generation

UNUSED = 50
"""Findings that `unused` lists."""


class Unused(Signals):
    """The part of a project that answers what nothing drives, reads, connects or uses."""

    _unused: tuple[Generation, list[Finding], list[FileRecord]] | None = None

    def unused(
        self,
        name: str = "",
        kinds: Collection[str] = (),
        limit: int | None = UNUSED,
        deliberate: bool = False,
        tests: bool = False,
    ) -> dict[str, Any]:
        """Returns what is declared and not used: counts by kind and folder, and the first of it.

        What is left so on purpose, by its name, a comment or a lint waiver, is counted apart.
        All `ifdef and generate branches count as there.

        Args:
            name: a unit, or the path of a file or folder; "" for the whole design.
            kinds: names of kinds as `undriven`, see `hdlgraph.query.unused.records.KINDS`.
            limit: the greatest number listed; None for all.
            deliberate: list what is meant so, in place of the others.
            tests: count testbenches and formal checks as well; they do where `name` is given.

        Raises:
            UsageError: there is no such unit, file, folder or kind.
        """
        from hdlgraph.query.unused.find import TESTS
        from hdlgraph.query.unused.report import report, within

        found, records = self._all_unused()
        roles = {record.path: record.role for record in records}
        if name.strip():
            units = {unit.name for record in records for unit in record.units}
            found = within(found, name, roles, units)
        elif not tests:
            found = [one for one in found if roles[one.path] not in TESTS]
        return self._with_stale(report(found, name.strip(), kinds, limit, deliberate))

    def _all_unused(self) -> tuple[list[Finding], list[FileRecord]]:
        """Returns all findings and the facts of all files; made once for each generation."""
        from hdlgraph.index.filesets.tops import read_tops
        from hdlgraph.query.unused.find import Repository, find_unused
        from hdlgraph.store.design.facts import read_facts

        design, held = self._signals(), self._generation()
        opened = self._unused
        if opened is None or opened[0].id != held.id:
            held.check("facts.msgpack")
            records = read_facts(held.folder)
            tops = read_tops(self.root, held.manifest.projects)
            given = Repository(records, design, self.source_text, tops)
            self._unused = opened = (held, find_unused(given), records)
        return opened[1], opened[2]
