"""How near the words of an answer are to those of a reference: ROUGE and BLEU.

Both count words alike and say nothing of truth: they compare systems on one question set. Without
stemming, as most papers do; stems add about .01.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from hdlgraph.errors import UsageError
from hdlgraph.eval.scores.measures import interval

MEASURES = ("rougeL", "rougeLsum", "rougeLsum_recall")
LIMIT = 20_000
"""Characters of an answer that are compared: the time grows with the product of both lengths."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def check_library() -> None:
    """Raises UsageError where the libraries of these measures are not installed."""
    missing = [name for name in ("rouge_score", "sacrebleu") if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"{' and '.join(missing)}: not installed, and ROUGE and BLEU need it; "
            "`pip install 'hdlgraph[bench]'` brings both"
        )


def wording(pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Returns the measures of answers: each mean with its interval, and corpus BLEU.

    ROUGE-L is of the whole text, ROUGE-Lsum of its sentences and lines (Lin, ROUGE, 2004). BLEU,
    from 0 to 1, is sacrebleu's of all answers together, with one reference each (Post, 2018).

    Args:
        pairs: (answer, reference).

    Raises:
        UsageError: rouge-score or sacrebleu is not installed.
    """
    check_library()
    import sacrebleu

    values = of_each(pairs)
    answers, references = [a[:LIMIT] for a, _ in pairs], [r[:LIMIT] for _, r in pairs]
    bleu = sacrebleu.corpus_bleu(answers, [references]).score / 100 if pairs else 0.0
    found: dict[str, Any] = {name: _summary([one[name] for one in values]) for name in MEASURES}
    return {"n": len(pairs), **found, "bleu": round(bleu, 4)}


def of_each(pairs: Sequence[tuple[str, str]]) -> list[Mapping[str, float]]:
    """Returns the measures of each answer.

    Raises:
        UsageError: rouge-score is not installed.
    """
    check_library()
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(["rougeL", "rougeLsum"], use_stemmer=False)
    found: list[Mapping[str, float]] = []
    for answer, reference in pairs:
        score = scorer.score(_lines(reference), _lines(answer))
        whole, parts = score["rougeL"], score["rougeLsum"]
        values = (whole.fmeasure, parts.fmeasure, parts.recall)
        found.append(dict(zip(MEASURES, map(float, values), strict=True)))
    return found


def _lines(text: str) -> str:
    """Returns a text with a sentence a line, as ROUGE-Lsum wants it."""
    return _SENTENCE.sub("\n", text[:LIMIT])


def _summary(values: Sequence[float]) -> dict[str, float]:
    return {key: round(value, 4) for key, value in interval(values)._asdict().items()}
