"""Figures of the server for language models: `python -m hdlgraph.eval.bench.mcp --index DIR`.

Starts `hdlgraph mcp` as a coding agent does and asks with the official client over stdio: the time
to the first answer from a cold start, the times of warm calls, calls a second, and the tokens
(cl100k) of each answer, as text and as the object beside it, whichever a client shows its model.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import WeightsMissingError, telling_errors
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.safety.child_process import command, environment

if TYPE_CHECKING:
    import tiktoken
    from mcp import Client

FIRST_S, WARM_S, TOKENS, ANSWER = 2.5, 0.120, {10: 1_300, 20: 2_500}, 1_500
"""What is expected: seconds to the first answer, the median of warm calls, tokens by cards, and of
an answer that is not wanted whole."""
QUESTIONS = Path(__file__).parents[1] / "data" / "opentitan-2021.jsonl"
TABLE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
COLD_STARTS, AT_ONCE = 3, 4


@lru_cache(maxsize=1)
def encoder() -> tiktoken.Encoding:
    """Returns the tokeniser cl100k, from the table that litellm carries; nothing is fetched.

    Raises:
        WeightsMissingError: the table is not on this machine.
    """
    spec = find_spec("litellm")
    places = (spec.submodule_search_locations or ()) if spec else ()
    for place in places:
        folder = Path(place, "litellm_core_utils", "tokenizers")
        table = folder / TABLE
        if table.is_file() and hashlib.sha256(table.read_bytes()).hexdigest() == SHA256:
            import tiktoken

            os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
            return tiktoken.get_encoding("cl100k_base")
    raise WeightsMissingError("the table of cl100k is not here: install litellm, which carries it")


def tokens(text: str) -> int:
    """Returns how many tokens a text has."""
    return len(encoder().encode(text, disallowed_special=()))


def answer_tokens(result: Any) -> dict[str, int]:
    """Returns the tokens of a result: of its blocks of text, and of its object as JSON."""
    text = "\n".join(block.text for block in result.content)
    encoded = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
    return {"text": tokens(text), "object": tokens(encoded)}


def measure(index: Path, questions: Sequence[str], rounds: int = 1) -> dict[str, Any]:
    """Returns the figures of a server for an index.

    Args:
        index: the index folder.
        questions: what is asked.
        rounds: how often all of them are asked for the times of warm calls.
    """
    return asyncio.run(_measured(index, questions, rounds))


async def _measured(index: Path, questions: Sequence[str], rounds: int) -> dict[str, Any]:
    firsts = [await _first(index, questions[0]) for _ in range(COLD_STARTS)]
    async with _client(index) as client:
        sizes = await _sizes(client, questions)
        times = []
        for question in list(questions) * rounds:
            started = time.perf_counter()
            await _search(client, question)
            times.append(time.perf_counter() - started)
        a_second = await _a_second(client, questions)
    times.sort()
    return {
        "first_s": round(statistics.median(firsts), 2),
        "first_s_each": [round(one, 2) for one in firsts],
        "warm_p50_ms": round(1000 * statistics.median(times), 1),
        "warm_p99_ms": round(1000 * times[min(len(times) - 1, int(len(times) * 0.99))], 1),
        "calls": len(times),
        "calls_a_second": round(a_second, 1),
        "tokens": sizes,
        "load": round(os.getloadavg()[0], 2),
    }


def _client(index: Path) -> Client:
    """Returns a client that starts the server as its child, with what it says kept off ours."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    python, *arguments = command("hdlgraph.serve.start", "mcp", "--index", str(index))
    started = StdioServerParameters(command=python, args=arguments, env=environment())
    return Client(stdio_client(started, errlog=Path(os.devnull).open("w")))


async def _search(client: Client, question: str, limit: int = 10) -> Any:
    result = await client.call_tool("search_files", {"question": question, "limit": limit})
    assert not result.is_error, result.content
    return result


async def _first(index: Path, question: str) -> float:
    started = time.perf_counter()
    async with _client(index) as client:
        await _search(client, question)
        return time.perf_counter() - started


async def _sizes(client: Client, questions: Sequence[str]) -> dict[str, Any]:
    """Returns the median and the most tokens of answers, by tool and number of cards."""
    found: dict[str, Any] = {}
    for limit in TOKENS:
        given = [answer_tokens(await _search(client, one, limit)) for one in questions]
        found[f"search_files of {limit}"] = _spread(given)
    for name, more in (("ask", {}), ("ask, whole", {"whole": True})):
        asked = [await client.call_tool("ask", {"question": one, **more}) for one in questions]
        found[name] = _spread([answer_tokens(one) for one in asked])
    listed = await client.list_tools()
    schemas = [tool.model_dump_json(exclude_none=True) for tool in listed.tools]
    found["the tools themselves"] = tokens("\n".join(schemas))
    return found


def _spread(given: Sequence[Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {
        kind: {"median": int(statistics.median(sizes)), "most": max(sizes)}
        for kind in ("text", "object")
        for sizes in [[one[kind] for one in given]]
    }


async def _a_second(client: Client, questions: Sequence[str]) -> float:
    """Returns the calls that a server answers in a second, so many in hand at a time."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(question: str) -> None:
        async with room:
            await _search(client, question)

    started = time.perf_counter()
    await asyncio.gather(*map(one, questions))
    return len(questions) / (time.perf_counter() - started)


def as_expected(found: Mapping[str, Any]) -> bool:
    """Returns whether the figures are as good as they should be."""
    limits = {f"search_files of {cards}": most for cards, most in TOKENS.items()}
    sizes = [
        found["tokens"][name][kind]["most"] <= most
        for name, most in {**limits, "ask": ANSWER}.items()
        for kind in ("text", "object")
    ]
    return all(sizes) and found["first_s"] <= FIRST_S and found["warm_p50_ms"] <= 1000 * WARM_S


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures as JSON; returns 0 when they are as expected, else 1."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.bench.mcp", description=__doc__)
    parser.add_argument("--index", type=Path, required=True, help="an index folder")
    parser.add_argument("--questions", type=Path, default=QUESTIONS, help="a set of questions")
    parser.add_argument("--most", type=int, default=40, help="questions that are asked")
    options = parser.parse_args(arguments)
    questions = [one.text for one in read_questions(options.questions)][: options.most]
    found = measure(options.index, questions)
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    return int(not as_expected(found))


if __name__ == "__main__":
    raise SystemExit(main())
