"""Asks a model to judge answers: a verdict and a score each, in several runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hdlgraph.errors import UsageError
from hdlgraph.llm.call import Call
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.session import Request
from hdlgraph.llm.tokens import count_messages
from hdlgraph.prompts import prompt_text

if TYPE_CHECKING:
    from pathlib import Path

    from hdlgraph.eval.answers.read import Given
    from hdlgraph.llm.session import Session
    from hdlgraph.settings.records import LlmSettings

VERDICTS = ("TP", "TN", "FP", "FN")
MAX_CHARS = 12_000
"""Characters of an answer or a reference that the judge is shown."""
REASON = 300
TOKENS = 400
MOST_RUNS = 50
WARM = 0.7
"""Randomness of the runs after the first, so that they say how sure the judge is."""
SCHEMA = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": list(VERDICTS)},
        "score": {"type": "number"},
        "reason": {"type": "string"},
    },
    "required": ["verdict", "score", "reason"],
    "additionalProperties": False,
}


class Judgement(NamedTuple):
    """What the judge said of an answer; `verdict` is "" where it gave no usable one."""

    id: str
    run: int
    verdict: str
    score: float
    reason: str


class Judged(NamedTuple):
    """All judgements, with the calls and the input tokens (o200k_base) they took."""

    judgements: tuple[Judgement, ...]
    calls: int
    input_tokens: int


def open_judge(settings: Path | None, keep: Path | None) -> tuple[Session, LlmSettings]:
    """Returns what asks the configured model, and its settings.

    Args:
        settings: file of the user; None is that of nobody, which names no model.
        keep: folder where judgements are kept; None keeps none.

    Raises:
        UsageError: no model is configured, or the folder cannot be made.
    """
    from hdlgraph.llm.session import Session
    from hdlgraph.settings.records import Settings

    loaded = Settings.load(settings)
    if loaded.llm.provider == "none":
        raise UsageError(
            "--judge: no language model is configured: name one in the `llm` section of a settings "
            "file and give that with --settings (or HDLGRAPH_SETTINGS)"
        )
    if keep is not None:
        try:
            keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"--keep {keep}: cannot be made ({error.strerror})") from error
    return Session(loaded, keep), loaded.llm


def judge(
    session: Session,
    llm: LlmSettings,
    answers: Sequence[Given],
    runs: int = 1,
    prompts: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Judged:
    """Returns the judgements of all answers, run by run.

    Args:
        session: asks the model; answers that it was given before are taken from its store.
        llm: names the model.
        answers: with their references.
        runs: how often each is judged; the first run is without randomness.
        prompts: the user's own folder.
        progress: called with the judgements done and their number.

    Raises:
        UsageError: the number of runs is out of range, or the endpoint refuses the key or model.
    """
    if not 1 <= runs <= MOST_RUNS:
        raise UsageError(f"--runs {runs}: give a number from 1 to {MOST_RUNS}")
    template = prompt_text("judge", prompts)
    found: list[Judgement] = []
    tokens = 0
    for run in range(1, runs + 1):
        for start in range(0, len(answers), llm.concurrency):
            part = answers[start : start + llm.concurrency]
            requests = [request(one, run, llm, template) for one in part]
            tokens += sum(count_messages(one.call) for one in requests)
            for one, value in zip(part, session.ask(*requests), strict=True):
                reply = ("", 0.0, one_line(str(value), REASON))
                found.append(
                    Judgement(one.key, run, *(reply if isinstance(value, Exception) else value))
                )
            if progress:
                progress(len(found), runs * len(answers))
    return Judged(tuple(found), len(found), tokens)


def request(
    one: Given, run: int, llm: LlmSettings, template: str
) -> Request[tuple[str, float, str]]:
    """Returns the request to judge one answer."""
    marks = ("question", "reference", "answer")
    texts = (one.question, one.reference, one.answer)
    values = {
        mark: quoted(text[:MAX_CHARS], *marks) for mark, text in zip(marks, texts, strict=True)
    }
    user = template.format(**values)
    call = Call(
        stage="judge",
        name=f"{one.key}, run {run}",
        model=llm.query_model,
        user=user,
        schema=SCHEMA,
        max_tokens=min(TOKENS, llm.output_tokens),
        temperature=0.0 if run == 1 else WARM,
        # Of equal calls one answer is kept: each run is a call of its own.
        key="" if run == 1 else f"{user}\nrun {run}",
    )
    return Request(call, check)


def check(found: dict[str, Any]) -> tuple[str, float, str]:
    """Returns verdict, score and reason of a model's object.

    Raises:
        ValueError: the verdict is none of the four, or the score no number from 0 to 1.
    """
    verdict = str(found.get("verdict", "")).strip().upper()
    if verdict not in VERDICTS:
        raise ValueError(f'"verdict" is none of {", ".join(VERDICTS)}')
    score = found.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise ValueError('"score" is no number from 0 to 1')
    return verdict, float(score), one_line(str(found.get("reason", "")), REASON)
