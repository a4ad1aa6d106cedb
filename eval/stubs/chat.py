"""The stub's chat completions: plain and streamed answers, refused parameters, faults."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import time
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.eval.stubs import faults

if TYPE_CHECKING:
    from aiohttp import web

    from hdlgraph.eval.stubs.behaviour import Behaviour


def add_routes(app: web.Application, stub: Behaviour) -> None:
    """Adds chat completions (also Azure's path) and the list of models."""

    async def chat(request: web.Request) -> web.StreamResponse:
        stub.paths["chat"] += 1
        stub.under_way += 1
        stub.most_under_way = max(stub.most_under_way, stub.under_way)
        try:
            return await _chat(stub, request)
        finally:
            stub.under_way -= 1

    async def models(request: web.Request) -> web.StreamResponse:
        stub.paths["models"] += 1
        if not allowed(stub, request):
            return answer_fault(stub, "401")
        names = stub.models or ("stub-model",)
        extra = {"max_model_len": stub.context_tokens} if stub.context_tokens else {}
        listed = [
            {"id": n, "object": "model", "created": 0, "owned_by": "stub", **extra} for n in names
        ]
        return as_json({"object": "list", "data": listed})

    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_post("/openai/deployments/{model}/chat/completions", chat)
    app.router.add_get("/v1/models", models)


def as_json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Returns a JSON response."""
    from aiohttp import web

    return web.Response(
        body=msgspec.json.encode(value),
        status=status,
        headers=headers,
        content_type="application/json",
    )


def allowed(stub: Behaviour, request: web.Request) -> bool:
    """Returns whether a request carries the stub's key."""
    given = request.headers.get("api-key") or request.headers.get("Authorization", "")
    return not stub.key or given in (stub.key, f"Bearer {stub.key}")


def answer_fault(stub: Behaviour, fault: str) -> web.Response:
    """Returns the error answer of a fault."""
    if fault == "redirect":
        return as_json({}, 307, {"Location": "http://127.0.0.2:9/v1/chat/completions"})
    status, body = faults.status_of(fault)
    return as_json(body, status, faults.retry_after(fault, stub.retry_after_s))


async def _chat(stub: Behaviour, request: web.Request) -> web.StreamResponse:
    body = msgspec.json.decode(await request.read())
    number = stub.calls
    stub.calls += 1
    if stub.keep:
        stub.requests.append(body)
        stub.headers.append(dict(request.headers))
        stub.times.append(time.monotonic())
    if stub.dies_after is not None and number >= stub.dies_after:
        return reset(request)
    fault = stub.faults(number, body) if stub.faults else None
    if fault == "reset":
        return reset(request)
    if fault == "hang":
        await stub.stopped()
        return reset(request)
    if stub.latency_s:
        await asyncio.sleep(stub.latency_s)
    if fault is None or fault in faults.CONTENT_FAULTS or fault in ("truncate", "cut"):
        refusal = refused(stub, request, body)
        if refusal is not None:
            return refusal
        if body.get("stream"):
            return await _stream(stub, request, body, fault)
        return await _plain(stub, request, body, fault)
    if fault in faults.HOSTILE:
        return _hostile(stub, body, fault)
    if fault == "garbage":
        from aiohttp import web

        return web.Response(text="<html>gateway</html>", content_type="text/html")
    return answer_fault(stub, fault)


def _hostile(stub: Behaviour, body: dict[str, Any], fault: str) -> web.Response:
    """Returns an answer, plain or as a stream of one event, with a hostile value in it."""
    from aiohttp import web

    data = faults.hostile(fault, complete(stub, body, None))
    if body.get("stream"):
        data = b"data: " + data + b"\n\ndata: [DONE]\n\n"
    kind = "text/event-stream" if body.get("stream") else "application/json"
    return web.Response(body=data, content_type=kind)


def reset(request: web.Request) -> web.StreamResponse:
    """Resets the connection (RST): no answer reaches the client."""
    from aiohttp import web

    transport = request.transport
    if transport is not None:
        handle = transport.get_extra_info("socket")
        if handle is not None:
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()


def refused(
    stub: Behaviour, request: web.Request | None, body: dict[str, Any]
) -> web.Response | None:
    """Returns the error for a key, model, parameter or length that the stub does not take.

    The line of a batch comes without a request.
    """
    if request is not None and not allowed(stub, request):
        # As some servers do, the message repeats the wrong key: it must reach nobody.
        given = request.headers.get("api-key") or request.headers.get("Authorization", "")
        status, error = faults.status_of("401")
        error["error"]["message"] += f" You sent: {given}"
        return as_json(error, status)
    if stub.models and body["model"] not in stub.models:
        return answer_fault(stub, "model")
    for name in stub.refused:
        if name in body:
            hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            message = f"Unsupported parameter: '{name}' is not supported with this model.{hint}"
            return _bad(message, name, "unsupported_parameter")
    shape = (body.get("response_format") or {}).get("type", "text")
    if shape not in stub.structured:
        message = f"Invalid parameter: 'response_format' of type '{shape}' is not supported."
        return _bad(message, "response_format", "invalid_value")
    if stub.context_tokens:
        limit = body.get("max_tokens") or body.get("max_completion_tokens") or 0
        if input_tokens(stub, body) + limit > stub.context_tokens:
            return answer_fault(stub, "overflow")
    return None


def _bad(message: str, param: str, code: str) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return as_json({"error": error}, 400)


def input_tokens(stub: Behaviour, body: dict[str, Any]) -> int:
    """Returns the tokens of all messages."""
    return sum(stub.count(message["content"]) for message in body["messages"])


def complete(stub: Behaviour, body: dict[str, Any], fault: str | None) -> dict[str, Any]:
    """Returns a chat completion and counts it."""
    content = stub.reply(body)
    text = content if isinstance(content, str) else json.dumps(content)
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    finish = "stop"
    if fault == "empty":
        message["content"] = ""
    elif fault == "prose":
        message["content"] = "Sure! Here is what I think about it."
    elif fault == "length":
        message["content"], finish = text[: max(1, len(text) // 2)], "length"
    elif fault == "refusal":
        message |= {"content": None, "refusal": "I cannot help with that."}
    elif fault == "filter":
        message["content"], finish = None, "content_filter"
    asked, given = input_tokens(stub, body), stub.count(message["content"] or "")
    stub.input_tokens += asked
    stub.output_tokens += given
    stub.answered += 1
    result = {
        "id": f"chatcmpl-{stub.calls}",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": given,
            "total_tokens": asked + given,
        },
    }
    if fault == "nousage":
        del result["usage"]
    return result


async def _plain(
    stub: Behaviour, request: web.Request, body: dict[str, Any], fault: str | None
) -> web.StreamResponse:
    response = as_json(complete(stub, body, fault))
    if fault in ("truncate", "cut"):
        from aiohttp import web

        data = response.body
        half = web.StreamResponse(headers={"Content-Type": "application/json"})
        half.content_length = len(data)  # type: ignore[arg-type]
        await half.prepare(request)
        await half.write(data[: len(data) // 2])  # type: ignore[index, arg-type]
        if request.transport is not None:
            request.transport.close()
        return half
    return response


async def _stream(
    stub: Behaviour, request: web.Request, body: dict[str, Any], fault: str | None
) -> web.StreamResponse:
    from aiohttp import web

    whole = complete(stub, body, fault)
    choice = whole["choices"][0]
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)

    async def send(choices: list[dict[str, Any]], **extra: Any) -> None:
        event = {
            "id": whole["id"],
            "object": "chat.completion.chunk",
            "created": 0,
            "model": whole["model"],
            "choices": choices,
            **extra,
        }
        await response.write(b"data: " + msgspec.json.encode(event) + b"\n\n")
        await asyncio.sleep(stub.chunk_s)

    await send([{"index": 0, "delta": {"role": "assistant", "content": ""}}])
    field = "refusal" if choice["message"]["refusal"] else "content"
    pieces = re.findall(r"\s*\S+|\s+", choice["message"][field] or "")
    if fault in ("truncate", "cut"):
        pieces = pieces[: max(1, len(pieces) // 2)]
    for piece in pieces:
        await send([{"index": 0, "delta": {field: piece}, "finish_reason": None}])
    if fault == "truncate":
        if request.transport is not None:
            request.transport.close()
        return response
    if fault != "cut":
        await send([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
        if (body.get("stream_options") or {}).get("include_usage") and "usage" in whole:
            await send([], usage=whole["usage"])
        await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response
