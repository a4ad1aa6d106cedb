"""Records that leave the program: hits, answers, reports; their JSON forms are documented.

Paths are POSIX and relative to the repository root; lines are 1-based. docs/json.md has the keys.
"""

from __future__ import annotations

from hdlgraph.results.answer import EXTRACTIVE, Answer, Citation
from hdlgraph.results.index import IndexReport, Round, StageTime
from hdlgraph.results.models import Estimate, ModelReport, StageEstimate, StageUsage, WriterTrust
from hdlgraph.results.moved import LISTED, Moved
from hdlgraph.results.search import Evidence, Hit, SearchResult, SourceLine

__all__ = [
    "EXTRACTIVE",
    "LISTED",
    "Answer",
    "Citation",
    "Estimate",
    "Evidence",
    "Hit",
    "IndexReport",
    "ModelReport",
    "Moved",
    "Round",
    "SearchResult",
    "SourceLine",
    "StageEstimate",
    "StageTime",
    "StageUsage",
    "WriterTrust",
]
