"""Asks a language model for the concepts in explanations: purposes and mechanisms, not names.

Structure comes from the parsers, so the model is shown a short text of each file, several files
a call, and names the ideas in them, which declared name realises each, and what joins two ideas.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hdlgraph.errors import BudgetError, CallError, ErrorKind
from hdlgraph.index.concepts.call import (
    PROMPT,
    FileExcerpt,
    call_about,
    concepts_of,
    file_excerpts,
    read_answer,
)
from hdlgraph.index.concepts.kept import ConceptLink, FileConcepts
from hdlgraph.llm.call import Call, Model
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.prompts import prompt_text
from hdlgraph.settings.records import Settings

USELESS = 8
"""Answers of another form than asked for after which a model that never succeeded is given up."""


@dataclass
class ConceptsFound:
    """The concepts found: `files` holds former and new ones, `failed` why a file has none.

    `pending` are the files that were not asked about because the run was stopped (`stopped` says
    why); the next run goes on with them.
    """

    files: dict[str, FileConcepts] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    asked: int = 0
    stopped: str = ""


async def ask_concepts(
    model: Model,
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    settings: Settings,
    *,
    known: Mapping[str, FileConcepts] | None = None,
    prompts: Path | None = None,
    on_done: Callable[[FileConcepts], None] | None = None,
) -> ConceptsFound:
    """Returns the concepts of every file that is explained.

    Args:
        model: answers calls.
        records: facts of the files.
        explanations: explanations by path.
        settings: `llm.build_model` is asked, `extract.batch` files a call.
        known: concepts of earlier runs; those whose words are the same are not asked for again.
        prompts: folder whose prompt counts before the built-in one.
        on_done: called with the concepts of each file as they arrive.

    Raises:
        SettingsError: the prompt has an unknown placeholder.
    """
    prompt = prompt_text(PROMPT, prompts)
    files = file_excerpts(records, explanations, settings, prompt)
    result = ConceptsFound()
    for file in files:
        old = (known or {}).get(file.path)
        if old is not None and old.key == file.key:
            result.files[file.path] = old
    asking = _Asking(model, settings, prompt, result, on_done or (lambda _: None))
    batches = _batches([f for f in files if f.path not in result.files], settings.extract.batch)
    await asyncio.gather(*(asking.ask(batch) for batch in batches))
    result.pending.sort()
    return result


def planned_calls(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    settings: Settings,
    *,
    prompts: Path | None = None,
) -> list[Call]:
    """Returns the calls that `ask_concepts` begins with; nothing is sent."""
    prompt = prompt_text(PROMPT, prompts)
    files = file_excerpts(records, explanations, settings, prompt)
    batches = _batches(files, settings.extract.batch)
    return [call_about(batch, prompt, settings) for batch in batches]


def _batches(files: Sequence[FileExcerpt], size: int) -> list[Sequence[FileExcerpt]]:
    return [files[start : start + size] for start in range(0, len(files), size)]


@dataclass
class _Asking:
    """One run over the batches; a batch that fails is asked again in halves."""

    model: Model
    settings: Settings
    prompt: str
    result: ConceptsFound
    on_done: Callable[[FileConcepts], None]
    useless: int = 0  # batches, of any size, whose answer was not the JSON asked for

    async def ask(self, batch: Sequence[FileExcerpt]) -> None:
        from hdlgraph.llm.structured import ask_json

        if self.result.stopped:
            self.result.pending += [file.path for file in batch]
            return
        try:
            call = call_about(batch, self.prompt, self.settings)
            found = await ask_json(self.model, call, lambda raw: read_answer(raw, len(batch)))
        except BudgetError as error:
            self._stop(batch, str(error))
            return
        except CallError as error:
            await self._failed(batch, error)
            return
        self.result.asked += 1
        self._keep(batch, *found)
        left = [file for n, file in enumerate(batch, 1) if n not in found[0]]
        if left:
            await self.ask(left)

    def _stop(self, batch: Sequence[FileExcerpt], why: str) -> None:
        self.result.stopped = self.result.stopped or why
        self.result.pending += [file.path for file in batch]

    async def _failed(self, batch: Sequence[FileExcerpt], error: CallError) -> None:
        self.useless += error.kind is ErrorKind.FORMAT
        if error.kind.user_must_mend:
            self._stop(batch, str(error))
        elif self.useless >= USELESS and not self.result.asked:
            # A model that cannot do it at all would be paid for every half of every batch.
            self._stop(batch, f"{self.settings.llm.build_model} gives no usable concepts")
        elif len(batch) > 1 and error.kind not in (ErrorKind.UNREACHABLE, ErrorKind.STOPPED):
            half = (len(batch) + 1) // 2
            await asyncio.gather(self.ask(batch[:half]), self.ask(batch[half:]))
        else:
            self.result.failed.update((file.path, str(error)) for file in batch)

    def _keep(
        self,
        batch: Sequence[FileExcerpt],
        concepts: Mapping[int, list[dict[str, Any]]],
        links: Sequence[ConceptLink],
    ) -> None:
        for number, raw in sorted(concepts.items()):
            file = batch[number - 1]
            item = concepts_of(file, raw, links, self.settings.llm.build_model)
            self.result.files[file.path] = item
            self.on_done(item)
