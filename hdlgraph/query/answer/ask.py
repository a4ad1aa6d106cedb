"""Answers a question from a search result: by a model where there is one, else by quoting."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec

from hdlgraph.errors import BudgetError, CallError, EndpointError, ErrorKind, UsageError
from hdlgraph.knowledge.short_forms import ShortForm
from hdlgraph.llm.call import Call, Completion, Usage
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.prompts import prompt_text
from hdlgraph.query.answer.context import MARK, Context, Sources, build_context, safe
from hdlgraph.query.answer.documents.joined import joined
from hdlgraph.query.answer.documents.material import with_papers
from hdlgraph.query.answer.documents.papers import Papers
from hdlgraph.query.answer.glossary import with_meanings
from hdlgraph.query.answer.page import absent_first
from hdlgraph.query.answer.quote import extractive_answer
from hdlgraph.query.answer.reply import Reply
from hdlgraph.query.result.weak import WEAK, weakness
from hdlgraph.query.search import Searcher
from hdlgraph.results import Answer, Hit, SearchResult
from hdlgraph.settings.records import Settings

OnText = Callable[[str], None]
WRITERS = ("auto", "extractive", "model")
PROMPT, DOCUMENTS = "answer", "answer_documents"
SPLIT = "---user---\n"
"""Line of the prompt that parts the rules (system message) from the material and the question."""
MAX_QUESTION = 4000  # characters
FRAME_TOKENS = 1000  # rules, notes and question, beside the material
LEAST_TOKENS = 200  # of material; with less there is nothing to answer from
MARGIN = 0.75  # of the room, as other models count more tokens in the same text
SMALLER = (1.0, 0.5, 0.25)
"""Shares of the budget tried while the endpoint finds the context too long."""


class Streams(Protocol):
    """Streams answers; `hdlgraph.llm.client.Client` is one."""

    last: Completion | None

    def stream(self, call: Call) -> Iterator[str]:
        """Yields the pieces of an answer."""
        ...


@dataclass(frozen=True, slots=True)
class Writer:
    """The model that writes answers.

    `notes` gives sentences on the abbreviations of a question and its material; `used` the usage
    of the run so far; `context` the tokens that the model takes, 0 where nobody tells; `prompts`
    is the user's own folder, or None.
    """

    client: Streams
    settings: Settings
    notes: Callable[[str, str], Sequence[str]] = lambda question, material: ()
    used: Callable[[], Usage] = Usage
    context: Callable[[], int] = lambda: 0
    prompts: Path | None = None


def answer_question(
    question: str,
    result: SearchResult,
    searcher: Searcher,
    sources: Sources,
    writer: Writer | None = None,
    on_text: OnText | None = None,
    meanings: Sequence[ShortForm] = (),
    design_hits: Callable[[], Sequence[Hit]] = tuple,
    finish: Callable[[Answer], Answer] = lambda answer: answer,
    papers: Papers | None = None,
    begin: Callable[[Answer], Answer] = lambda answer: answer,
) -> Answer:
    """Returns the answer to a question.

    Args:
        question: as asked.
        result: what was found for it.
        searcher: the searcher that made `result`.
        sources: texts and explanations of the files.
        writer: the model; None quotes the index.
        on_text: called with pieces of the answer as they come.
        meanings: what the abbreviations stand for that the question asks about; a quoted answer
            begins with them.
        design_hits: gives the best files of the design alone.
        finish: adds what the graph says to a quoted answer.
        papers: what the documents say; None where none are indexed.
        begin: puts what answers the question directly before all of a quoted answer.

    Raises:
        UsageError: the endpoint refuses the key or knows no such model.
    """
    weak = weakness(result)
    has_papers = papers is not None and papers.found
    if writer is not None and (has_papers or not weak):

        def context(budget: int) -> Context:
            return build_context(question, result, searcher.lexicon, sources, budget)

        known = searcher.lexicon.paths
        answer = written(question, result, context, known, writer, on_text, papers)
        if isinstance(answer, Answer):
            return answer
        note = f"no answer from the model ({one_line(str(answer), 300)}); quoted from the index"
        notes: tuple[str, ...] = (note,)
    else:
        notes = (f"the model was not asked: {WEAK}",) if writer else ()
    found = extractive_answer(
        *(searcher, question, result, sources),
        weak=weak,
        design_hits=design_hits,
    )
    found = with_meanings(found, meanings, sources.read_text)
    if not weak:
        found = finish(found)
    if papers is not None:
        found = joined(found, papers)
    found = begin(found)
    found = msgspec.structs.replace(found, text=absent_first(found.text), notes=notes)
    if on_text:
        on_text(found.text)
    return found


def written(
    question: str,
    result: SearchResult,
    context_of: Callable[[int], Context],
    known: Collection[str],
    writer: Writer,
    on_text: OnText | None = None,
    papers: Papers | None = None,
) -> Answer | EndpointError | BudgetError:
    """Returns the model's answer, or the error that came before its first word.

    Args:
        question: as asked.
        result: what was found for it.
        context_of: gives what the model is shown of the design, in so many tokens.
        known: all paths of the index.
        writer: the model.
        on_text: called with pieces of the answer as they come.
        papers: what the documents say; None where none are indexed.

    Raises:
        UsageError: the endpoint refuses the key or knows no such model.
    """
    before = writer.used()
    room = material_tokens(writer.settings, writer.context())
    error: EndpointError | BudgetError = CallError(
        "no material fits the context", ErrorKind.OVERFLOW
    )
    for share in SMALLER:
        context = with_papers(context_of, papers, int(room * share))
        if not context.files:
            break
        reply = Reply(context.shown, [*known, *context.shown.paths])
        call = answer_call(question, context, writer, PROMPT if papers is None else DOCUMENTS)
        failed = _stream(call, reply, writer, on_text)
        if reply.text.strip():
            return _answer(question, result, reply, writer, before, failed)
        error = failed or CallError("the answer is empty", ErrorKind.EMPTY)
        if not (isinstance(error, CallError) and error.kind is ErrorKind.OVERFLOW):
            break
    if isinstance(error, CallError) and error.kind.user_must_mend:
        raise UsageError(str(error)) from error
    return error


def material_tokens(settings: Settings, context: int) -> int:
    """Returns how long the material may be: as set, and within the model's `context` if known.

    A server that is sent more than that may drop the beginning, the rules with it, and say nothing.
    """
    if not context:
        return settings.ask.context_tokens
    room = context - settings.llm.output_tokens - FRAME_TOKENS
    return max(min(settings.ask.context_tokens, int(room * MARGIN)), LEAST_TOKENS)


def answer_call(question: str, context: Context, writer: Writer, prompt: str = PROMPT) -> Call:
    """Returns the call that asks for an answer: rules, then material, notes and question."""
    template = prompt_text(prompt, writer.prompts)
    system, split, user = template.partition(SPLIT)
    if not split:
        system, user = "", template
    note_lines = [safe(one_line(n, 400)) for n in writer.notes(question, context.text)]
    notes = "\n".join(("", f"<{MARK}>", *note_lines, f"</{MARK}>", "")) if note_lines else ""
    values = {
        "material": context.text,
        "notes": notes,
        "question": quoted(question[:MAX_QUESTION], MARK),
    }
    llm = writer.settings.llm
    return Call(
        stage="ask",
        name=one_line(question, 80),
        model=llm.query_model,
        system=system.format(**values).strip(),
        user=user.format(**values).strip(),
        max_tokens=llm.output_tokens,
    )


def _stream(
    call: Call, reply: Reply, writer: Writer, on_text: OnText | None
) -> EndpointError | BudgetError | None:
    """Fills the reply; returns the error that ended it, None when it is complete."""

    def show(text: str) -> None:
        if text and on_text:
            on_text(text)

    failed: EndpointError | BudgetError | None = None
    try:
        for piece in writer.client.stream(call):
            show(reply.feed(piece))
    except (EndpointError, BudgetError) as error:
        failed = error
    show(reply.finish())
    return failed


def _answer(
    question: str,
    result: SearchResult,
    reply: Reply,
    writer: Writer,
    before: Usage,
    failed: EndpointError | BudgetError | None,
) -> Answer:
    """Returns the answer of a model with notes on what was cut, removed or made plain."""
    last = writer.client.last
    notes = []
    if failed is not None:
        notes.append(f"answer cut: {one_line(str(failed), 300)}")
    elif last is not None and last.finish == "length":
        notes.append(f"answer cut at llm.output_tokens ({writer.settings.llm.output_tokens})")
    if reply.removed:
        notes.append(f"citations removed, as they name nothing that was shown: {reply.removed}")
    if reply.uncited:
        notes.append(f"sentences without a citation: {reply.uncited}")
    if reply.links:
        notes.append(f"links and addresses made plain: {reply.links}")
    used = writer.used()
    return Answer(
        question,
        reply.text.strip(),
        reply.citations,
        result,
        model=one_line(last.model, 100) if last is not None else writer.settings.llm.query_model,
        found=reply.found,
        removed=reply.removed,
        uncited=reply.uncited,
        notes=tuple(notes),
        input_tokens=used.input_tokens - before.input_tokens,
        output_tokens=used.output_tokens - before.output_tokens,
    )
