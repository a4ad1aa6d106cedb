"""What one build of GraphRAG's tables reads, and what a model's extraction left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hdlgraph.index.graphrag.entities import Entity

if TYPE_CHECKING:
    from hdlgraph.graph.graph import Graph
    from hdlgraph.index.embed.embedder import Embedder
    from hdlgraph.index.graphrag.chat_model import Talk
    from hdlgraph.index.graphrag.communities.design import Design
    from hdlgraph.index.graphrag.entity_vectors import Composed, SurfaceVectors, VectorLookup
    from hdlgraph.model import Explanation


@dataclass
class Extracted:
    """What the extraction left out: paths of text units without an entity, and why."""

    units: int = 0
    empty: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # "path: reason"
    summaries_failed: int = 0

    def note(self) -> str:
        """Returns what was left out in words, "" when nothing was."""
        parts = []
        for words, found in (("named nothing", self.empty), ("got no answer", self.failed)):
            if found:
                listed = "; ".join(found[:5]) + (
                    f"; and {len(found) - 5} more" if found[5:] else ""
                )
                parts.append(f"{len(found)} of {self.units} text units {words} ({listed})")
        if self.summaries_failed:
            parts.append(f"{self.summaries_failed} descriptions joined without the model")
        return "; ".join(parts)


@dataclass
class Inputs:
    """What one build reads. `documents` maps a path to the text that stands for the file.

    `design` is the part of the graph that communities and their reports are made of. `embedder`
    None leaves the vector store out; `surfaces` and `kept` know vectors already. `talk` is the
    model: it draws the graph (`drawn_by_model`; `extracted` tells what it left out) or words the
    reports of communities (`reports_by_model`).
    """

    graph: Graph | None
    explanations: Mapping[str, Explanation]
    documents: Mapping[str, str]
    kinds: Sequence[str]
    data_type: str = "explanations"
    embedder: Embedder | None = None
    surfaces: SurfaceVectors | None = None
    kept: VectorLookup | None = None
    entities: list[Entity] = field(default_factory=list)
    composed: Composed | None = None
    talk: Talk | None = None
    extracted: Extracted = field(default_factory=Extracted)
    drawn_by_model: bool = False
    reports_by_model: bool = False
    design: Design | None = None
    notes: list[str] = field(default_factory=list)
