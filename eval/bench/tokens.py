"""Tokens per file against stock GraphRAG: `python -m hdlgraph.eval.bench.tokens`.

All calls go to a counting server on loopback, so what is server is what was really sent. Stock
GraphRAG (`standard`: its own prompts and settings, gleaning and community reports included) and
`--extract llm` read the recorded explanations; hdlgraph writes explanations from the sources and
finds concepts in the recorded ones. Answers: see `replies`. A message counts 4 tokens besides
its text, a JSON schema its text.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import telling_errors
from hdlgraph.eval.bench.replies import Replies, answer_text, stage_of
from hdlgraph.eval.sets.corpora import materialise
from hdlgraph.eval.stubs.server import Stub
from hdlgraph.index.concepts.ask import ask_concepts
from hdlgraph.index.discover.texts import TextReader
from hdlgraph.index.explain.by_model.first_pass import explain_files
from hdlgraph.index.explain.neighbourhood import neighbourhoods
from hdlgraph.llm.call import Model
from hdlgraph.llm.client import Client, run
from hdlgraph.llm.tokens import MESSAGE_TOKENS, count_tokens
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.safety import child_process
from hdlgraph.settings.records import Settings
from hdlgraph.store.design.facts import read_facts
from hdlgraph.store.explanations import read_jsonl, write_jsonl
from hdlgraph.store.folder import Store

EXPLANATIONS = (
    Path(__file__).parents[1] / "data" / "explanations" / "opentitan-2021-sample145.jsonl"
)
CORPUS = "opentitan"
SHARE = 1 / 3
"""Most input tokens of explanations and extraction together, against stock GraphRAG."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage of a system sent and got, over all files."""

    system: str
    stage: str
    calls: int
    input_tokens: int
    output_tokens: int


class CountingServer:
    """The counting server: what each system sent, by stage."""

    def __init__(self, explanations: Mapping[str, Explanation]) -> None:
        self.stub = Stub(Replies(explanations), count=lambda _: 1, dim=8)
        self.stages: list[Stage] = []

    def take(self, system: str) -> None:
        """Ends a system: its requests so far become its stages."""
        calls: Counter[str] = Counter()
        asked: Counter[str] = Counter()
        given: Counter[str] = Counter()
        for body in self.stub.requests:
            stage = stage_of(body)
            calls[stage] += 1
            asked[stage] += request_tokens(body)
            given[stage] += count_tokens(answer_text(self.stub.reply(body)))
        self.stages += [Stage(system, s, calls[s], asked[s], given[s]) for s in calls]
        self.stub.forget()


def request_tokens(body: Mapping[str, Any]) -> int:
    """Returns the input tokens of a chat request."""
    shape = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
    schema = count_tokens(msgspec.json.encode(shape).decode()) if shape else 0
    texts = [message["content"] for message in body["messages"]]
    return sum(count_tokens(text) + MESSAGE_TOKENS for text in texts) + MESSAGE_TOKENS + schema


def read_corpus(root: Path, index: Path | None, work: Path) -> list[FileRecord]:
    """Returns the facts of all files: of an index of the corpus, or read now."""
    if index is None:
        from hdlgraph.index.request import Request
        from hdlgraph.index.run import run_index

        base = Settings()
        settings = dataclasses.replace(
            base,
            embedding=dataclasses.replace(base.embedding, provider="none"),
            graphrag=dataclasses.replace(base.graphrag, enabled="never"),
        )
        index = work / "index"
        run_index(Request(root, index, settings))
    return read_facts(Store(index).hold().folder)


