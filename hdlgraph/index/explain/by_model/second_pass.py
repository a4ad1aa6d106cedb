"""The second pass: a model explains each file again, given the explanations of its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from hdlgraph.index.explain.by_model.answer import FIELDS, read_explanation, split_sentences
from hdlgraph.index.explain.by_model.card import around_card, own_card
from hdlgraph.index.explain.by_model.first_pass import (
    BRIEF_TOKENS,
    FirstPass,
    ReadText,
    described,
    kept,
)
from hdlgraph.index.explain.by_model.kept import ModelExplanation
from hdlgraph.index.explain.by_model.many_files import Outcome, Watched, ask_each
from hdlgraph.index.explain.by_model.name_check import FileNames
from hdlgraph.index.explain.neighbourhood import Neighbourhood
from hdlgraph.llm.call import Call, Model
from hdlgraph.llm.structured import ask_json
from hdlgraph.llm.tokens import clip_tokens
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.model.paths import shared_folders
from hdlgraph.prompts import prompt_text
from hdlgraph.settings.records import Settings

STAGE = "neighbours"
MAX_NEIGHBOURS = 6
NEIGHBOUR_TOKENS = 75
OWN_TOKENS = 420
_PER_RELATION = {"used in": 3, "contains": 4, "extends": 1, "extended by": 2, "imported by": 2}
_SHORTER = 0.5  # a text that lost more than this share of its words is not taken


class Related(NamedTuple):
    """A file that another one is connected with, and how."""

    relation: str
    path: str


def related_files(
    records: Sequence[FileRecord], around: Mapping[str, Neighbourhood]
) -> dict[str, tuple[Related, ...]]:
    """Returns the nearest neighbours of each file, at most six: users first, then what it uses."""
    homes: dict[str, list[str]] = {}
    for record in sorted(records, key=lambda r: r.path):
        for unit in record.units:
            homes.setdefault(unit.name, []).append(record.path)
    bases: dict[str, list[str]] = {}
    heirs: dict[str, list[str]] = {}
    for record in sorted(records, key=lambda r: r.path):
        for unit in record.units:
            base = unit.extends.partition("#")[0].rpartition("::")[2].strip()
            for home in homes.get(base, [])[:1]:
                bases.setdefault(record.path, []).append(home)
                heirs.setdefault(home, []).append(record.path)
    out = {}
    for record in records:
        path, near = record.path, around.get(record.path, Neighbourhood())
        ways = {
            "used in": [parent.path for parent in near.parents],
            "extends": bases.get(path, []),
            "contains": _nearest_first(path, [child.path for child in near.children]),
            "extended by": heirs.get(path, []),
            "imported by": list(near.importers),
        }
        out[path] = tuple(_bounded(path, ways))
    return out


def _nearest_first(path: str, others: Sequence[str]) -> list[str]:
    """Returns paths with those in the same folders first: shared library cells say less."""
    return sorted(others, key=lambda other: -shared_folders(path, other))


def _bounded(path: str, ways: Mapping[str, Sequence[str]]) -> Iterator[Related]:
    seen = {path, ""}
    left = MAX_NEIGHBOURS
    for relation, paths in ways.items():
        fresh = [other for other in dict.fromkeys(paths) if other not in seen]
        for other in fresh[: min(left, _PER_RELATION[relation])]:
            seen.add(other)
            left -= 1
            yield Related(relation, other)


async def explain_with_neighbours(
    model: Model,
    records: Sequence[FileRecord],
    around: Mapping[str, Neighbourhood],
    explanations: Mapping[str, Explanation],
    read_text: ReadText,
    settings: Settings,
    *,
    prompts: Path | None = None,
    on_done: Callable[[Explanation], None] | None = None,
    workers: int = 0,
    everything: Sequence[FileRecord] | None = None,
) -> Outcome:
    """Asks the model to rewrite each explanation with those of the file's neighbours in sight.

    A file without an explanation or without explained neighbours is skipped; one whose call fails
    keeps the explanation it has.

    Args:
        model: answers calls.
        records: facts of the files to rewrite.
        around: what surrounds each.
        explanations: the first explanations of all files, by path.
        read_text: returns the text of a path, "" where it cannot be read.
        settings: of the run.
        prompts: the project's own prompts.
        on_done: called with each explanation as it comes.
        workers: files under way at once; 0 takes `llm.concurrency`.
        everything: facts of all files, where `records` are some of them.
    """
    related = related_files(everything or records, around)
    writer = _Rewriter(settings, prompts, explanations, related)

    async def rewrite(record: FileRecord) -> ModelExplanation | None:
        near = around.get(record.path, Neighbourhood())
        call = writer.call_of(record, near)
        if call is None:
            return None
        first = explanations[record.path]
        watched = Watched(model)

        def check(raw: dict[str, Any]) -> Explanation:
            return read_explanation(raw, record.path, record.sha256, call.model)

        found = merged(first, await ask_json(watched, call, check))
        known = FileNames.of_file(record, near, read_text(record.path))
        return kept(found, known.plus(writer.texts(record)), repaired=watched.repaired)

    return await ask_each(records, rewrite, workers or settings.llm.concurrency, on_done)


class _Rewriter:
    def __init__(
        self,
        settings: Settings,
        prompts: Path | None,
        explanations: Mapping[str, Explanation],
        related: Mapping[str, Sequence[Related]],
    ) -> None:
        self.writer = FirstPass(settings, prompts)
        self.prompt = prompt_text("explain_neighbours", prompts)
        self.explanations, self.related = explanations, related

    def call_of(self, record: FileRecord, around: Neighbourhood) -> Call | None:
        """Returns the call for a file, or None where there is nothing to add."""
        first = self.explanations.get(record.path)
        texts = self.texts(record)[1:]
        if first is None or not texts:
            return None
        own = own_card(record, BRIEF_TOKENS, brief=True)
        description = described(first, OWN_TOKENS)
        return self.writer.call(
            self.prompt,
            record.path,
            own=(own, description),
            stage=STAGE,
            facts="\n".join(filter(None, [own, around_card(around)])),
            explanation=description,
            neighbours="\n".join(texts),
        )

    def texts(self, record: FileRecord) -> list[str]:
        """Returns the file's own explanation and those of its neighbours, as the call has them."""
        first = self.explanations.get(record.path)
        out = [described(first, OWN_TOKENS) if first else ""]
        for relation, path in self.related.get(record.path, ()):
            other = self.explanations.get(path)
            if other is not None:
                text = f"{relation} {path}: {other.purpose}"
                if other.concepts:
                    text = (
                        f"{clip_tokens(text, NEIGHBOUR_TOKENS - 25)} ({', '.join(other.concepts)}"
                    )
                    text = f"{clip_tokens(text, NEIGHBOUR_TOKENS).rstrip(' ,')})"
                out.append(clip_tokens(text, NEIGHBOUR_TOKENS + 2))
        return out


def merged(first: Explanation, second: Explanation) -> Explanation:
    """Returns the second explanation, with the texts of the first that it lost.

    The first one's concepts stay behind the new ones.
    """
    texts = {}
    for name in FIELDS:
        old, new = getattr(first, name), getattr(second, name)
        lost = len(new.split()) < _SHORTER * len(old.split())
        texts[name] = _together(new, old) if lost else new
    phrases = {phrase.lower(): phrase for phrase in (*first.concepts, *second.concepts)}
    order = dict.fromkeys(phrase.lower() for phrase in (*second.concepts, *first.concepts))
    concepts = tuple(phrases[low] for low in order)
    return msgspec.structs.replace(second, **texts, concepts=concepts[:14])


def _together(new: str, old: str) -> str:
    """Returns the sentences of both, each once."""
    return " ".join(dict.fromkeys([*split_sentences(old), *split_sentences(new)]))
