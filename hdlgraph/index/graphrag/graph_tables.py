"""Writes GraphRAG's tables of entities and relationships.

One of the few importers of graphrag.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


async def write_graph(tables: Any, entities: pd.DataFrame, relations: pd.DataFrame) -> None:
    """Writes both tables with their degrees, GraphRAG's columns before ours."""
    from graphrag.data_model.schemas import ENTITIES_FINAL_COLUMNS, RELATIONSHIPS_FINAL_COLUMNS

    pairs = set(map(frozenset, zip(relations["source"], relations["target"], strict=True)))
    degree = Counter(title for pair in pairs for title in pair)
    entities["degree"] = [degree[title] for title in entities["title"]]
    relations["combined_degree"] = [
        degree[source] + degree[target]
        for source, target in zip(relations["source"], relations["target"], strict=True)
    ]
    for name, frame, first in (
        ("entities", entities, ENTITIES_FINAL_COLUMNS),
        ("relationships", relations, RELATIONSHIPS_FINAL_COLUMNS),
    ):
        frame["human_readable_id"] = range(len(frame))
        ours = [column for column in frame.columns if column not in first]
        await tables.write_dataframe(name, frame[[*first, *ours]])
