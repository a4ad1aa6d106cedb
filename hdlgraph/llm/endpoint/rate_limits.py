"""Rate limits that an endpoint sets: requests and tokens per minute."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter

    from hdlgraph.settings.records import LlmSettings

_BURST = 0.1  # share of a minute's allowance that may go at once


class RateLimits:
    """Lets calls pass so that no minute sees more than its allowance; belongs to one loop."""

    def __init__(self, llm: LlmSettings) -> None:
        self.counts_tokens = bool(llm.tokens_per_minute)
        self._requests = _bucket(llm.requests_per_minute)
        self._tokens = _bucket(llm.tokens_per_minute)
        self._turn = asyncio.Lock()

    async def acquire(self, tokens: int) -> None:
        """Returns when one call with `tokens` (input and most output) may be sent."""
        if self._requests is None and self._tokens is None:
            return
        async with self._turn:  # first come, first served; a large call is not overtaken
            if self._requests is not None:
                await self._requests.acquire()
            while self._tokens is not None and tokens > 0:
                part = min(tokens, self._tokens.max_rate)
                await self._tokens.acquire(part)
                tokens -= int(part)


def _bucket(per_minute: int) -> AsyncLimiter | None:
    if not per_minute:
        return None
    from aiolimiter import AsyncLimiter

    # The burst is taken off the steady flow, so that the two together keep the limit.
    burst = max(1.0, per_minute * _BURST)
    flow = per_minute * (1 - _BURST)
    return AsyncLimiter(burst, 60 * burst / flow)
