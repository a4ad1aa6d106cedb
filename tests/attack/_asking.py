"""Asks a hostile endpoint in every way in which hdlgraph asks one, and measures the memory.

As a program, `python _asking.py WAYS TIMEOUT_S QUIET_URL NAME=URL...` asks the quiet endpoint in
each way, so that all is loaded, then the others, and prints a line of JSON for each answer.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import replace
from typing import Any

from hdlgraph.errors import CallError, HdlgraphError
from hdlgraph.llm.call import Call
from hdlgraph.settings.records import EmbeddingSettings, LlmSettings, Settings

TOKENS = 4
CALL = Call(stage="explain", name="fifo.sv", model="m", user="Explain it.", max_tokens=TOKENS)
WAYS = ("complete", "stream", "embeddings", "doctor")
MEMORY = 6 << 30  # of the program, so that the machine survives a limit that does not hold


def complete(llm: LlmSettings) -> str:
    """Returns the answer of one call."""
    from hdlgraph.llm.client import Client, run

    return run(Client(llm, backoff_s=1e-5).complete(CALL)).text


def stream(llm: LlmSettings) -> str:
    """Returns the answer of one call, read as a stream."""
    from hdlgraph.llm.client import Client

    return "".join(Client(llm, backoff_s=1e-5).stream(CALL))


def embeddings(llm: LlmSettings) -> str:
    """Returns how many vectors came."""
    from hdlgraph.index.embed import endpoint
    from hdlgraph.index.embed.embedder import load_embedder

    endpoint.TIMEOUT_S, endpoint.BACKOFF_S = llm.timeout_s, 1e-5
    embedding = replace(EmbeddingSettings(), provider="openai", api_base="", model="m", dim=8)
    embedder = load_embedder(Settings(llm=llm, embedding=embedding))
    assert embedder is not None
    return str(len(embedder.embed(["a", "b"])))


def doctor(llm: LlmSettings) -> str:
    """Returns what doctor says of the model; a failing check is an error."""
    from hdlgraph.llm.endpoint import context
    from hdlgraph.llm.endpoint.checkup import check_models

    context.WHOLE_S = llm.timeout_s * 2
    context.served_context.cache_clear()
    context.offered.cache_clear()
    (found,) = check_models(Settings(llm=llm))
    if found["state"] == "fail":
        raise HdlgraphError(found["detail"])
    return found["detail"]


def ask(way: str, url: str, timeout_s: float) -> dict[str, Any]:
    """Returns the outcome of one question: an answer, or the error's kind and message."""
    llm = LlmSettings(
        provider="openai", base_url=url, build_model="m", query_model="m", timeout_s=timeout_s,
        retries=2,
    )  # fmt: skip
    started = time.monotonic()
    found: dict[str, Any] = {"way": way, "kind": "answer", "message": ""}
    try:
        found["message"] = globals()[way](llm)
    except HdlgraphError as error:
        found["message"] = str(error)
        found["kind"] = error.kind if isinstance(error, CallError) else type(error).__name__
    found["seconds"] = time.monotonic() - started
    return found


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(ways: str, timeout_s: str, quiet: str, *asked: str) -> None:
    """Prints the outcomes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for way in ways.split(","):
        ask(way, quiet, 10.0)
    normal = _peak_mb()
    for one in asked:
        name, _, url = one.partition("=")
        for way in ways.split(","):
            found = ask(way, url, float(timeout_s))
            print(json.dumps({"name": name, "mb": _peak_mb() - normal, **found}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
