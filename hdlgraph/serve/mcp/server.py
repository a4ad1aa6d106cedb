"""The server of the Model Context Protocol: our tools and unit cards in its official library."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from mcp import types
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from hdlgraph import __version__
from hdlgraph.serve.mcp.calls import Result, call, names, schema_of
from hdlgraph.serve.mcp.tools import TOOLS
from hdlgraph.serve.warm.kept import Kept

AT_ONCE = 16
"""Calls in hand at one time; others wait."""
WAITING = 64
"""Calls that wait at most; further ones are told to come again."""
BUSY = (
    "the server has too much to do just now: {count} calls are waiting\n"
    "next: Call again in a few seconds, and fewer at one time."
)
SCHEME, UNIT = "hdlgraph", "unit"
INSTRUCTIONS = (
    "Answers questions about a Verilog/SystemVerilog repository from an index of its design "
    "graph. Start with search_files; read what it finds with read_lines or show. A result with "
    "`stale: true` lists files that changed since they were indexed. A place `:N` is line N of the "
    "file of the entry above it."
)


def server_of(kept: Mapping[str, Kept]) -> Server[Any]:
    """Returns the server for repositories by name; it opens none before the first request."""
    handlers = _Handlers(kept)
    server = Server(
        "hdlgraph",
        version=__version__,
        title="hdlgraph",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )
    server.middleware.append(handlers.then_load)
    return server


class _Handlers:
    """The handlers of the protocol's requests."""

    def __init__(self, kept: Mapping[str, Kept]) -> None:
        self._kept = kept
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="tool")
        self._lock, self._taken = threading.Lock(), 0
        self._loading = False

    async def then_load(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Has the first request answered, then opens the indexes in the background."""
        answer = await call_next(ctx)
        if not self._loading:
            self._loading = True
            threading.Thread(target=self._load, daemon=True, name="load").start()
        return answer

    def _load(self) -> None:
        for one in self._kept.values():
            one.load()

    async def list_tools(self, _: Any, __: Any) -> types.ListToolsResult:
        """Returns the tools with their schemas."""
        hints = types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        )
        tools = [
            types.Tool(
                name=tool.name,
                description=tool.description,
                input_schema=schema_of(tool, self._kept),
                annotations=hints,
            )
            for tool in TOOLS
        ]
        return types.ListToolsResult(tools=tools)

    async def call_tool(self, _: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Returns what a tool found, as text and as an object; a failure is a result too."""
        found = await self._run(partial(call, self._kept, params.name, params.arguments))
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=text) for text in found.blocks],
            structured_content=found.found,
            is_error=found.failed,
        )

    async def list_resources(self, _: Any, __: Any) -> types.ListResourcesResult:
        """Returns none: units are too many to list, and have a template."""
        return types.ListResourcesResult(resources=[])

    async def list_templates(self, _: Any, __: Any) -> types.ListResourceTemplatesResult:
        """Returns the address of a unit's card."""
        many = "{?repository}" if names(self._kept) else ""
        template = types.ResourceTemplate(
            name="unit",
            uri_template=f"{SCHEME}://{UNIT}/{{name}}{many}",
            description="Card of a module, package or other name: ports, instances, parents.",
            mime_type="text/plain",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _: Any, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Returns the card of a unit."""
        uri = str(params.uri)
        arguments = _asked(uri)
        found = await self._run(partial(call, self._kept, "show", arguments))
        text = "\n".join(found.blocks)
        if found.failed:
            raise MCPError(types.INVALID_PARAMS, text)
        card = types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
        return types.ReadResourceResult(contents=[card])

    async def _run(self, work: Callable[[], Result]) -> Result:
        """Returns what a call gives; where too many wait already, that is its result."""
        with self._lock:
            if self._taken >= AT_ONCE + WAITING:
                return Result([BUSY.format(count=WAITING)], failed=True)
            self._taken += 1
        future = self._threads.submit(work)
        future.add_done_callback(self._free)
        # A client that leaves does not wait for the thread; what had not begun is not begun.
        return await asyncio.wrap_future(future)

    def _free(self, _: Future[Result]) -> None:
        with self._lock:
            self._taken -= 1


def _asked(uri: str) -> dict[str, Any]:
    """Returns the arguments of `show` that the address of a unit's card stands for.

    Raises:
        MCPError: it is the address of something else.
    """
    try:
        parts = urlsplit(uri[:4000])
    except ValueError:  # brackets that are no address
        parts = urlsplit("")
    if parts.scheme != SCHEME or parts.netloc != UNIT:
        raise MCPError(types.INVALID_PARAMS, f"no such resource; there is {SCHEME}://{UNIT}/NAME")
    arguments: dict[str, Any] = {"name": unquote(parts.path.removeprefix("/"))}
    repository = parse_qs(parts.query).get("repository", [])
    if repository:
        arguments["repository"] = repository[0]
    return arguments
