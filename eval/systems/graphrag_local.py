"""Microsoft GraphRAG's own local search over the tables of an index, without a language model.

The question's entities come from GraphRAG's `map_query_to_entities` with the index's LanceDB
vectors and embedder; the files are those of the text units in the order of
`LocalSearchMixedContext`: the entity's place, then its relationships in the unit, most first. Only
its linear scan over all relationships for every entity is replaced, by a look-up. GraphRAG shows
its model the units of 20 entities (top_k_mapped_entities 10, times two); more are taken until there
are enough files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import UsageError
from hdlgraph.eval.scores.records import ModelUse
from hdlgraph.eval.systems.candidates import Corpus, System

if TYPE_CHECKING:
    from hdlgraph.project import Project

OVERSAMPLE = 2
"""GraphRAG's own factor between top_k_mapped_entities and the entities it takes."""


class StableStore:
    """A vector store whose equally near entities come in the order of their ids."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def similarity_search_by_text(self, text: str, text_embedder: Any, k: int) -> list[Any]:
        """Returns the `k` nearest entities, nearest first."""
        found = self._store.similarity_search_by_text(text, text_embedder, k)
        return sorted(found, key=lambda one: (-one.score, one.document.id))


class LocalSearch:
    """The system `graphrag-local`.

    Raises:
        UsageError: the index has no fresh GraphRAG tables, or no embeddings.
    """

    def __init__(self, name: str, corpus: Corpus) -> None:
        self.name = name
        self.used: ModelUse | None = None
        self._candidates = corpus.candidates()
        check_tables(name, corpus.project)
        embedder = corpus.project.searcher().index.embedder
        if embedder is None:
            raise UsageError(
                f"system {name}: {corpus.project.folder} has no usable embeddings; index again "
                "with `hdlgraph.embedding.provider` set"
            )
        self._load(corpus.project, embedder)

    def _load(self, project: Project, embedder: Any) -> None:
        from hdlgraph.index.graphrag.build import FOLDER
        from hdlgraph.index.graphrag.pipeline import open_tables

        config, tables = open_tables(
            project.folder / FOLDER, embedder, project.settings_file, project.settings
        )
        # Only after that: importing GraphRAG asks the network unless told not to.
        from graphrag.query.indexer_adapters import (
            read_indexer_entities,
            read_indexer_relationships,
            read_indexer_text_units,
        )
        from graphrag.utils.api import get_embedding_store
        from graphrag_llm.embedding import create_embedding

        # No level is left out: entities of no community would vanish with it.
        entities = read_indexer_entities(tables["entities"], tables["communities"], None)
        self.entities = {entity.id: entity for entity in entities}
        self.units = {unit.id: unit for unit in read_indexer_text_units(tables["text_units"])}
        self.relationships = read_indexer_relationships(tables["relationships"])
        self._of_title: dict[str, list[Any]] = defaultdict(list)
        for relation in self.relationships:
            for title in dict.fromkeys((relation.source, relation.target)):
                self._of_title[title].append(relation)
        self._paths = _paths(tables)
        self.store = StableStore(get_embedding_store(config.vector_store, "entity_description"))
        model = config.get_embedding_model_config(config.local_search.embedding_model_id)
        self.model = create_embedding(model)

    def warm(self, question: str, k: int) -> None:
        """Ranks once."""
        self.rank(question, k)

    def rank(self, question: str, k: int) -> list[str]:
        """Returns at most `k` files; fewer where no entity leads to more."""
        from graphrag.query.context_builder.entity_extraction import map_query_to_entities

        wanted, files = k, list[str]()
        while True:
            found = map_query_to_entities(
                question,
                self.store,
                self.model,
                self.entities,
                k=wanted,
                oversample_scaler=OVERSAMPLE,
            )
            files = self._files(found)
            if len(files) >= k or wanted * OVERSAMPLE >= len(self.entities):
                return files[:k]
            wanted *= 4

    def unit_order(self, entities: Sequence[Any]) -> list[str]:
        """Returns the ids of the text units of entities, in GraphRAG's order."""
        from graphrag.query.context_builder.source_context import count_relationships

        ranked: dict[str, tuple[int, int]] = {}
        for place, entity in enumerate(entities):
            related = self._of_title.get(entity.title, [])
            for unit in entity.text_unit_ids or []:
                if unit not in ranked and unit in self.units:
                    ranked[unit] = (place, -count_relationships(related, self.units[unit]))
        return sorted(ranked, key=ranked.__getitem__)

    def _files(self, entities: Sequence[Any]) -> list[str]:
        paths = (self._paths[unit] for unit in self.unit_order(entities))
        kept = self._candidates
        return list(dict.fromkeys(p for p in paths if kept is None or p in kept))


def graphrag_local(name: str, corpus: Corpus, kind: str) -> System:
    """Returns GraphRAG's local search over the index."""
    return LocalSearch(name, corpus)


def check_tables(name: str, project: Project) -> None:
    """Raises UsageError that names the command to run when there are no fresh tables."""
    from hdlgraph.index.graphrag.build import FOLDER
    from hdlgraph.index.graphrag.due import absent, describe

    state = project.manifest().graphrag or absent()
    there = (project.folder / FOLDER / "output" / "entities.parquet").is_file()
    whole = state.get("state") == "fresh" and state.get("vectors")
    if not whole or not there:
        described = "lost" if whole else describe(state)
        raise UsageError(
            f"system {name}: needs GraphRAG's tables in {project.folder}, and they are "
            f"{described}; run "
            f"`hdlgraph index {project.root} --index {project.folder} --graphrag always`"
        )


def _paths(tables: dict[str, Any]) -> dict[str, str]:
    """Returns the path of each text unit."""
    documents = tables["documents"]
    title = dict(zip(documents["id"], documents["title"], strict=True))
    units = tables["text_units"]
    return {u: title[d] for u, d in zip(units["id"], units["document_id"], strict=True)}
