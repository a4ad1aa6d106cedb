"""The first pass: a language model explains each file by itself, large files in parts."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import CallError, ErrorKind
from hdlgraph.index.explain.by_model.answer import FIELDS, SCHEMA, read_explanation
from hdlgraph.index.explain.by_model.card import around_card, own_card
from hdlgraph.index.explain.by_model.kept import ModelExplanation
from hdlgraph.index.explain.by_model.many_files import Fallback, Outcome, Watched, ask_each
from hdlgraph.index.explain.by_model.name_check import FileNames, without_unknown
from hdlgraph.index.explain.by_model.split import Part, split_code
from hdlgraph.index.explain.neighbourhood import Neighbourhood
from hdlgraph.llm.call import Call, Model
from hdlgraph.llm.quote import quoted
from hdlgraph.llm.structured import ask_json
from hdlgraph.llm.tokens import clip_tokens
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.prompts import check_prompts, prompt_text
from hdlgraph.settings.records import Settings

__all__ = [
    "Fallback",
    "Outcome",
    "check_prompts",
    "explain_files",
    "planned_calls",
    "worth_asking",
]

STAGE, MERGE = "explain", "merge"
MARKS = ("facts", "code", "parts", "part", "explanation", "neighbours")
"""Names of the marks that the prompts put around what others wrote."""
BRIEF_TOKENS = 110  # of the card beside code that is shown whole
PART_TOKENS = 260  # of a part's explanation when the parts are merged
_EMPTY = Neighbourhood()
ReadText = Callable[[str], str]


def worth_asking(record: FileRecord, text: str) -> bool:
    """Returns whether a file has code to explain: it is neither empty nor binary."""
    return record.encoding != "binary" and bool(text.strip()) and record.size > 0


def planned_calls(
    record: FileRecord,
    around: Neighbourhood,
    text: str,
    settings: Settings,
    prompts: Path | None = None,
) -> list[Call]:
    """Returns the calls that a file's explanation begins with: one, or one for each part.

    Args:
        record: facts of the file.
        around: what surrounds it.
        text: its text.
        settings: of the run.
        prompts: the project's own prompts.
    """
    return FirstPass(settings, prompts).calls(record, around, text)


async def explain_files(
    model: Model,
    records: Sequence[FileRecord],
    around: Mapping[str, Neighbourhood],
    read_text: ReadText,
    settings: Settings,
    *,
    prompts: Path | None = None,
    on_done: Callable[[Explanation], None] | None = None,
    workers: int = 0,
) -> Outcome:
    """Asks the model for an explanation of every file; design files first, testbenches last.

    Args:
        model: answers calls.
        records: facts of the files.
        around: what surrounds each.
        read_text: returns the text of a path, "" where it cannot be read.
        settings: of the run; `llm` names the model, `explain` bounds the code.
        prompts: the project's own prompts.
        on_done: called with each explanation as it comes, in no fixed order.
        workers: files under way at once; 0 takes `llm.concurrency`. A model that collects its
            calls needs as many as there are files.

    Raises:
        UsageError: raised by the model for a fault that only the user can mend.
    """
    writer = FirstPass(settings, prompts)

    async def explain(record: FileRecord) -> ModelExplanation | None:
        text = read_text(record.path)
        if not worth_asking(record, text):
            return None
        return await writer.explain(model, record, around.get(record.path, _EMPTY), text)

    return await ask_each(records, explain, workers or settings.llm.concurrency, on_done)


class FirstPass:
    """Makes the calls of a file and its explanation of their answers."""

    def __init__(self, settings: Settings, prompts: Path | None = None) -> None:
        self.settings = settings
        self.one = prompt_text("explain_file", prompts)
        self.many = prompt_text("merge_explanations", prompts)

    def parts(self, record: FileRecord, text: str, share: float = 1.0) -> list[Part]:
        """Returns the code of a file in parts, each within a share of the token budget."""
        limits = self.settings.explain
        tokens = max(100, int(limits.code_tokens * share))
        return split_code(text, record, tokens, limits.parts, limits.share)

    def calls(
        self, record: FileRecord, around: Neighbourhood, text: str, share: float = 1.0
    ) -> list[Call]:
        """Returns one call for each part of a file."""
        parts = self.parts(record, text, share)
        return [self._call(record, around, part, i, len(parts)) for i, part in enumerate(parts)]

    def _call(
        self, record: FileRecord, around: Neighbourhood, part: Part, at: int, total: int
    ) -> Call:
        whole = total == 1 and not part.left_out
        own = own_card(record, BRIEF_TOKENS, brief=True) if whole or at else own_card(record)
        context = ""
        if total > 1:
            context = f"shown: part {at + 1} of {total}, lines {part.first} to {part.last}"
        elif part.left_out:
            context = f"shown: {record.n_lines - part.left_out} of {record.n_lines} lines"
        facts = [context, own, "" if total > 1 else around_card(around)]
        return self.call(
            self.one,
            record.path,
            own=(own, part.text, context),
            facts="\n".join(filter(None, facts)),
            code=part.text,
        )

    def merge(
        self,
        record: FileRecord,
        around: Neighbourhood,
        answers: Sequence[tuple[int, int, Explanation]],
    ) -> Call:
        """Returns the call that makes one explanation of those of the parts.

        Args:
            record: facts of the file.
            around: what surrounds it.
            answers: (index of the part, number of parts, its explanation).
        """
        own = own_card(record)
        texts = "\n\n".join(
            f"part {at + 1} of {total}\n{described(answer)}" for at, total, answer in answers
        )
        return self.call(
            self.many,
            record.path,
            own=(own, texts),
            stage=MERGE,
            facts="\n".join(filter(None, [own, around_card(around)])),
            parts=texts,
        )

    def call(
        self, prompt: str, path: str, own: Sequence[str], stage: str = STAGE, **values: str
    ) -> Call:
        """Returns a call; its answer is reused wherever `prompt` and `own` are the same."""
        llm = self.settings.llm
        safe = {name: quoted(value, *MARKS) for name, value in values.items()}
        content = "\0".join([prompt, *own])
        return Call(
            stage=stage,
            name=path,
            model=llm.build_model,
            user=prompt.format(path=quoted(path.replace("\n", " "), *MARKS), **safe),
            schema=SCHEMA,
            max_tokens=llm.output_tokens,
            temperature=llm.temperature,
            key=hashlib.sha256(content.encode("utf-8", "replace")).hexdigest(),
        )

    async def explain(
        self, model: Model, record: FileRecord, around: Neighbourhood, text: str
    ) -> ModelExplanation | None:
        """Returns the explanation of a file, without names that the file does not have.

        It is None where there is nothing to send: only a licence, for instance. Code that is
        longer than the model's context is sent once more, half as much of it.
        """
        watched = Watched(model)
        try:
            found = await self._asked(watched, record, around, text, 1.0)
        except CallError as error:
            if error.kind is not ErrorKind.OVERFLOW:
                raise
            found = await self._asked(watched, record, around, text, 0.5)
        if found is None:
            return None
        known = FileNames.of_file(record, around, text)
        return kept(found, known, repaired=watched.repaired)

    async def _asked(
        self, model: Model, record: FileRecord, around: Neighbourhood, text: str, share: float
    ) -> Explanation | None:
        calls = self.calls(record, around, text, share)
        if not calls:
            return None
        answers = await asyncio.gather(
            *(self._answer(model, call, record) for call in calls), return_exceptions=True
        )
        parts = _usable(answers)
        if len(calls) == 1:
            return parts[0][2]
        try:
            return await self._answer(model, self.merge(record, around, parts), record)
        except CallError as error:
            if not error.kind.same_if_repeated:
                raise
            return joined([answer for _, _, answer in parts])

    async def _answer(self, model: Model, call: Call, record: FileRecord) -> Explanation:
        def check(raw: dict[str, Any]) -> Explanation:
            return read_explanation(raw, record.path, record.sha256, call.model)

        return await ask_json(model, call, check)


def _usable(
    answers: Sequence[Explanation | BaseException],
) -> list[tuple[int, int, Explanation]]:
    """Returns the answers with their places; few that hold nothing usable may be missing.

    Raises:
        CallError: the first part or half of them are missing, or a fault may pass.
    """
    good = [(i, len(answers), a) for i, a in enumerate(answers) if isinstance(a, Explanation)]
    failed = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in failed:
        if not isinstance(error, CallError) or not error.kind.same_if_repeated:
            raise error
    if failed and (not good or good[0][0] != 0 or len(good) * 2 <= len(answers)):
        raise failed[0]
    return good


def kept(found: Explanation, known: FileNames, *, repaired: bool) -> ModelExplanation:
    """Returns an explanation without names that its file lacks; it lists and counts them."""
    clean, names_found = without_unknown(found, known)
    return ModelExplanation(
        **msgspec.structs.asdict(clean),
        names=len(names_found.named),
        invented=names_found.unknown,
        repaired=repaired,
    )


def described(explanation: Explanation, tokens: int = PART_TOKENS) -> str:
    """Returns an explanation as labelled lines of at most `tokens`, without its path."""
    texts = [(name, getattr(explanation, name)) for name in FIELDS]
    texts.append(("concepts", ", ".join(explanation.concepts)))
    return clip_tokens("\n".join(f"{name}: {text}" for name, text in texts if text), tokens)


def joined(parts: Sequence[Explanation]) -> Explanation:
    """Returns the explanations of parts as one, for a model that cannot merge them."""
    concepts = dict.fromkeys(phrase for part in parts for phrase in part.concepts)
    texts = {
        name: " ".join(dict.fromkeys(t for part in parts if (t := getattr(part, name))))
        for name in FIELDS
        if name != "purpose"
    }
    return msgspec.structs.replace(parts[0], **texts, concepts=tuple(concepts))
