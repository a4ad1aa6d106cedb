"""The graph of an index as LightRAG's `custom_kg`, and the files that its answers name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hdlgraph.eval.systems.candidates import Corpus
from hdlgraph.index.graphrag.entities import Entity, entities_of, relationship_columns


@dataclass(frozen=True)
class Knowledge:
    """What LightRAG is given: all of it about candidate files.

    Attributes:
        texts: the explanation of each path, path first; LightRAG's chunks.
        entities: modules, packages, files and concepts.
        relations: rows of source title, target title, kinds, description, weight, path.
    """

    texts: Mapping[str, str]
    entities: tuple[Entity, ...]
    relations: tuple[tuple[str, str, str, str, float, str], ...]

    def custom_kg(self) -> dict[str, list[dict[str, Any]]]:
        """Returns the argument of `LightRAG.ainsert_custom_kg`."""
        return {
            "chunks": [
                {"content": text, "source_id": path, "file_path": path}
                for path, text in self.texts.items()
            ],
            "entities": [
                {
                    "entity_name": one.title,
                    "entity_type": one.kind,
                    "description": one.description,
                    "source_id": self.places[one.title],
                    "file_path": self.places[one.title],
                }
                for one in self.entities
            ],
            "relationships": [
                {
                    "src_id": source,
                    "tgt_id": target,
                    "keywords": kinds.lower().replace(",", ", "),
                    "description": description,
                    "weight": weight,
                    "source_id": path,
                    "file_path": path,
                }
                for source, target, kinds, description, weight, path in self.relations
            ],
        }

    def digest(self) -> str:
        """Returns a name for the set of files."""
        return hashlib.sha256("\0".join(self.texts).encode()).hexdigest()[:24]

    def files(self, data: Mapping[str, Any]) -> list[str]:
        """Returns the paths that LightRAG's `data` names, without repetition.

        First those of its chunks, in its order (the sources that its model would be shown), then
        those of its entities and its relationships: orders that began with these found less.
        """
        return list(dict.fromkeys(self._named(data)))

    def _named(self, data: Mapping[str, Any]) -> Iterator[str]:
        for chunk in data.get("chunks", ()):
            yield chunk["content"].split("\n", 1)[0]
        for entity in data.get("entities", ()):
            yield self.places.get(entity["entity_name"], "")
        for relation in data.get("relationships", ()):
            for end in ("src_id", "tgt_id"):
                yield self.places.get(relation[end], "")

    @cached_property
    def places(self) -> dict[str, str]:
        """Returns the path of each entity; a concept's is the first place that realises it."""
        found = {one.title: one.path for one in self.entities if one.path}
        for source, target, *_, path in self.relations:
            found.setdefault(source, path)
            found.setdefault(target, path)
        return found


def knowledge(corpus: Corpus) -> Knowledge:
    """Returns the graph of the candidates: the entities and relationships of GraphRAG's tables.

    Concepts that no candidate realises are left out.
    """
    project = corpus.project
    graph, about = project.graph(), corpus.explanations()
    entities = entities_of(graph, about, project.settings.graphrag.entities)
    columns = relationship_columns(graph, entities, lambda path, line: (path,))
    names = ("source", "target", "kinds", "description", "weight", "path")
    kept = frozenset(corpus.paths)
    inside = {one.title for one in entities if not one.path or one.path in kept}
    relations = tuple(
        row
        for row in zip(*(columns[name] for name in names), strict=True)
        if row[-1] in kept and row[0] in inside and row[1] in inside
    )
    joined = {title for row in relations for title in row[:2]}
    texts = dict(zip(corpus.paths, corpus.texts("explanations"), strict=True))
    return Knowledge(
        texts,
        tuple(
            one for one in entities if one.path in kept or (not one.path and one.title in joined)
        ),
        relations,
    )
