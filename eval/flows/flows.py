"""The flows that are compared: how each finds passages for a question and makes its answer.

| flow | passages | answer |
|---|---|---|
| vanilla | nearest by the vector of the question | from the first k |
| fusion | RRF over the question and others that a model writes (RAG-Fusion) | from the first k |
| hyde | nearest to the question and to one that a model makes up (Gao et al., 2023) | the same |
| compression | as vanilla | from the first k, shortened by half |
| iter-retgen | as vanilla, then again with the answer added (Shao et al., 2023) | the last one |
| hdlgraph | as the product ranks them: words, titles, vectors, clauses | from the first k |
| ask | the same | what `hdlgraph ask` says, the places that it cites left out |

Where an index has no vectors BM25 stands in for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from hdlgraph.eval.flows.generate import Generator, ModelGenerator

if TYPE_CHECKING:
    from hdlgraph.eval.flows.compress import Compressor
    from hdlgraph.eval.flows.retrieve import Retriever

DEPTH = 20
"""Passages of a ranking that are kept."""
QUERIES = 4
"""Further questions of fusion."""
ROUNDS = 2
"""Answers of iter-retgen."""


class Found(NamedTuple):
    """The numbers of the passages, best first, and the answer."""

    ranking: Sequence[int]
    answer: str


@dataclass(frozen=True)
class Kit:
    """What all flows of a run share.

    Attributes:
        retriever: ranks passages.
        generator: writes answers.
        compressor: shortens passages.
        asked: gives the answer of `hdlgraph ask`.
        k: passages that an answer is made from.
    """

    retriever: Retriever
    generator: Generator
    compressor: Compressor
    asked: Callable[[str], str]
    k: int = 5

    def answered(self, question: str, ranking: Sequence[int], shorten: bool = False) -> str:
        """Returns the answer from the first passages of a ranking."""
        passages = self.retriever.passages(ranking[: self.k], question)
        if shorten:
            return self.generator.answer(question, self.compressor(question, passages))
        return self.generator.answer(question, passages)

    @property
    def model(self) -> ModelGenerator:
        """The generator, of which a flow needs more than answers."""
        assert isinstance(self.generator, ModelGenerator)
        return self.generator


def vanilla(kit: Kit, question: str) -> Found:
    """Retrieves once by similarity, and answers."""
    ranking = _near(kit, question)
    return Found(ranking, kit.answered(question, ranking))


def fusion(kit: Kit, question: str) -> Found:
    """Retrieves for several questions and fuses the rankings."""
    asked = [question, *kit.model.similar_questions(question, QUERIES)]
    ranking = kit.retriever.fused([_near(kit, one) for one in asked], DEPTH)
    return Found(ranking, kit.answered(question, ranking))


def hyde(kit: Kit, question: str) -> Found:
    """Retrieves by the question and by a passage that a model makes up for it."""
    made_up = kit.model.likely_passage(question)
    score = kit.retriever.plain([question])
    if made_up:
        score = (score + kit.retriever.plain([made_up], query=False)) / 2
    ranking = kit.retriever.order(score, DEPTH)
    return Found(ranking, kit.answered(question, ranking))


def compression(kit: Kit, question: str) -> Found:
    """Retrieves once by similarity, shortens the passages, and answers."""
    ranking = _near(kit, question)
    return Found(ranking, kit.answered(question, ranking, shorten=True))


def iter_retgen(kit: Kit, question: str) -> Found:
    """Retrieves and answers in turn, each time with the former answer beside the question."""
    answer = ""
    ranking: list[int] = []
    for _ in range(ROUNDS):
        ranking = _near(kit, f"{question} {answer}")
        answer = kit.answered(question, ranking)
    return Found(ranking, answer)


def hdlgraph(kit: Kit, question: str) -> Found:
    """Retrieves as the product does, and answers."""
    ranking = kit.retriever.own(question, DEPTH)
    return Found(ranking, kit.answered(question, ranking))


def ask(kit: Kit, question: str) -> Found:
    """Asks as a user does; the passages are those of the flow above."""
    return Found(kit.retriever.own(question, DEPTH), kit.asked(question))


def _near(kit: Kit, text: str) -> list[int]:
    return kit.retriever.order(kit.retriever.plain([text]), DEPTH)


Flow = Callable[[Kit, str], Found]
FLOWS: Mapping[str, Flow] = {
    "vanilla": vanilla,
    "fusion": fusion,
    "hyde": hyde,
    "compression": compression,
    "iter-retgen": iter_retgen,
    "hdlgraph": hdlgraph,
    "ask": ask,
}
NEEDS_MODEL = frozenset({"fusion", "hyde"})
"""Flows that a model has to write something for besides the answer."""
