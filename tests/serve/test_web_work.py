"""The event loop is never kept: places are bounded, and those who leave free theirs."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest
from _web import served

from hdlgraph.serve.web.work import Busy, Gone, Lane


class Client:
    """A client that is there until it leaves."""

    left = False

    async def is_disconnected(self) -> bool:
        return self.left


def test_a_lane_refuses_what_has_no_place_and_goes_on() -> None:
    async def story() -> None:
        lane, free = Lane(1, 1, "test"), threading.Event()
        running = [asyncio.create_task(lane.run(Client(), free.wait)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy):
            await lane.run(Client(), time.time)
        free.set()
        assert await asyncio.gather(*running) == [True, True]
        assert await lane.run(Client(), lambda: 7) == 7
        lane.close()

    asyncio.run(story())


def test_a_client_that_leaves_frees_its_place() -> None:
    async def story() -> None:
        lane, free, gone = Lane(1, 1, "test"), threading.Event(), Client()
        begun: list[str] = []
        first = asyncio.create_task(lane.run(Client(), free.wait))
        waiting = asyncio.create_task(lane.run(gone, lambda: begun.append("gone")))
        await asyncio.sleep(0.05)
        gone.left = True
        with pytest.raises(Gone):
            await waiting
        next_one = asyncio.create_task(lane.run(Client(), lambda: begun.append("next")))
        await asyncio.sleep(0.05)
        free.set()
        await asyncio.gather(first, next_one)
        assert begun == ["next"]
        lane.close()

    asyncio.run(story())


def test_the_loop_answers_while_work_waits(soc_words: Path) -> None:
    """Static files come although every place of both lanes is taken; further questions get 503."""
    with served(soc_words) as client:
        site, free = client.site, threading.Event()

        async def fill() -> None:
            for lane in (site.quick, site.long):
                while True:
                    try:
                        lane.start(free.wait)
                    except Busy:
                        break

        client.portal.call(fill)
        assert client.get("/static/app.css").status_code == 200
        for address in ("/api/v1/search?q=uart", "/search?q=uart", "/answer?q=uart", "/ask?q=a"):
            got = client.get(address)
            assert got.status_code == 503, address
            assert int(got.headers["retry-after"]) >= 1
        free.set()
        end = time.monotonic() + 5
        while client.get("/api/v1/search?q=uart").status_code == 503 and time.monotonic() < end:
            time.sleep(0.02)
        assert client.get("/api/v1/search?q=uart").status_code == 200


def test_an_answer_comes_as_a_stream_and_stops_with_its_reader(soc_words: Path) -> None:
    with served(soc_words) as client:
        got = client.get("/answer?q=what+resets+the+uart", headers={"accept": "text/event-stream"})
        assert got.headers["content-type"].startswith("text/event-stream")
        kinds = [line[7:] for line in got.text.splitlines() if line.startswith("event: ")]
        assert kinds[-1] == "done"
        assert set(kinds) <= {"text", "done"}
        wrong = client.get("/answer?q=%3F", headers={"accept": "text/event-stream"})
        assert "event: error" in wrong.text
        assert "question is empty" in wrong.text


def test_a_reader_who_leaves_stops_the_writing(soc_words: Path) -> None:
    """Pieces of an answer that nobody reads any more end the work that makes them."""
    from hdlgraph.serve.web.stream import streamed

    with served(soc_words) as client:
        site = client.site
        pieces: list[int] = []
        ended = threading.Event()

        def endless(on_text: object) -> str:
            try:
                for number in range(10_000):
                    on_text("x")  # type: ignore[operator]
                    pieces.append(number)
                    time.sleep(0.005)
                return "<p>never</p>"
            finally:
                ended.set()

        async def story() -> None:
            answer = streamed(site, None, endless)  # type: ignore[arg-type]
            sent = answer.body_iterator  # type: ignore[attr-defined]
            assert b"event: text" in await sent.__anext__()
            await sent.aclose()

        client.portal.call(story)
        assert ended.wait(5)
        assert len(pieces) < 1_000


def test_who_finds_no_place_is_told_when_to_come_again() -> None:
    async def story() -> None:
        lane, free = Lane(1, 9, "test"), threading.Event()
        assert await lane.run(Client(), time.sleep, 0.4) is None
        running = [asyncio.create_task(lane.run(Client(), free.wait)) for _ in range(10)]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy) as told:
            await lane.run(Client(), time.time)
        # Half of ten pieces of work of .4 s each.
        assert told.value.seconds in (2, 3)
        free.set()
        await asyncio.gather(*running)
        lane.close()

    asyncio.run(story())
