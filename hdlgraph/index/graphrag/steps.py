"""The steps of the `hdl` pipeline that are ours, as GraphRAG workflows.

One of the few importers of graphrag.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import BuildError
from hdlgraph.index.graphrag.communities.tables import write_communities, write_reports
from hdlgraph.index.graphrag.entities import (
    TextUnitsOf,
    entities_of,
    entity_columns,
    relationship_columns,
    stable_id,
)
from hdlgraph.index.graphrag.extract import model_graph
from hdlgraph.index.graphrag.graph_tables import write_graph
from hdlgraph.index.graphrag.inputs import Inputs

if TYPE_CHECKING:
    pass

EPOCH = "1970-01-01T00:00:00+00:00"
"""Stands for the time of creation, so that equal inputs give equal tables."""


def workflows(inputs: Inputs) -> dict[str, Any]:
    """Returns our workflows by name, for one build."""
    from graphrag.index.typing.workflow import WorkflowFunctionOutput

    def step(function: Any) -> Any:
        async def run(config: Any, context: Any) -> Any:
            await function(inputs, config, context.output_table_provider)
            return WorkflowFunctionOutput(result=None)

        return run

    return {
        "hdl_model_graph": step(model_graph),
        "hdl_text_unit_ids": step(_text_unit_ids),
        "hdl_final_graph": step(_final_graph),
        "hdl_communities": step(write_communities),
        "hdl_final_text_units": step(_final_text_units),
        "hdl_reports": step(write_reports),
        "hdl_vectors": step(_vectors),
    }


async def _text_unit_ids(inputs: Inputs, config: Any, tables: Any) -> None:
    """Gives each text unit an id of its own; GraphRAG would give two equal texts the same."""
    frame = await tables.read_dataframe("text_units")
    place = frame.groupby("document_id").cumcount().astype(str)
    pairs = zip(frame["document_id"], place, strict=True)
    frame["id"] = [stable_id("text_unit", document, number) for document, number in pairs]
    await tables.write_dataframe("text_units", frame)


async def _final_graph(inputs: Inputs, config: Any, tables: Any) -> None:
    """Writes final entities and relationships, with our columns after GraphRAG's.

    GraphRAG's finalize_graph would drop those columns, draw random ids and take ten seconds for
    20,000 relationships; all it adds are the degrees.
    """
    import pandas as pd

    units = await tables.read_dataframe("text_units")
    find = _text_units_of(inputs, units)
    graph, inputs.graph = inputs.graph, None  # 150 MB in a large repository, needed only here
    if graph is None:
        raise BuildError("the inputs of a build serve once")
    inputs.entities = entities_of(graph, inputs.explanations, inputs.kinds)
    if not inputs.entities:
        raise BuildError("the graph holds no node of graphrag.entities; add a kind to them")
    entities = pd.DataFrame(entity_columns(graph, inputs.entities, find))
    relations = pd.DataFrame(relationship_columns(graph, inputs.entities, find))
    await write_graph(tables, entities, relations)


async def _final_text_units(inputs: Inputs, config: Any, tables: Any) -> None:
    """Adds to each text unit its entities and relationships, as GraphRAG's workflow does."""
    from graphrag.data_model.schemas import TEXT_UNITS_FINAL_COLUMNS

    units = await tables.read_dataframe("text_units")
    units["human_readable_id"] = range(len(units))
    for column, table in (("entity_ids", "entities"), ("relationship_ids", "relationships")):
        frame = await tables.read_dataframe(table)
        found: dict[str, list[str]] = {unit: [] for unit in units["id"]}
        for row, of_units in zip(frame["id"], frame["text_unit_ids"], strict=True):
            for unit in of_units:
                found[unit].append(row)
        units[column] = [found[unit] for unit in units["id"]]
    units["covariate_ids"] = [[] for _ in range(len(units))]
    await tables.write_dataframe("text_units", units[TEXT_UNITS_FINAL_COLUMNS])


def _text_units_of(inputs: Inputs, units: Any) -> TextUnitsOf:
    """Returns the lookup of text units: by path, and by line where documents are code."""
    path_of = {stable_id("document", path): path for path in inputs.documents}
    chunks: dict[str, list[tuple[str, int, int]]] = {}
    at: dict[str, int] = {}
    for unit_id, document, text in zip(
        units["id"], units["document_id"], units["text"], strict=True
    ):
        path = path_of[document]
        whole = inputs.documents[path]
        # The chunks overlap by less than half; a chunk's first characters may be half a letter.
        least = at.get(path, 0)
        hit = whole.find(text[8:72], least)
        start = least if hit < 0 else max(0, hit - 8)
        at[path] = start + len(text) // 2
        first = whole.count("\n", 0, start)
        chunks.setdefault(path, []).append((unit_id, first, first + text.count("\n")))

    def find(path: str, line: int) -> Sequence[str]:
        known = chunks.get(path, [])
        if inputs.data_type == "code" and line > 1:
            # The first line of a document is its path, so that line n of the file is line n.
            hit = [unit for unit, first, last in known if first <= line <= last]
            return hit or [unit for unit, _, _ in known]
        return [unit for unit, _, _ in known]

    return find


async def _vectors(inputs: Inputs, config: Any, tables: Any) -> None:
    from hdlgraph.index.graphrag.entity_vectors import MAX_CHARS, compose, entity_parts, unit_parts

    if inputs.embedder is None:
        return
    of_path = inputs.surfaces.of_path if inputs.surfaces else {}
    abouts = inputs.explanations
    if inputs.drawn_by_model:
        parts = [[f"{e.name}: {e.description}"[:MAX_CHARS]] for e in inputs.entities]
    else:
        parts = [
            entity_parts(e, of_path.get(e.path, {}), abouts.get(e.path)) for e in inputs.entities
        ]
    units = await tables.read_dataframe("text_units")
    if inputs.data_type == "code":
        of_units = [[text] for text in units["text"]]
    else:
        documents = await tables.read_dataframe("documents")
        path_of = dict(zip(documents["id"], documents["title"], strict=True))
        paths = [path_of[document] for document in units["document_id"]]
        of_units = [unit_parts(of_path.get(p, {}), abouts.get(p)) or [p] for p in paths]
    inputs.composed = compose([*parts, *of_units], inputs.embedder, inputs.surfaces, inputs.kept)
    rows = inputs.composed.rows
    _store(config, "entity_description", [e.id for e in inputs.entities], rows[: len(parts)])
    _store(config, "text_unit_text", list(units["id"]), rows[len(parts) :])


def _store(config: Any, name: str, ids: Sequence[str], rows: Any) -> None:
    from graphrag_vectors import VectorStoreDocument, create_vector_store

    store = create_vector_store(config.vector_store, config.vector_store.index_schema[name])
    store.connect()
    store.create_index()
    store.load_documents(
        [
            VectorStoreDocument(id=one, vector=row, create_date=EPOCH)
            for one, row in zip(ids, rows, strict=True)
        ]
    )
