"""Asks the query model to order the cards of the first files for questions: labels for training.

The prompt is that of `search --rerank`, so that a team's own `prompts/rerank.txt` counts here too.
Every answer is kept in the index: what was paid for once is free, and a run that was stopped by its
limit goes on with the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import BudgetError, EndpointError, UsageError
from hdlgraph.llm.session import Request, Session
from hdlgraph.llm.spend import Spending, price_of
from hdlgraph.llm.tokens import count_messages
from hdlgraph.project import Project
from hdlgraph.query.assist.cards import CARDS, count_of
from hdlgraph.query.assist.rerank import Order, rerank
from hdlgraph.train.labels import Label, write_labels

TOGETHER = 16
"""Questions that are asked before the file is written again."""


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """What a run did: labels written, failures and why, what the answers cost.

    Of a `dry_run` it is what the answers would cost at most.
    """

    file: str
    questions: int
    labelled: int
    failed: tuple[str, ...] = ()
    stopped: str = ""
    calls: int = 0
    stored: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    dry_run: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        return {"schema": 1, **msgspec.to_builtins(self)}

    def to_text(self) -> str:
        """Returns lines for people."""
        price = "" if self.cost is None else f", {self.cost:.4f} USD"
        if self.dry_run:
            return (
                f"{self.calls} calls for {self.questions} questions, {self.input_tokens} tokens "
                f"in, at most {self.output_tokens} out{price}; nothing was sent"
            )
        lines = [
            f"{self.labelled} of {self.questions} questions labelled in {self.file}",
            f"{self.calls} calls, {self.stored} answers of earlier runs, "
            f"{self.input_tokens} tokens in, {self.output_tokens} out{price}",
        ]
        return "\n".join([*lines, *self.failed, *([self.stopped] if self.stopped else [])])


class Question(msgspec.Struct, frozen=True):
    """A question to label."""

    question: str
    id: str | int = ""


class Labeller:
    """Asks for labels.

    Args:
        project: an index, and settings that name a query model.
        max_cost: USD that the run may spend; None is no limit.
        max_tokens: input and output tokens that it may spend; None is no limit.

    Raises:
        UsageError: no model is configured, or a limit is no limit.
    """

    def __init__(
        self, project: Project, max_cost: float | None = None, max_tokens: int | None = None
    ) -> None:
        llm = project.settings.llm
        if llm.provider == "none":
            raise UsageError(
                "train label needs a language model, and none is configured; name one in the `llm` "
                "section of a settings file and give that with --settings (or HDLGRAPH_SETTINGS)"
            )
        self.spending = Spending(llm, max_cost, max_tokens, models=(llm.query_model,))
        self._project = project

    def request(self, one: Question) -> tuple[Request[Any], tuple[str, ...]] | None:
        """Returns the request for a question and the paths of its cards; None without two hits."""
        project = self._project
        found = project.search(
            one.question, k=CARDS, rerank=False, reword=False, decompose=False, kind="rtl"
        )
        if len(found.hits) < 2:
            return None
        settings = project.settings
        asked = rerank(
            one.question,
            found.hits,
            settings.llm,
            settings.ask.rerank_tokens,
            partial(project.card_facts, one.question),
            project.prompts,
        )
        read = asked.check
        both: Request[Any] = Request(asked.call, lambda answer: (answer, read(answer)))
        return both, tuple(hit.path for hit in found.hits)

    def estimate(self, questions: Sequence[Question], out: Path) -> Labelled:
        """Returns what labelling questions would take at most; nothing is sent."""
        llm = self._project.settings.llm
        calls = [one[0].call for one in map(self.request, questions) if one is not None]
        tokens = sum(count_messages(call) for call in calls)
        most = sum(call.max_tokens for call in calls)
        price = price_of(llm, llm.query_model)
        return Labelled(
            file=out.as_posix(),
            questions=len(questions),
            labelled=0,
            calls=len(calls),
            input_tokens=tokens,
            output_tokens=most,
            cost=price.cost(tokens, most) if price else None,
            dry_run=True,
        )

    def run(
        self,
        questions: Sequence[Question],
        out: Path,
        tick: Callable[[str, int, int], None] | None = None,
    ) -> Labelled:
        """Labels questions, writes the labels and returns what was done."""
        labels: list[Label] = []
        failed: list[str] = []
        stopped = ""
        session = self._project.limited_session(self.spending)
        try:
            for start in range(0, len(questions), TOGETHER):
                some = questions[start : start + TOGETHER]
                self._some(session, some, labels, failed)
                write_labels(out, labels)
                if tick:
                    tick("label", start + len(some), len(questions))
        except BudgetError as error:
            stopped = str(error)
            write_labels(out, labels)
        finally:
            session.close()
        used = self.spending.total()
        return Labelled(
            file=out.as_posix(),
            questions=len(questions),
            labelled=len(labels),
            failed=tuple(failed),
            stopped=stopped,
            calls=used.calls,
            stored=used.stored,
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cost=self.spending.cost(),
        )

    def _some(
        self,
        session: Session,
        questions: Sequence[Question],
        labels: list[Label],
        failed: list[str],
    ) -> None:
        """Asks some questions together and adds their labels, or why there is none.

        Raises:
            BudgetError: the limit is reached; what was answered before is added.
        """
        asked = [(one, self.request(one)) for one in questions]
        failed += [f"{_name(one)}: fewer than two files found" for one, found in asked if not found]
        wanted = [(one, *found) for one, found in asked if found is not None]
        over: BudgetError | None = None
        answers = session.ask(*(request for _, request, _ in wanted))
        for (one, request, paths), answer in zip(wanted, answers, strict=True):
            if isinstance(answer, BudgetError):
                over = answer
            elif isinstance(answer, EndpointError):
                failed.append(f"{_name(one)}: {answer}")
            else:
                labels.append(_label(one, request, paths, answer))
        if over is not None:
            raise over


def _name(one: Question) -> str:
    return str(one.id) or one.question[:60]


def _label(
    one: Question, request: Request[Any], paths: Sequence[str], answer: tuple[Any, Order]
) -> Label:
    shown = tuple(paths[: count_of(request.call.user)])
    return Label(
        question=one.question,
        id=one.id,
        paths=shown,
        order=answer[1].numbers,
        model=request.call.model,
        prompt=request.call.user,
        answer=answer[0],
    )
