"""A server of the Model Context Protocol that is asked too much says so, and goes on."""

from __future__ import annotations

import asyncio
import threading

import pytest

from hdlgraph.serve.mcp import server
from hdlgraph.serve.mcp.calls import Result


def test_calls_beyond_the_queue_are_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "AT_ONCE", 1)
    monkeypatch.setattr(server, "WAITING", 2)
    handlers, free = server._Handlers({}), threading.Event()

    def work() -> Result:
        assert free.wait(20)
        return Result(["done"])

    async def story() -> list[Result]:
        running = [asyncio.create_task(handlers._run(work)) for _ in range(3)]
        await asyncio.sleep(0.05)
        refused = await asyncio.gather(*(handlers._run(work) for _ in range(4)))
        assert all(one.failed for one in refused)
        assert "too much to do" in refused[0].blocks[0]
        assert "next: Call again" in refused[0].blocks[0]
        left = asyncio.create_task(handlers._run(work))
        assert (await left).failed
        free.set()
        return await asyncio.gather(*running)

    assert [one.blocks for one in asyncio.run(story())] == [["done"]] * 3
    assert asyncio.run(handlers._run(lambda: Result(["next"]))).blocks == ["next"]


def test_a_call_whose_client_leaves_frees_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "AT_ONCE", 1)
    monkeypatch.setattr(server, "WAITING", 1)
    handlers, free = server._Handlers({}), threading.Event()
    begun: list[str] = []

    def work(name: str) -> Result:
        begun.append(name)
        assert free.wait(20)
        return Result([name])

    async def story() -> None:
        first = asyncio.create_task(handlers._run(lambda: work("first")))
        waiting = asyncio.create_task(handlers._run(lambda: work("gone")))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.sleep(0.05)
        third = asyncio.create_task(handlers._run(lambda: work("third")))
        await asyncio.sleep(0.05)
        free.set()
        assert [(await one).blocks for one in (first, third)] == [["first"], ["third"]]

    asyncio.run(story())
    assert begun == ["first", "third"]