def stock(server: CountingServer, explanations: Mapping[str, Explanation], work: Path) -> None:
    """Runs stock GraphRAG over the explanations, in a process of its own."""
    documents = work / "documents.json"
    documents.write_text(json.dumps({p: one.to_text() for p, one in explanations.items()}))
    folder = work / "stock"
    command = child_process.command("hdlgraph.eval.bench.stock", str(documents))
    done = subprocess.run(
        [*command, server.stub.base_url, str(folder)],
        env=child_process.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    server.take("stock")


def ours(
    server: CountingServer,
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    root: Path,
    settings: Settings,
) -> None:
    """Writes explanations of the files and finds concepts in the recorded ones."""
    around = neighbourhoods(records)
    chosen = [record for record in records if record.path in explanations]

    async def both(model: Model) -> None:
        written = await explain_files(model, chosen, around, TextReader(root), settings)
        assert len(written.explanations) + len(written.skipped) == len(chosen), written.fallbacks
        concepts = await ask_concepts(model, chosen, explanations, settings)
        assert len(concepts.files) == len(chosen), concepts.failed

    run(both(Client(settings.llm)))
    server.take("hdlgraph")


def alone(
    server: CountingServer,
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    settings: Settings,
    work: Path,
) -> None:
    """Builds GraphRAG's tables as `index --extract llm` does."""
    from hdlgraph.index.graphrag.build import build_graphrag
    from hdlgraph.index.link.link import link

    generation = work / "index-llm" / "gen-1"
    chosen = [record for record in records if record.path in explanations]
    link(chosen, explanations).save(generation)
    write_jsonl(explanations.values(), generation / "explanations.jsonl")
    wanted = dataclasses.replace(
        settings,
        extract=dataclasses.replace(settings.extract, method="llm"),
        embedding=dataclasses.replace(settings.embedding, provider="none"),
    )
    build_graphrag(generation.parent, generation, wanted)
    server.take("extract llm")


def table(stages: Sequence[Stage], files: int) -> list[str]:
    """Returns the stages side by side, and what counts."""
    lines = [f"{'system':<12} {'stage':<10} {'calls':>6} {'input/file':>11} {'output/file':>12}"]
    for system in dict.fromkeys(one.system for one in stages):
        own = [one for one in stages if one.system == system]
        rows = [*own, _total(system, "all", own)]
        lines += [
            f"{one.system:<12} {one.stage:<10} {one.calls:>6} {one.input_tokens / files:>11,.1f} "
            f"{one.output_tokens / files:>12,.1f}"
            for one in rows
        ]
    return lines


def _total(system: str, stage: str, stages: Iterable[Stage]) -> Stage:
    rows = list(stages)
    return Stage(
        system,
        stage,
        sum(one.calls for one in rows),
        sum(one.input_tokens for one in rows),
        sum(one.output_tokens for one in rows),
    )


def ratios(stages: Sequence[Stage]) -> dict[str, float]:
    """Returns the shares of input tokens: hdlgraph's by stock GraphRAG's."""

    def total(system: str, *left_out: str) -> int:
        return sum(s.input_tokens for s in stages if s.system == system and s.stage not in left_out)

    whole, bare = total("stock"), total("stock", "report")
    both, concepts = total("hdlgraph"), total("hdlgraph", "explain")
    return {
        "explain + concepts / stock standard": both / whole,
        "explain + concepts / stock without community reports": both / bare,
        "concepts / stock standard": concepts / whole,
        "concepts / stock without community reports": concepts / bare,
    }


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints; returns 1 where the share is missed."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.bench.tokens", description=__doc__)
    parser.add_argument("--explanations", type=Path, default=EXPLANATIONS)
    parser.add_argument("--root", type=Path, help="the sources; default: fetched from PyPI once")
    parser.add_argument("--index", type=Path, help="an index of them; default: read now")
    parser.add_argument("--without", nargs="*", default=(), choices=("stock", "llm"))
    options = parser.parse_args(arguments)
    root = options.root or materialise(CORPUS)
    explanations = read_jsonl(options.explanations)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        records = read_corpus(root, options.index, work)
        explanations = {r.path: explanations[r.path] for r in records if r.path in explanations}
        server = CountingServer(explanations)
        with server.stub:
            base = Settings()
            llm = dataclasses.replace(base.llm, provider="openai", base_url=server.stub.base_url)
            settings = dataclasses.replace(base, llm=llm)
            ours(server, records, explanations, root, settings)
            if "llm" not in options.without:
                alone(server, records, explanations, settings, work)
            if "stock" not in options.without:
                stock(server, explanations, work)
    sys.stdout.write(
        f"{len(explanations)} files\n" + "\n".join(table(server.stages, len(explanations))) + "\n"
    )
    if "stock" in options.without:
        return 0
    found = ratios(server.stages)
    sys.stdout.writelines(f"{name}: {value:.3f}\n" for name, value in found.items())
    good = found["explain + concepts / stock standard"] <= SHARE
    sys.stdout.write(f"target {SHARE:.3f}: {'reached' if good else 'missed'}\n")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
