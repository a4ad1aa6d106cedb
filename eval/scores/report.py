"""What an evaluation found, with its JSON object and its tables as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hdlgraph.eval.scores import misses, run_json, tables
from hdlgraph.eval.scores.records import Evaluation


@dataclass(frozen=True, slots=True)
class EvalReport(Evaluation):
    """One evaluation run; `to_dict()` is the JSON contract."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 2); intervals as {mean, low, high}."""
        return run_json.to_dict(self)

    def to_text(self) -> str:
        """Returns the tables as plain text."""
        return tables.to_text(self)

    def brief_text(self, full: bool = False) -> str:
        """Returns what people read: few columns, and the questions that failed with why.

        With `full` all tables and all such questions.
        """
        text = tables.to_text(self) if full else tables.short(self)
        return f"{text}\n{misses.to_text(self, None if full else misses.LIMIT)}"
