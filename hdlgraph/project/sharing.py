"""Sharing explanations: `Project.export_explanations` and `Project.import_explanations`."""

from __future__ import annotations

from pathlib import Path

from hdlgraph.project.repository import Repository


class Sharing(Repository):
    """The part of a project that exchanges explanations with other copies of the repository."""

    def export_explanations(self, target: Path) -> int:
        """Writes the explanations of all files as JSON Lines; returns how many."""
        from hdlgraph.store.explanations import write_jsonl

        return write_jsonl(self.explanations().values(), target)

    def import_explanations(self, source: Path) -> dict[str, int]:
        """Imports explanations; the next `index` uses those that fit the content of their file.

        Returns:
            How many lines were read, how many match the indexed content of a file, and how
            many imported explanations there are now.
        """
        from hdlgraph.index.explain.share import take_over

        return take_over(self.folder, source)
