"""Puts the calls that wait for a batch into files that the API takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from hdlgraph.llm.call import Call, Completion, Usage

MOST_CALLS = 50_000  # of one batch, a limit of the API
MOST_BYTES = 190_000_000  # of one batch's file; the API takes 200 MB


class Job(msgspec.Struct, eq=False):
    """A call that waits.

    `body` is what was sent of it, `paid` what its failed attempts took; `held` says whether its
    most is set aside.
    """

    call: Call
    digest: str
    future: asyncio.Future[Completion]
    body: dict[str, Any] = msgspec.field(default_factory=dict)
    paid: Usage = Usage()
    held: bool = False


def portions(
    jobs: list[Job], line: Callable[[str, dict[str, Any]], bytes]
) -> list[tuple[list[Job], bytes]]:
    """Returns calls of one model each with the content of their file.

    Args:
        jobs: with their bodies set.
        line: makes one line of a file from (digest, body).
    """
    found: list[tuple[list[Job], bytes]] = []
    for model in dict.fromkeys(job.call.model for job in jobs):
        part: list[Job] = []
        lines: list[bytes] = []
        size = 0
        for job in (job for job in jobs if job.call.model == model):
            made = line(job.digest, job.body)
            if part and (len(part) >= MOST_CALLS or size + len(made) > MOST_BYTES):
                found.append((part, b"".join(lines)))
                part, lines, size = [], [], 0
            part.append(job)
            lines.append(made)
            size += len(made)
        found.append((part, b"".join(lines)))
    return found


def seen(future: asyncio.Future[Completion]) -> None:
    """Marks an error as seen where whoever asked was cancelled."""
    if not future.cancelled():
        future.exception()
