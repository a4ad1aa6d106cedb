"""What the client costs per call: `python -m hdlgraph.eval.bench.llm`.

A stub in a process of its own answers after 50 ms. 16 calls are under way at once. The stub's
limit is what a bare aiohttp loop reaches with the same requests in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import telling_errors
from hdlgraph.llm.call import Call
from hdlgraph.safety import child_process
from hdlgraph.settings.records import LlmSettings

LATENCY_S = 0.05
CONCURRENCY = 16
CALLS = 960
ROUNDS = 4
PROMPT_CHARS = 7000
"""About 2,000 tokens of Verilog."""
OVERHEAD_MS = 10.0
SHARE = 0.9

_SCHEMA = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "function": {"type": "string"},
        "names": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["summary", "function", "names"],
    "additionalProperties": False,
}
_ANSWER = {
    "summary": "A synchronous first-in first-out buffer with a ready and valid handshake. " * 3,
    "function": "Words are written at the head and read at the tail. " * 12,
    "names": [f"signal_{n}_q" for n in range(24)],
}


def calls(count: int, seed: int = 1) -> list[Call]:
    """Returns calls of realistic size, no two of them equal."""
    dice = random.Random(seed)
    names = [f"{a}_{b}" for a in ("fifo", "core", "bus", "lsu", "csr") for b in ("d", "q", "valid")]
    found = []
    for number in range(count):
        lines: list[str] = []
        size = 0
        while size < PROMPT_CHARS:
            line = f"  assign {dice.choice(names)}[{dice.randrange(64)}] = {dice.choice(names)};\n"
            lines.append(line)
            size += len(line)
        user = f"Explain file_{seed}_{number}.sv.\n{''.join(lines)}"
        found.append(
            Call(
                stage="explain",
                name=f"file_{number}.sv",
                model="stub-model",
                system="You explain hardware descriptions. Answer in JSON.",
                user=user,
                schema=_SCHEMA,
            )
        )
    return found


def measure_client(
    count: int = CALLS, rounds: int = ROUNDS, limited: bool = False
) -> dict[str, float]:
    """Returns overhead per call, throughput and its share of the stub's limit.

    The client keeps its answers in a store and tells a meter; `limited` gives the meter a limit,
    so that the tokens of each call are counted before it is sent. Client and bare loop take turns,
    and of each the best round counts, as other work on the machine can only slow them down.
    """
    client: list[dict[str, float]] = []
    bare: list[dict[str, float]] = []
    part = max(CONCURRENCY, count // rounds)
    with stub_process(json.dumps(_ANSWER)) as address, tempfile.TemporaryDirectory() as folder:
        asyncio.run(_bare(address, calls(64, 9)))  # warms the stub up
        for turn in range(rounds):
            bare.append(asyncio.run(_bare(address, calls(part, 2))))
            store = Path(folder, f"{turn}.sqlite")
            client.append(asyncio.run(_client(address, part, store, limited)))
    ours, limit = (min(one["wall_s"] for one in found) for found in (client, bare))
    return {
        "calls": part * rounds,
        "overhead_ms": _overhead_ms(ours, part),
        "bare_overhead_ms": _overhead_ms(limit, part),
        "calls_per_s": round(part / ours, 1),
        "limit_per_s": round(part / limit, 1),
        "share": round(limit / ours, 3),
        "cpu_ms": round(min(one["cpu_s"] for one in client) / part * 1000, 2),
        "stored_ms": round(min(one["stored_s"] for one in client) / part * 1000, 3),
    }


def _overhead_ms(wall_s: float, count: int) -> float:
    """Returns what a call takes beyond the stub's latency."""
    return round((wall_s * CONCURRENCY / count - LATENCY_S) * 1000, 2)


async def _timed(load: Callable[[], Awaitable[Any]]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    await load()
    return {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}


async def _client(address: str, count: int, path: Path, limited: bool) -> dict[str, float]:
    from hdlgraph.llm.answers import AnswerStore
    from hdlgraph.llm.client import Client
    from hdlgraph.llm.spend import Spending

    llm = LlmSettings(provider="openai", base_url=address, concurrency=CONCURRENCY)
    meter = Spending(llm, max_tokens=10**9 if limited else None)
    store = AnswerStore(path)
    async with Client(llm, store, meter) as client:
        # Imports and connections are made once in a run, so they are not in the figure.
        await asyncio.gather(*map(client.complete, calls(2 * CONCURRENCY, 8)))
        asked = calls(count)
        found = await _timed(lambda: asyncio.gather(*map(client.complete, asked)))
        again = await _timed(lambda: asyncio.gather(*map(client.complete, asked)))
    store.close()
    return {**found, "stored_s": again["wall_s"]}


async def _bare(address: str, asked: Sequence[Call]) -> dict[str, float]:
    """Sends the same requests, encoded before, with aiohttp alone."""
    import aiohttp

    from hdlgraph.llm.endpoint.wire import Dialect

    dialect = Dialect()
    bodies = iter([msgspec.json.encode(dialect.arguments(call)) for call in asked])
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=CONCURRENCY),
        headers={"Content-Type": "application/json"},
    ) as session:

        async def work() -> None:
            for body in bodies:
                async with session.post(f"{address}/chat/completions", data=body) as response:
                    response.raise_for_status()
                    await response.read()

        return await _timed(lambda: asyncio.gather(*(work() for _ in range(CONCURRENCY))))


@contextmanager
def stub_process(answer: str, latency_s: float = LATENCY_S) -> Iterator[str]:
    """Yields the address of a stub that runs as a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "answer.json")
        file.write_text(answer)
        command = child_process.command("hdlgraph.eval.stubs.server", "--answer", str(file))
        process = subprocess.Popen(
            [*command, "--latency", str(latency_s)],
            env=child_process.environment(),
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()
            process.wait()


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures; returns 0 when both are as expected."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.bench.llm", description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument(
        "--limited", action="store_true", help="under a limit: the tokens of each call are counted"
    )
    options = parser.parse_args(arguments)
    found = measure_client(options.calls, limited=options.limited)
    sys.stdout.write(json.dumps({**found, "load": round(os.getloadavg()[0], 2)}, indent=1) + "\n")
    return int(found["overhead_ms"] > OVERHEAD_MS or found["share"] < SHARE)


if __name__ == "__main__":
    raise SystemExit(main())
