"""One explanation per file, written from its facts and its surroundings without a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from hdlgraph.index.explain.by_rules.evidence.of_files import Evidence
from hdlgraph.index.explain.by_rules.key_phrases import concepts
from hdlgraph.index.explain.by_rules.people.certain import certain
from hdlgraph.index.explain.by_rules.people.particular import particular
from hdlgraph.index.explain.by_rules.people.texts import ForPeople
from hdlgraph.index.explain.by_rules.prose import escape
from hdlgraph.index.explain.by_rules.writer import ForSearch, Writer
from hdlgraph.index.explain.neighbourhood import Neighbourhood, neighbourhoods
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.model.explanation import SearchText
from hdlgraph.store.explanations import usable

__all__ = ["DeterministicExplainer", "Explainer", "explain_all", "neighbourhoods"]


class Explainer(Protocol):
    """Writes the explanation of one file; `name` and `version` go into cache keys."""

    name: str
    version: str

    @property
    def state(self) -> bytes:
        """Returns what stands for all that `key` takes from others than its file."""

    def key(self, record: FileRecord, context: Neighbourhood) -> bytes:
        """Returns what an explanation depends on besides facts and surroundings of its file."""

    def explain(self, record: FileRecord, context: Neighbourhood) -> Explanation:
        """Returns what the file of `record` is for, in words."""


class DeterministicExplainer:
    """Explains from facts, comments and names; the same input gives the same words."""

    name = "deterministic"

    def __init__(self, evidence: Evidence | None = None) -> None:
        self._evidence = evidence or Evidence()
        self.version = self._evidence.digest

    @property
    def state(self) -> bytes:
        """Returns what stands for what the other files and the documents say."""
        return self._evidence.state

    @property
    def evidence(self) -> Evidence:
        """Returns what is known of the files besides their facts."""
        return self._evidence

    @classmethod
    def for_records(
        cls,
        records: Sequence[FileRecord],
        projects: Projects = (),
        texts: Iterable[tuple[str, str]] = (),
    ) -> DeterministicExplainer:
        """Returns an explainer that knows what the repository and its documents say.

        Args:
            records: facts of all files.
            projects: the project tables in force.
            texts: (path, text) of the documents.
        """
        return cls(Evidence(records, texts, projects))

    def key(self, record: FileRecord, context: Neighbourhood) -> bytes:
        """Returns what the other files and the documents say that bears on this file."""
        return msgspec.msgpack.encode(self._evidence.of(record, context))

    def explain(self, record: FileRecord, context: Neighbourhood) -> Explanation:
        """Returns the explanation of one file, with the texts for a search beside it."""
        known = self._evidence.of(record, context)
        spelt = self._evidence.vocabulary(known.chosen)
        sure = certain(record)
        own = particular(sure, known.helpers)
        return Explanation(
            path=record.path,
            concepts=concepts(sure, spelt, self._evidence.short),
            sha256=record.sha256,
            model=self.name,
            search=SearchText(
                concepts=concepts(record, spelt),
                **_texts(ForSearch(record, context, known, spelt)),
            ),
            **_texts(ForPeople(own, context, known, self._evidence.written, spelt)),
        )


def _texts(writer: Writer) -> dict[str, str]:
    return {
        "purpose": escape(writer.purpose()),
        "behaviour": escape(writer.behaviour()),
        "interfaces": escape(writer.interfaces()),
        "parameters": escape(writer.parameters()),
        "instances": escape(writer.instances()),
    }


def explain_all(
    records: Sequence[FileRecord],
    explainer: Explainer | None = None,
    imported: Mapping[str, Explanation] | None = None,
) -> dict[str, Explanation]:
    """Returns the explanation of every file, keyed by path in the order of `records`.

    Args:
        records: facts of all files.
        explainer: who explains; by default the deterministic explainer of these records.
        imported: explanations from elsewhere; one with the file's sha256 is used as it is.
    """
    explainer = explainer or DeterministicExplainer.for_records(records)
    around = neighbourhoods(records)
    out: dict[str, Explanation] = {}
    for record in records:
        given = usable(imported or {}, record.path, record.sha256)
        out[record.path] = given or explainer.explain(record, around[record.path])
    return out
