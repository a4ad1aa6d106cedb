"""Sharing explanations: `Project.export_explanations` and `Project.import_explanations`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from hdlgraph.errors import UsageError
from hdlgraph.project.repository import Repository


class Sharing(Repository):
    """The part of a project that exchanges explanations with other copies of the repository."""

    def export_explanations(self, target: Path | BinaryIO) -> int:
        """Writes the explanations of all files as JSON Lines; returns how many.

        Args:
            target: a file, which appears when it is complete, or an open stream.
        """
        from hdlgraph.store.explanations import jsonl, write_jsonl

        explanations = self.explanations().values()
        if isinstance(target, Path):
            return write_jsonl(explanations, target)
        target.write(jsonl(explanations))
        target.flush()
        return len(explanations)

    def import_explanations(self, source: Path) -> dict[str, int]:
        """Imports explanations; the next `index` uses those that fit the content of their file.

        Returns:
            How many lines were read, how many match the indexed content of a file, how many were
            refused as hdlgraph's own, and how many imported explanations there are now.

        Raises:
            UsageError: the file cannot be used, or holds nothing but hdlgraph's own.
        """
        from hdlgraph.index.explain.share import take_over

        return take_over(self.folder, source)

    def forget_explanations(
        self, *, model: str = "", paths: Sequence[str] = (), everything: bool = False
    ) -> dict[str, Any]:
        """Removes explanations that were imported or that models wrote; returns counts.

        The next `index` writes those of these files by rules. What models answered stays on disk:
        `index(explain="model")` takes it from there again.

        Args:
            model: only those by this model.
            paths: only those of these files and folders, relative to the root.
            everything: all of them, which is not meant by giving nothing.

        Raises:
            UsageError: nothing was chosen, or no explanation fits.
        """
        from hdlgraph.index.explain.share import forget

        if not model and not paths and not everything:
            raise UsageError("forget which explanations? name PATHS, --model NAME, or --all")
        if everything and (model or paths):
            raise UsageError("--all leaves nothing to choose: leave out PATHS and --model")
        return forget(self.folder, model, paths)
