"""What the Batch API answers, as checked records."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from hdlgraph.llm.endpoint.retry import Failure


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of one call of a batch: a response body, or a failure."""

    digest: str
    body: Any = None
    failure: Failure | None = None


Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class Named(msgspec.Struct, frozen=True):
    """The id of what was made."""

    id: Name


class Counts(msgspec.Struct, frozen=True):
    """How many calls of a batch are done."""

    completed: int = 0


class Problem(msgspec.Struct, frozen=True):
    """Why a batch failed."""

    code: str | None = None
    message: str | None = None


class Problems(msgspec.Struct, frozen=True):
    """The problems of a batch."""

    data: list[Problem] | None = None


class Batch(msgspec.Struct, frozen=True):
    """The state of a batch."""

    id: Name
    status: Name
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: Counts | None = None
    errors: Problems | None = None
    metadata: Any = None


class Page(msgspec.Struct, frozen=True):
    """Some of the batches of an account."""

    data: list[Batch]
    has_more: bool = False
