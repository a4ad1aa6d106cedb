"""Records of the paper's protocol: the runs over all files and over samples of them."""

from __future__ import annotations

from dataclasses import dataclass

from hdlgraph.eval.scores.report import EvalReport

BASELINE = "tfidf-embedding"
"""The system whose best wrong files are the distractors, as in the paper."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One column of the table.

    `distractors` is their number per question, None for all files. `written` counts the files
    whose explanation a language model wrote.
    """

    name: str
    distractors: int | None
    files: tuple[str, ...]
    written: int
    report: EvalReport


@dataclass(frozen=True, slots=True)
class SampledRuns:
    """The runs of all samples; `distractors` are paths per question id, best first."""

    questions: str
    field: str
    n_questions: int
    systems: tuple[str, ...]
    samples: tuple[Sample, ...]
    distractors: dict[str, tuple[str, ...]]

    def sample(self, name: str) -> Sample:
        """Returns a sample by name (KeyError if there is none)."""
        return {sample.name: sample for sample in self.samples}[name]
