"""Tries a model with one call: is it reachable, does it stream, which JSON does it give."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import ErrorKind
from hdlgraph.llm.call import Call, Usage
from hdlgraph.llm.endpoint.bounds import MOST_BYTES, Bounds, stream_bytes, text_chars, too_large
from hdlgraph.llm.endpoint.context import offered, served_context
from hdlgraph.llm.endpoint.endpoint import Endpoint
from hdlgraph.llm.endpoint.retry import Failure, connection_failure, status_failure
from hdlgraph.llm.endpoint.wire import Dialect, decode, judge, read_answer, too_long
from hdlgraph.llm.structured import parse_json
from hdlgraph.settings.records import LlmSettings

if TYPE_CHECKING:
    import openai

WAIT_S = 60.0  # most seconds without a byte
WHOLE_FACTOR = 2  # a whole answer may take so many times that
NAMED = 12  # models listed in a message
COMPARED = 1000  # models looked at for a similar name
NAME_CHARS = 100  # of a model's name; longer ones are none
_FIELD = "blue"
QUESTION = Call(
    stage="probe",
    name="doctor",
    model="",
    # The question does not speak of JSON: only a server that obeys the schema answers in it.
    user="Is the sky blue? Answer shortly.",
    schema={
        "type": "object",
        "properties": {_FIELD: {"type": "boolean"}},
        "required": [_FIELD],
        "additionalProperties": False,
    },
    max_tokens=200,
)


@dataclass(frozen=True, slots=True)
class Probe:
    """What one call showed of a model.

    `shape` is the kind of JSON that the endpoint accepts: schema, json or text. `obeyed` tells
    whether the answer had the shape asked for. `context` is in tokens, 0 when not told. With a
    `failure` the rest means nothing.
    """

    model: str
    seconds: float = 0.0
    streams: bool = False
    shape: str = "text"
    obeyed: bool = False
    context: int = 0
    failure: Failure | None = None


def probe(endpoint: Endpoint, llm: LlmSettings, model: str) -> Probe:
    """Returns what one short streamed call shows of a model.

    A parameter or a form of JSON that the endpoint refuses is left out in another call.
    """
    llm = replace(llm, timeout_s=min(llm.timeout_s, WAIT_S))
    dialect = Dialect(llm.structured)
    call = msgspec.structs.replace(QUESTION, model=model)
    started = time.perf_counter()
    bounds = Bounds(llm.timeout_s * WHOLE_FACTOR, hint="")
    with endpoint.open(llm, bounds) as client:
        while True:
            body = dialect.arguments(call, stream=True)
            text, streams, failure = _send(endpoint, llm, client, body, call)
            if not (failure and failure.refused and dialect.adapt(body, failure.refused)):
                break
            started = time.perf_counter()
    seconds = time.perf_counter() - started
    if failure is not None:
        return Probe(model, seconds, failure=failure)
    context = served_context(endpoint, model)
    return Probe(model, seconds, streams, dialect.shape, _obeyed(text), context)


def _send(
    endpoint: Endpoint, llm: LlmSettings, client: openai.OpenAI, body: dict[str, Any], call: Call
) -> tuple[str, bool, Failure | None]:
    """Returns (answer, whether it came as a stream, failure)."""
    import httpx
    import openai

    from hdlgraph.llm.endpoint.events import events
    from hdlgraph.llm.stream import Received

    received = Received()
    most = stream_bytes(call.max_tokens)
    try:
        with client.chat.completions.with_streaming_response.create(**body) as response:
            if "event-stream" not in response.headers.get("content-type", ""):
                answer, _ = read_answer(decode(_whole(response.iter_bytes())), call)
                if isinstance(answer, Failure):
                    return "", False, answer
                return answer.text, False, None
            for event in events(response.iter_bytes(), most):
                received.take(event)
                if len(received.text) > text_chars(call.max_tokens):
                    return "", True, too_long(call)
    except openai.APIStatusError as error:
        return "", False, status_failure(error, endpoint, call.model)
    except (openai.OpenAIError, httpx.HTTPError) as error:
        return "", False, connection_failure(error, endpoint, llm.timeout_s)
    except ValueError:
        return "", False, Failure(ErrorKind.SERVER, f"{endpoint.label} sent no JSON")
    judged = judge(received.text, received.finish, received.refusal, call.model, Usage())
    return received.text, True, judged if isinstance(judged, Failure) else None


def _whole(pieces: Iterable[bytes]) -> bytes:
    """Returns a body that came as no stream (Unusable when it is too large)."""
    from hdlgraph.llm.endpoint.body import Unusable

    found = bytearray()
    for piece in pieces:
        found += piece
        if len(found) > MOST_BYTES:
            raise Unusable(too_large(MOST_BYTES))
    return bytes(found)


def _obeyed(text: str) -> bool:
    try:
        return isinstance(parse_json(text).get(_FIELD), bool)
    except ValueError:
        return False


def suggestion(endpoint: Endpoint, model: str) -> str:
    """Returns which models an endpoint offers, those like `model` first; "" when not told."""
    ids = (one.get("id") for one in offered(endpoint))
    names = sorted({one for one in ids if isinstance(one, str) and 0 < len(one) <= NAME_CHARS})
    names = names[:COMPARED]
    if not names:
        return ""
    near = get_close_matches(model, names, n=3, cutoff=0.4)
    listed = [*near, *(name for name in names if name not in near)]
    more = f" and {len(listed) - NAMED} more" if len(listed) > NAMED else ""
    return f"it offers {endpoint.clean(', '.join(listed[:NAMED]))}{more}"
