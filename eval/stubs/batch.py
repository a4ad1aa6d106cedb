"""The stub's embeddings, files and batches."""

from __future__ import annotations

import base64
import hashlib
import struct
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.eval.stubs import chat as stub_chat
from hdlgraph.eval.stubs import faults

if TYPE_CHECKING:
    from aiohttp import web

    from hdlgraph.eval.stubs.behaviour import Behaviour


def add_routes(app: web.Application, stub: Behaviour) -> None:
    """Adds embeddings, files and batches."""
    _add_embeddings(app, stub)
    _add_files(app, stub)
    _add_batches(app, stub)


def _add_embeddings(app: web.Application, stub: Behaviour) -> None:
    async def embeddings(request: web.Request) -> web.StreamResponse:
        stub.paths["embeddings"] += 1
        body = msgspec.json.decode(await request.read())
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        packed = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": n, "embedding": _vector(text, stub.dim, packed)}
            for n, text in enumerate(texts)
        ]
        tokens = sum(stub.count(text) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return stub_chat.as_json(
            {"object": "list", "data": data, "model": body["model"], "usage": usage}
        )

    app.router.add_post("/v1/embeddings", embeddings)
    app.router.add_post("/openai/deployments/{model}/embeddings", embeddings)


def _add_files(app: web.Application, stub: Behaviour) -> None:
    from aiohttp import web

    async def upload(request: web.Request) -> web.StreamResponse:
        stub.paths["files"] += 1
        form = await request.post()
        sent = form["file"]
        content = sent.file.read() if isinstance(sent, web.FileField) else str(sent).encode()
        name = add_file(stub, content)
        return stub_chat.as_json(_file(stub, name, "batch"))

    async def content(request: web.Request) -> web.StreamResponse:
        return web.Response(body=stub.files[request.match_info["name"]])

    async def delete(request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if stub.files.pop(name, None) is None:
            return stub_chat.as_json({"error": {"message": "no such file"}}, 404)
        return stub_chat.as_json({"id": name, "object": "file", "deleted": True})

    app.router.add_post("/v1/files", upload)
    app.router.add_get("/v1/files/{name}/content", content)
    app.router.add_delete("/v1/files/{name}", delete)


def _add_batches(app: web.Application, stub: Behaviour) -> None:
    async def submit(request: web.Request) -> web.StreamResponse:
        stub.paths["batches"] += 1
        body = msgspec.json.decode(await request.read())
        if body["input_file_id"] not in stub.files:
            return stub_chat.as_json({"error": {"message": "no such file"}}, 400)
        number = len(stub.batches)
        batch = _batch(f"batch_{number + 1}", body)
        stub.batches[batch["id"]] = batch
        if number in stub.batch_loses:
            return stub_chat.reset(request)
        return stub_chat.as_json(batch)

    async def poll(request: web.Request) -> web.StreamResponse:
        stub.paths["polls"] += 1
        batch = stub.batches.get(request.match_info["name"])
        if batch is None:
            return stub_chat.as_json({"error": {"message": "No batch found"}}, 404)
        advance(stub, batch)
        return stub_chat.as_json(batch)

    async def cancel(request: web.Request) -> web.StreamResponse:
        batch = stub.batches[request.match_info["name"]]
        batch["status"] = "cancelled"
        return stub_chat.as_json(batch)

    async def batches(_: web.Request) -> web.StreamResponse:
        return stub_chat.as_json({"object": "list", "data": list(stub.batches.values())})

    app.router.add_post("/v1/batches", submit)
    app.router.add_get("/v1/batches", batches)
    app.router.add_get("/v1/batches/{name}", poll)
    app.router.add_post("/v1/batches/{name}/cancel", cancel)


def _vector(text: str, dim: int, packed: bool) -> list[float] | str:
    data = b""
    while len(data) < 2 * dim:
        data += hashlib.sha256(text.encode() + len(data).to_bytes(4, "big")).digest()
    values = [n / 32768 for n in struct.unpack(f"<{dim}h", data[: 2 * dim])]
    norm = sum(v * v for v in values) ** 0.5 or 1.0
    values = [v / norm for v in values]
    return base64.b64encode(struct.pack(f"<{dim}f", *values)).decode() if packed else values


def add_file(stub: Behaviour, content: bytes) -> str:
    """Stores a file; returns its id."""
    stub.paths["stored"] += 1
    name = f"file-{stub.paths['stored']}"
    stub.files[name] = content
    return name


def _file(stub: Behaviour, name: str, purpose: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "file",
        "bytes": len(stub.files[name]),
        "created_at": 0,
        "filename": "batch.jsonl",
        "purpose": purpose,
        "status": "processed",
    }


def _batch(name: str, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": name,
        "object": "batch",
        "endpoint": body["endpoint"],
        "input_file_id": body["input_file_id"],
        "completion_window": body["completion_window"],
        "status": "validating",
        "created_at": 0,
        "metadata": body.get("metadata"),
        "output_file_id": None,
        "error_file_id": None,
        "polls": 0,
        "request_counts": {"total": 0, "completed": 0, "failed": 0},
    }


def advance(stub: Behaviour, batch: dict[str, Any]) -> None:
    """Moves a batch on by one poll; runs it after `batch_polls` of them."""
    batch["polls"] += 1
    if batch["status"] not in ("validating", "in_progress"):
        return
    if batch["polls"] <= stub.batch_polls:
        batch["status"] = "in_progress"
        return
    lines = stub.files[batch["input_file_id"]].splitlines()
    number = list(stub.batches).index(batch["id"])
    end = (stub.batch_ends and stub.batch_ends(number, len(lines))) or "completed"
    if end in ("failed", "token_limit_exceeded"):
        batch["status"] = "failed"
        batch["errors"] = {"object": "list", "data": [{"code": end, "message": "Not accepted."}]}
        return
    done = lines if end == "completed" else lines[: len(lines) // 2]
    good: list[dict[str, Any]] = []
    bad = [_not_run(line, end) for line in lines[len(done) :]]
    for line in done:
        result = _line(stub, msgspec.json.decode(line))
        (good if result["response"]["status_code"] == 200 else bad).append(result)
    batch["request_counts"] = {
        "total": len(good) + len(bad),
        "completed": len(good),
        "failed": len(bad),
    }
    for field, results in (("output_file_id", good), ("error_file_id", bad)):
        if results:
            batch[field] = add_file(stub, b"\n".join(map(msgspec.json.encode, results)) + b"\n")
    batch["status"] = end


def _not_run(line: bytes, end: str) -> dict[str, Any]:
    error = {"code": f"batch_{end}", "message": "This request was not executed in time."}
    digest = msgspec.json.decode(line)["custom_id"]
    return {"id": "x", "custom_id": digest, "response": None, "error": error}


def _line(stub: Behaviour, line: dict[str, Any]) -> dict[str, Any]:
    body = line["body"]
    number = stub.calls
    stub.calls += 1
    if stub.keep:
        stub.requests.append(body)
    fault = stub.faults(number, body) if stub.faults else None
    refusal = stub_chat.refused(stub, None, body)
    if refusal is not None:
        status, content = refusal.status, msgspec.json.decode(refusal.text or "{}")
    elif fault is None or fault in faults.CONTENT_FAULTS:
        status, content = 200, stub_chat.complete(stub, body, fault)
    else:
        known = fault[:3].isdigit() or fault in ("quota", "overflow", "model")
        status, content = faults.status_of(fault if known else "500")
    return {
        "id": f"batch_req_{number}",
        "custom_id": line["custom_id"],
        "response": {"status_code": status, "request_id": f"req_{number}", "body": content},
        "error": None,
    }
