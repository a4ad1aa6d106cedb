"""A stand-in for Slack on loopback: the calls of its API that the bot makes, and the WebSocket."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

from hdlgraph.project.resident import Resident
from hdlgraph.serve.slack.desk import Desk
from hdlgraph.serve.slack.tokens import Tokens

BOT, APP = "xoxb-1-secret-of-the-bot", "xapp-1-secret-of-the-app"
TEAM, CHANNEL, USER = "T1", "C1", "U1"


class Slack:
    """The server; `api` is its address, `posted` what was sent into threads."""

    def __init__(self) -> None:
        self.posted: list[dict[str, Any]] = []
        self.calls: list[tuple[str, str]] = []
        self.acknowledged: set[str] = set()
        self.refuse = ""
        self.limited = 0
        self.links: list[web.WebSocketResponse] = []
        self._numbers = itertools.count(1)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True, name="stub-slack")

    def __enter__(self) -> Slack:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._begin())
        self._loop.run_forever()

    async def _begin(self) -> None:
        app = web.Application()
        app.router.add_get("/link", self._link)
        app.router.add_route("*", "/{path:.*}", self._call)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        port = self._runner.addresses[0][1]
        self.api = f"http://127.0.0.1:{port}/api/"
        self._socket = f"ws://127.0.0.1:{port}/link?ticket=secret-ticket"
        self._ready.set()

    async def _call(self, request: web.Request) -> web.Response:
        method = request.path.removeprefix("/api/")
        self.calls.append((method, request.headers.get("Authorization", "")))
        if self.refuse:
            return web.json_response({"ok": False, "error": self.refuse})
        if method == "auth.test":
            return web.json_response(
                {"ok": True, "team_id": TEAM, "user_id": "UBOT", "bot_id": "B1", "user": "bot"}
            )
        if method == "apps.connections.open":
            return web.json_response({"ok": True, "url": self._socket})
        assert method == "chat.postMessage", method
        if self.limited:
            self.limited -= 1
            return web.json_response(
                {"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": "1"}
            )
        stamp = f"99.{next(self._numbers):06}"
        self.posted.append({**await request.json(), "ts": stamp})
        return web.json_response({"ok": True, "ts": stamp, "channel": CHANNEL})

    async def _link(self, request: web.Request) -> web.WebSocketResponse:
        link = web.WebSocketResponse()
        await link.prepare(request)
        await link.send_json({"type": "hello", "num_connections": 1})
        self.links.append(link)
        async for message in link:
            if message.type == WSMsgType.TEXT:
                self.acknowledged.add(json.loads(message.data).get("envelope_id", ""))
        return link

    def drop(self) -> None:
        """Closes the connection, as Slack does now and then."""
        link = self.links[-1]
        asyncio.run_coroutine_threadsafe(link.close(), self._loop).result(10)
        until(lambda: self.links[-1] is not link)

    def send(self, event: dict[str, Any], **more: Any) -> None:
        """Sends an event, and waits until it is acknowledged."""
        name = f"e{next(self._numbers)}"
        payload = {
            "type": "event_callback", "team_id": TEAM, "api_app_id": "A1", "event": event,
            "event_id": name, "authorizations": [{"team_id": TEAM, "user_id": "UBOT"}], **more,
        }  # fmt: skip
        envelope = {"envelope_id": name, "type": "events_api", "payload": payload}
        work = self.links[-1].send_json(envelope)
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)
        until(lambda: name in self.acknowledged)

    def mention(self, text: str, thread: str = "", shared: bool = False, **more: Any) -> str:
        """Sends a message that mentions the bot; returns its time stamp."""
        stamp = f"10.{next(self._numbers):06}"
        event = {
            "type": "app_mention", "user": USER, "team": TEAM, "channel": CHANNEL, "ts": stamp,
            "text": f"<@UBOT> {text}", **({"thread_ts": thread} if thread else {}), **more,
        }  # fmt: skip
        self.send(event, is_ext_shared_channel=shared)
        return stamp

    def ask(self, text: str, thread: str = "", **more: Any) -> dict[str, Any]:
        """Sends a message that mentions the bot; returns what is posted next."""
        count = len(self.posted)
        self.mention(text, thread, **more)
        until(lambda: len(self.posted) > count)
        return self.posted[count]

    def react(self, stamp: str, name: str = "+1", user: str = USER) -> None:
        """Sends a reaction to a message of the bot."""
        item = {"type": "message", "channel": CHANNEL, "ts": stamp}
        self.send({"type": "reaction_added", "user": user, "reaction": name, "item": item})


def until(true: Callable[[], object], seconds: float = 30.0) -> None:
    """Waits until something is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def text_of(message: dict[str, Any]) -> str:
    """Returns all text of a message."""
    found = [message["text"]]
    for block in message.get("blocks", ()):
        found += [one["text"] for one in (block.get("text"), *block.get("elements", ())) if one]
    return "\n".join(found)


@contextmanager
def bot(slack: Slack, root: Path, complaints: list[str] | None = None, **given) -> Iterator[Desk]:
    """Yields the desk of a bot that is connected with the stand-in."""
    from hdlgraph.serve.slack.bot import connected

    said = [] if complaints is None else complaints
    desk = Desk(Resident(root), complain=said.append, **given)
    before = len(slack.links)
    handler = connected(desk, Tokens(BOT, APP), slack.api)
    try:
        until(lambda: len(slack.links) > before)
        yield desk
    finally:
        handler.close()
