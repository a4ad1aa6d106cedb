"""What language models did in a run and how far they can be trusted, and what a run would cost."""

from __future__ import annotations

from typing import Any

import msgspec


class StageUsage(msgspec.Struct, frozen=True):
    """Calls of one stage: `calls` were sent, `stored` answered by an earlier run for nothing.

    `cost` is in USD, None when a price is not known.
    """

    stage: str
    calls: int = 0
    stored: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    retries: int = 0
    failed: int = 0
    cost: float | None = None


class WriterTrust(msgspec.Struct, frozen=True):
    """How far one model's explanations can be trusted: names in them that no file has.

    `rate` is `invented` by `names`, the identifiers that were looked up (0 without any).
    """

    model: str
    files: int
    names: int
    invented: int
    rate: float
    repaired: int = 0  # answers that had the form asked for only when asked again


class ModelReport(msgspec.Struct, frozen=True, kw_only=True):
    """The work of language models in one run; `fallbacks` holds "path: reason" lines.

    `done` counts the files done now by stage (explain, neighbours, extract), `pending` those that
    wait: the next run with a model goes on with them. `stopped` says why the model was not asked
    further. `cost` is in USD, None when a price is not known.
    """

    usage: tuple[StageUsage, ...] = ()
    cost: float | None = None
    done: dict[str, int] = {}
    fallbacks: tuple[str, ...] = ()
    pending: dict[str, int] = {}
    stopped: str = ""


class StageEstimate(msgspec.Struct, frozen=True):
    """What one stage of a run with a model would take.

    `stored` of its `calls` are answered already and cost nothing; tokens and prices are those of
    the rest. Output tokens are a bound and a guess from earlier answers; prices are in USD, None
    when not known.
    """

    stage: str
    files: int
    calls: int
    stored: int
    input_tokens: int
    output_tokens_most: int
    output_tokens_typical: int
    cost_most: float | None
    cost_typical: float | None


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a run would send and cost; nothing of it has been sent. The last stage is the total."""

    root: str
    files: int
    model: str
    endpoint: str
    stages: tuple[StageEstimate, ...]
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> StageEstimate:
        """Returns the sum over the stages."""
        return self.stages[-1]

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        return {"schema": 1, "dry_run": True, **msgspec.to_builtins(self)}
