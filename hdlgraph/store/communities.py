"""Reports of communities: the form in which GraphRAG's `community_reports` table holds them.

A community is a set of files that belong together, found by GraphRAG over the design graph. Its
report has GraphRAG's columns, which GraphRAG's own global search reads; `full_content_json` holds
the record `Community`, which `hdlgraph overview` reads.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from hdlgraph.errors import IndexDamagedError
from hdlgraph.model.community import Community
from hdlgraph.store import tables

TABLE = "output/community_reports.parquet"
"""The table, relative to the folder of GraphRAG's tables."""
LEVELS = 100
"""More than GraphRAG's hierarchy of communities ever has."""


def encode(community: Community) -> str:
    """Returns a report as JSON; the same report gives the same text."""
    return msgspec.json.encode(community).decode()


def read_communities(folder: Path) -> list[Community]:
    """Returns the reports of GraphRAG's tables, by level and number.

    Args:
        folder: the folder of GraphRAG's tables in an index.

    Raises:
        IndexVersionError: the table is missing or cannot be read.
        IndexDamagedError: a report is not one that hdlgraph writes.
    """
    texts = tables.read_foreign(folder / TABLE, ["full_content_json"]).column(0).to_pylist()
    try:
        found = [msgspec.json.decode(text, type=Community) for text in texts]
        if not all(0 <= one.level < LEVELS for one in found):
            raise msgspec.ValidationError(f"levels are 0 to {LEVELS - 1}")
    except (msgspec.MsgspecError, TypeError, UnicodeError, RecursionError) as error:
        raise IndexDamagedError(
            f"index {folder.parent}: {folder.name}/{TABLE} holds no reports of hdlgraph ({error}); "
            "build them again with `hdlgraph index REPO --graphrag always`"
        ) from error
    return sorted(found, key=lambda one: (one.level, one.community))
