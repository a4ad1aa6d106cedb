"""Sends the requests of a client from the machines of a cluster, each with its own key.

A machine takes the key from its own environment: none is sent to it. What may be repeated, what it
costs and what was answered before is decided and kept where the run is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from hdlgraph.llm.endpoint.bounds import answer_s
from hdlgraph.llm.endpoint.retry import Failure, connection_failure, status_failure
from hdlgraph.settings.records import LlmSettings

if TYPE_CHECKING:
    import openai

    from hdlgraph.llm.endpoint.endpoint import Endpoint

SHARE = 0.25
"""Processors that a request counts for: it waits nearly all of its time."""
START_S = 120.0
"""Seconds more than an answer may take: a machine has to begin first."""


class FailedAway(Exception):
    """A request that failed on its machine, which says how."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Content(NamedTuple):
    """The body of an answer."""

    content: bytes


class CallWork:
    """Sends one request after the other; the connection stays open."""

    def __init__(self, llm: LlmSettings) -> None:
        self.llm = llm

    def __reduce__(self) -> tuple[type[CallWork], tuple[LlmSettings]]:
        return CallWork, (self.llm,)

    def __call__(self, body: dict[str, Any]) -> bytes | Failure:
        """Returns the body of the answer, or how the request failed.

        Raises:
            UsageError: this machine has no key.
        """
        import httpx
        import openai

        endpoint = self._endpoint
        try:
            found = self._client.post("/chat/completions", cast_to=httpx.Response, body=body)
        except openai.APIStatusError as error:
            return status_failure(error, endpoint, str(body.get("model", "")))
        except (openai.OpenAIError, httpx.HTTPError) as error:
            return connection_failure(error, endpoint, self.llm.timeout_s)
        return found.content

    @cached_property
    def _endpoint(self) -> Endpoint:
        from hdlgraph.llm.endpoint.endpoint import find_endpoint

        return find_endpoint(self.llm)

    @cached_property
    def _client(self) -> openai.OpenAI:
        return self._endpoint.open(self.llm)

    def close(self) -> None:
        """Closes the connection."""
        self._client.close()


class HttpAway:
    """Stands for the connections of a client: each request is sent by another machine.

    Args:
        ask: sends a body to a machine and returns what `CallWork` returned there.
    """

    def __init__(self, ask: Callable[[dict[str, Any]], Awaitable[bytes | Failure]]) -> None:
        self._ask = ask

    async def post(self, path: str, *, cast_to: Any, body: dict[str, Any]) -> Content:  # noqa: ARG002
        """Returns the answer of a request; FailedAway where there is none."""
        found = await self._ask(body)
        if isinstance(found, Failure):
            raise FailedAway(found)
        return Content(found)

    async def close(self) -> None:
        """Does nothing: the machines close their connections."""


def patience_s(llm: LlmSettings, max_tokens: int, away: bool) -> float:
    """Returns how many seconds to wait for an answer."""
    return answer_s(llm.timeout_s, max_tokens) + (START_S if away else 0.0)
