"""The state of an index and of the installation: `Project.status`, `integrity`, `doctor`."""

from __future__ import annotations

from typing import Any

from hdlgraph.project.repository import Repository


class Health(Repository):
    """The part of a project for its state."""

    def status(self) -> dict[str, Any]:
        """Returns the state of the index and how far the repository has moved since."""
        from hdlgraph.index.status import status_of

        found = status_of(self.root, self.folder, self.settings)
        if self.shared is not None:
            found |= {"index": str(self.shared.address), "notes": list(self.shared.notes)}
        return found

    def integrity(self) -> dict[str, Any]:
        """Returns who owns the index ("owner", "own") and which of its files are damaged."""
        from hdlgraph.index.status import integrity_of

        return integrity_of(self.folder)

    def agreement(self, limit: int = 1000) -> dict[str, Any]:
        """Returns how far the readers of the source agree; lists up to `limit` disputed facts."""
        from hdlgraph.index.link.agreement import agreement
        from hdlgraph.store.design.facts import read_facts

        held = self._generation()
        held.check("facts.msgpack")
        return agreement(read_facts(held.folder), limit)

    def doctor(self) -> list[dict[str, Any]]:
        """Returns checks of the installation and the index, worst first."""
        from hdlgraph.doctor import check_all

        found = check_all(self)
        return found if self.shared is None else [*self.shared.checks(), *found]
