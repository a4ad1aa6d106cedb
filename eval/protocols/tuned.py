"""Asks a tuned generator through an OpenAI-compatible endpoint: the last step of its recipe.

    python -m hdlgraph.eval.protocols.tuned MODEL.gguf INDEX QUESTION... [--base BASE.gguf]

Each GGUF is served by llama.cpp (`pip install xllamacpp`) on loopback, in a process of its own, and
`hdlgraph`'s own client asks it: the questions over an index, answered by the model from what the
search shows it. With `--base` the model as it was answers too.
"""

from __future__ import annotations

import argparse
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hdlgraph.errors import UsageError, telling_errors
from hdlgraph.safety.child_process import command

NAME = "tuned"
CONTEXT, SHOWN_TOKENS, WRITTEN = 4_096, 900, 96
"""Tokens of the model's context, of the material that it is shown, and of its answer."""


@contextmanager
def served(model: Path) -> Iterator[str]:
    """Yields the address of an endpoint that serves a GGUF; it ends with the block.

    Raises:
        UsageError: the server does not start.
    """
    call = command("hdlgraph.eval.protocols.tuned", "--serve", str(model))
    pipe = subprocess.PIPE
    with subprocess.Popen(call, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().decode().strip()
            if not address:
                raise UsageError(f"{model}: not served; is it a GGUF, and xllamacpp installed?")
            yield f"{address}/v1"
        finally:
            process.kill()


def serve(model: str) -> None:
    """Serves a GGUF until the standard input closes; prints the address first."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {NAME}
    params.port = 0  # a free one
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.sampling.seed = 1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    parent = os.getppid()
    while os.getppid() == parent and not select.select([sys.stdin], [], [], 1)[0]:
        pass
    os._exit(0)


def asked(model: Path, index: Path, questions: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Yields (question, answer, tokens that the model wrote)."""
    from hdlgraph.project import Project

    with served(model) as address, tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "model.yaml")
        settings.write_text(
            "hdlgraph:\n"
            "  llm:\n"
            "    provider: openai\n"
            f"    base_url: {address}\n"
            f"    query_model: {NAME}\n"
            f"    context_tokens: {CONTEXT}\n"
            f"    output_tokens: {WRITTEN}\n"
            "  ask:\n"
            f"    context_tokens: {SHOWN_TOKENS}\n"
            "  documents:\n"
            "    routing: cues\n",
            encoding="utf-8",
        )
        project = Project.open(index, settings)
        for question in questions:
            answer = project.ask(question, writer="model", rerank=False)
            if answer.model != NAME:
                raise UsageError(f"the model gave no answer: {'; '.join(answer.notes)}")
            yield question, answer.text, answer.output_tokens


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0, 2 where the model cannot be served or gives no answer."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["--serve"]:
        serve(given[1])
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.protocols.tuned")
    parser.add_argument("model", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("questions", nargs="+")
    parser.add_argument("--base", type=Path)
    options = parser.parse_args(given)
    for model in filter(None, (options.base, options.model)):
        for question, text, tokens in asked(model, options.index, options.questions):
            sys.stdout.write(f"{model.name}, {tokens} tokens: {question}\n{text}\n\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
