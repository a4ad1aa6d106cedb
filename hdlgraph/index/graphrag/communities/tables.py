"""GraphRAG's tables `communities` and `community_reports`, filled for a design.

One of the few importers of graphrag.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.index.graphrag.communities.cluster import communities_of
from hdlgraph.index.graphrag.communities.links import links_of
from hdlgraph.index.graphrag.communities.report import reports_of
from hdlgraph.index.graphrag.communities.words import findings_of, full_text, summary_of
from hdlgraph.index.graphrag.entities import stable_id
from hdlgraph.model.community import Community
from hdlgraph.store.communities import encode

if TYPE_CHECKING:
    import pandas as pd

    from hdlgraph.index.graphrag.communities.design import Design
    from hdlgraph.index.graphrag.inputs import Inputs


async def write_communities(inputs: Inputs, config: Any, tables: Any) -> None:
    """Writes the communities: of the design, or of what the model drew where it did."""
    import pandas as pd
    from graphrag.data_model.schemas import COMMUNITIES_FINAL_COLUMNS

    relationships = await tables.read_dataframe("relationships")
    if inputs.drawn_by_model:
        frame = await _of_relationships(relationships, config, tables)
    else:
        assert inputs.design is not None
        links = links_of(inputs.design)
        rows = await communities_of(links, list(inputs.design.roles), config.cluster_graph)
        entities = await tables.read_dataframe("entities")
        frame = pd.DataFrame(
            _of_entities(rows, entities, relationships), columns=COMMUNITIES_FINAL_COLUMNS
        )
    if frame.empty:
        frame = pd.DataFrame(columns=COMMUNITIES_FINAL_COLUMNS)
    frame["id"] = [
        stable_id("community", str(level), *sorted(members))
        for level, members in zip(frame["level"], frame["entity_ids"], strict=True)
    ]
    frame["period"] = ""
    await tables.write_dataframe("communities", frame)


async def _of_relationships(relationships: pd.DataFrame, config: Any, tables: Any) -> pd.DataFrame:
    """Returns the communities that GraphRAG's own workflow finds."""
    from graphrag.index.workflows.create_communities import create_communities

    if relationships.empty:
        return relationships.head(0)
    cluster = config.cluster_graph
    async with (
        tables.open("entities", truncate=False) as entities,
        tables.open("communities") as out,
    ):
        await create_communities(
            out,
            entities,
            relationships,
            max_cluster_size=cluster.max_cluster_size,
            use_lcc=cluster.use_lcc,
            seed=cluster.seed,
        )
    return await tables.read_dataframe("communities")


def _of_entities(
    rows: Sequence[Mapping[str, Any]], entities: pd.DataFrame, relationships: pd.DataFrame
) -> list[dict[str, Any]]:
    """Returns communities of files as communities of all entities in those files."""
    of_path: dict[str, list[str]] = defaultdict(list)
    path_of: dict[str, str] = {}
    columns = (entities[name] for name in ("id", "title", "path"))
    for entity, title, path in zip(*columns, strict=True):
        of_path[path].append(entity)
        path_of[title] = path
    names = ("id", "source", "target", "text_unit_ids")
    joined = [
        (one, path_of[source], path_of[target], units)
        for one, source, target, units in zip(*(relationships[n] for n in names), strict=True)
    ]
    by_path: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for one in joined:
        by_path[one[1]].append(one)
    found = []
    for row in rows:
        inside = set(row["entity_ids"])
        within = [one for path in row["entity_ids"] for one in by_path[path] if one[2] in inside]
        ids = [entity for path in row["entity_ids"] for entity in of_path[path]]
        units = {unit for one in within for unit in one[3]}
        found.append(
            {
                **row,
                "entity_ids": ids,
                "relationship_ids": sorted(one[0] for one in within),
                "text_unit_ids": sorted(units),
                "size": len(ids),
            }
        )
    return found


async def write_reports(inputs: Inputs, config: Any, tables: Any) -> None:
    """Writes a report for each community: of facts, in a model's words where one is wanted."""
    import pandas as pd
    from graphrag.data_model.schemas import COMMUNITY_REPORTS_FINAL_COLUMNS

    communities = await tables.read_dataframe("communities")
    entities = await tables.read_dataframe("entities")
    assert inputs.design is not None
    rows = _of_files(communities, entities, inputs.design)
    reports = reports_of(inputs.design, rows)
    if inputs.reports_by_model:
        from hdlgraph.index.graphrag.communities.by_model import told_by_model

        reports = await told_by_model(inputs, config, tables, reports)
    most = max((one.files for one in reports), default=1)
    sizes = dict(zip(communities["community"], communities["size"], strict=True))
    children = dict(zip(communities["community"], communities["children"], strict=True))
    frame = pd.DataFrame(
        [_row(one, most, int(sizes[one.community]), children[one.community]) for one in reports],
        columns=COMMUNITY_REPORTS_FINAL_COLUMNS,
    )
    numbers = {"human_readable_id": int, "community": int, "level": int, "parent": int}
    await tables.write_dataframe("community_reports", frame.astype(numbers))


def _of_files(
    communities: pd.DataFrame, entities: pd.DataFrame, design: Design
) -> list[dict[str, Any]]:
    """Returns communities of entities as communities of the files that those lie in."""
    path_of = dict(zip(entities["id"], entities["path"], strict=True))
    columns = (communities[name] for name in ("community", "level", "parent", "entity_ids"))
    found = []
    for number, level, parent, ids in zip(*columns, strict=True):
        paths = sorted({path_of[one] for one in ids} & design.roles.keys())
        values = {"community": int(number), "level": int(level), "parent": int(parent)}
        found.append({**values, "entity_ids": paths})
    return found


def _row(one: Community, most: int, size: int, children: Sequence[int]) -> dict[str, Any]:
    """Returns a report in GraphRAG's columns."""
    return {
        "id": stable_id("report", str(one.level), *one.members),
        "human_readable_id": one.community,
        "community": one.community,
        "level": one.level,
        "parent": one.parent,
        "children": [int(child) for child in children],
        "title": one.title,
        "summary": summary_of(one),
        "full_content": full_text(one),
        "rank": round(10 * one.files / most, 3),
        "rating_explanation": f"{one.files} files; the largest community has {most}.",
        "findings": [
            {"summary": heading, "explanation": text} for heading, text in findings_of(one)
        ],
        "full_content_json": encode(one),
        "period": "",
        "size": size,
    }
