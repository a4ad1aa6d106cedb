"""The REST interface: the objects of the command line's `--json`, and the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from hdlgraph import __version__
from hdlgraph.errors import UsageError
from hdlgraph.serve.web import checking
from hdlgraph.serve.web import requests as ask

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from hdlgraph.serve.web.site import Site

BASE = "/api/v1"
JSON = "application/json"


class Call(NamedTuple):
    """One address: its parameters, what answers it, whether it takes long, whether it changes.

    `answer` is given the project of the page, or where `whole` the workspace of the server.
    """

    name: str
    kind: type[msgspec.Struct]
    answer: Callable[[Any, Any], dict[str, Any]]
    long: bool = False
    changes: bool = False
    whole: bool = False


CALLS = (
    Call("search", ask.Search, lambda p, a: p.search(a.q, **a.options()).to_dict()),
    Call(
        "ask", ask.Ask, lambda p, a: p.ask(a.q, writer=a.writer, **a.options()).to_dict(), long=True
    ),
    Call(
        "show",
        ask.Show,
        lambda p, a: p.elaborated_show(a.name, a.config) if a.config else p.show(a.name),
    ),
    Call("who", ask.Who, lambda p, a: p.who(a.name, a.limit)),
    Call(
        "tree",
        ask.Tree,
        lambda p, a: (
            p.elaborated_tree(a.below(), a.depth, a.config)
            if a.config
            else p.tree(a.below(), a.depth)
        ),
    ),
    Call("level", ask.Level, lambda p, a: p.level(a.unit, a.start, a.limit, a.cells)),
    Call("path", ask.Walk, lambda p, a: p.path(a.source, a.target, a.limit), long=True),
    Call("impact", ask.Impact, lambda p, a: p.impact(a.name, a.depth, a.limit), long=True),
    Call("trace", ask.Trace, lambda p, a: p.trace(a.name, a.directions(), a.depth, a.limit)),
    Call("fsm", ask.Machines, lambda p, a: p.fsm(a.unit)),
    Call(
        "clocks",
        ask.Clocks,
        lambda p, a: p.clock_tree(a.unit, a.resets, a.limit),
        long=True,
    ),
    Call(
        "crossings",
        ask.Crossings,
        lambda p, a: p.crossings(a.unit, a.kind, a.limit),
        long=True,
    ),
    Call("registers", ask.Registers, lambda p, a: p.registers(a.name, a.limit)),
    Call("reach", ask.Reach, lambda p, a: p.reach(a.name), long=True),
    Call(
        "unused",
        ask.Unused,
        lambda p, a: p.unused(a.name, a.kind, a.limit, a.deliberate, a.tests),
        long=True,
    ),
    Call("testbench", ask.Testbench, lambda p, a: p.testbench(a.name, a.limit)),
    Call(
        "neighbours", ask.Neighbours, lambda p, a: p.neighbours(a.name, a.relation, a.role, a.limit)
    ),
    Call("overview", ask.Overview, lambda p, a: p.overview(a.level).to_dict(), long=True),
    Call("status", ask.Status, lambda p, _: {"schema": 1, **p.status()}),
    Call("read", ask.Read, lambda p, a: p.read_lines(a.path, a.start, a.end)),
    Call(
        "feedback",
        ask.Judge,
        lambda p, a: p.judge(a.q, a.path, a.verdict, a.note),
        changes=True,
    ),
    Call(
        "workspace/search",
        ask.Search,
        lambda w, a: w.search(a.q, **a.options()).to_dict(),
        long=True,
        whole=True,
    ),
    Call(
        "workspace/ask",
        ask.Ask,
        lambda w, a: w.ask(a.q, writer=a.writer, **a.options()).to_dict(),
        long=True,
        whole=True,
    ),
    Call("workspace/show", ask.Named, lambda w, a: w.show(a.name), long=True, whole=True),
    Call("workspace/who", ask.Who, lambda w, a: w.who(a.name, a.limit), long=True, whole=True),
    Call("workspace/links", ask.Links, lambda w, a: w.links(a.limit), long=True, whole=True),
)
"""What may be called. Those that change nothing take GET with a query, and POST with JSON."""


def endpoint(site: Site, call: Call) -> Callable[[Request], Any]:
    """Returns what answers an address of the interface."""
    from starlette.responses import Response

    from hdlgraph.errors import HdlgraphError
    from hdlgraph.serve.web.work import Busy, Gone

    def answer(asked: Any) -> bytes:
        asked_of = site.whole() if call.whole else site.project
        return msgspec.json.encode(call.answer(asked_of, asked))

    async def answered(request: Request) -> Response:
        try:
            if request.method == "POST":
                asked = checking.from_body(call.kind, await _json(request))
            else:
                asked = checking.from_query(call.kind, request)
            body = await (site.long if call.long else site.quick).run(request, answer, asked)
        except Gone:
            return Response(status_code=499)
        except (Busy, HdlgraphError) as error:
            return site.wrong(request, error)
        return Response(body, media_type=JSON, headers={"cache-control": "no-store"})

    return answered


async def _json(request: Request) -> bytes:
    """Returns the body of a request that says it is JSON: a form of another site cannot say so."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise UsageError(f"content-type {kind[:60]!r}: send the body as {JSON}")
    return await request.body()


@cache
def openapi() -> dict[str, Any]:
    """Returns the OpenAPI document of the interface, made of the definitions that check input."""
    kinds = [call.kind for call in CALLS]
    _, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    answer = {
        "200": {
            "description": "The object that the command line prints with --json; docs/json.md "
            "has its keys.",
            "content": {JSON: {"schema": {"$ref": "#/components/schemas/Answer"}}},
        },
        "default": {
            "description": "400: a parameter is wrong; 401: a token is needed; 404: no such name "
            "or file; 503: too much to do, or the index is not there (Retry-After says when to "
            "ask again).",
            "content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}},
        },
    }
    number = {"type": "integer", "const": 1}
    schemas |= {
        "Answer": {"type": "object", "required": ["schema"], "properties": {"schema": number}},
        "Error": {
            "type": "object",
            "required": ["schema", "error"],
            "properties": {"schema": number, "error": {"type": "string"}},
        },
    }
    paths = {f"{BASE}/{call.name}": _described(call, schemas, answer) for call in CALLS}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hdlgraph",
            "version": __version__,
            "description": "Ask a design question about a Verilog or SystemVerilog repository.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _described(call: Call, schemas: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    schema = schemas[call.kind.__name__]
    words = {"summary": schema.get("description", ""), "responses": answer}
    reference = {"$ref": f"#/components/schemas/{call.kind.__name__}"}
    body = {"required": True, "content": {JSON: {"schema": reference}}}
    name = call.name.replace("/", "_")
    post = {"operationId": f"{name}_by_post", "requestBody": body, **words}
    if call.changes:
        return {"post": {**post, "operationId": name}}
    parameters = [
        {
            "name": parameter,
            "in": "query",
            "required": parameter in schema.get("required", ()),
            "description": one.get("description", ""),
            "schema": {key: value for key, value in one.items() if key != "description"},
        }
        for parameter, one in schema.get("properties", {}).items()
    ]
    return {"get": {"operationId": name, "parameters": parameters, **words}, "post": post}
