"""The build of GraphRAG's tables, as it runs in its own process.

    python -m hdlgraph.index.graphrag.job JOB.json

It reads a generation folder and writes `output/` (parquet tables and lancedb) and `result.json`
into the folder that the job names. There is no network but to the model of `--extract llm`, whose
key comes from the environment.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import BuildError, HdlgraphError, WeightsMissingError
from hdlgraph.parsers.limits import SCAN_BYTES
from hdlgraph.safety.safe_files import read_head
from hdlgraph.settings.records import Settings

if TYPE_CHECKING:
    from hdlgraph.index.graphrag.inputs import Inputs

CONTROL = re.compile(r"<\|(\w+)\|>")
ANSWERS = "answers"  # a file with a byte for each answer of a model


def run_job(job: dict[str, Any], report: Callable[[dict[str, Any]], None]) -> None:
    """Runs one build in this process and reports {"counts": …} or {"error": …}."""
    out = Path(job["out"])
    usage: list[dict[str, Any]] = []
    try:
        result: dict[str, Any] = {"counts": _build(job, out, usage)}
    except HdlgraphError as error:
        result = {"error": str(error)}
    except MemoryError:
        result = {"error": "out of memory; raise graphrag.memory_mb"}
    report({**result, **({"usage": usage} if usage else {})})


def _build(job: dict[str, Any], out: Path, usage: list[dict[str, Any]]) -> dict[str, Any]:
    """Builds the tables of a job and returns what they hold; costs are added to `usage`."""
    from hdlgraph.index.graphrag.entity_vectors import KEPT, keep
    from hdlgraph.index.graphrag.pipeline import build_tables, load_config
    from hdlgraph.settings.yaml import from_dict

    settings = from_dict(Settings, job["settings"])
    embedder, note = _embedder(settings) if job.get("vectors", True) else (None, "")
    inputs = _inputs(job, settings, embedder, out)
    file = Path(job["settings_file"]) if job["settings_file"] else None
    config = load_config(out / "output", file, embedder.dim if embedder else 384)
    try:
        built = build_tables(inputs, config)
    finally:
        if inputs.talk and inputs.talk.spending:
            usage += [msgspec.to_builtins(one) for one in inputs.talk.spending.by_stage()]
    note = "; ".join(filter(None, (note, inputs.extracted.note(), *inputs.notes)))
    if embedder:
        keep(out / KEPT, embedder.name, built.parts)
    stages = dict(built.stages)
    (out / "build.json").write_text(json.dumps(stages, indent=1), encoding="utf-8")
    return {**built.counts, "embedded": built.embedded, "note": note}


def _inputs(job: dict[str, Any], settings: Settings, embedder: Any, out: Path) -> Inputs:
    """Returns what the build reads: the graph, the explanations, and what is embedded already."""
    from hdlgraph.graph.graph import Graph
    from hdlgraph.index.graphrag.communities.design import design_of
    from hdlgraph.index.graphrag.entity_vectors import KEPT, KeptVectors, SurfaceVectors
    from hdlgraph.index.graphrag.inputs import Inputs
    from hdlgraph.model import Explanation
    from hdlgraph.store.explanations import read_jsonl

    generation = Path(job["generation"])
    graph = Graph.load(generation)
    explained = read_jsonl(generation / "explanations.jsonl")
    names = ("kind", "path", "text")
    heads = {
        path: " ".join(text.split())
        for kind, path, text in zip(*map(graph.nodes.column, names), strict=True)
        if kind == "file" and path
    }
    files = list(heads)
    if not files:
        raise BuildError(f"{generation}: the graph holds no file; run `hdlgraph index`")
    explanations = {p: explained.get(p) or Explanation(path=p, purpose=heads[p]) for p in files}
    name = embedder.name if embedder else ""
    data_type = settings.graphrag.data_type
    drawn, reports = settings.extract.method == "llm", settings.graphrag.reports == "model"
    return Inputs(
        graph,
        explanations,
        _documents(data_type, files, explanations, job),
        settings.graphrag.entities,
        data_type,
        embedder,
        SurfaceVectors(generation, files, name) if embedder else None,
        KeptVectors(Path(job["former"], KEPT), name) if embedder else None,
        talk=_talk(job, settings, out) if drawn or reports else None,
        drawn_by_model=drawn,
        reports_by_model=reports,
        design=design_of(graph, explanations),
    )


def _talk(job: dict[str, Any], settings: Settings, out: Path) -> Any:
    """Returns the model of the build; its key comes from the environment of this process."""
    from hdlgraph.index.graphrag.chat_model import Talk
    from hdlgraph.llm.spend import Spending

    def count(stage: str) -> None:  # noqa: ARG001
        with (out / ANSWERS).open("ab") as file:
            file.write(b".")

    limits = job.get("limits", {})
    talk = Talk(settings, Path(job["index"]), Spending(settings.llm, **limits), count)
    _ = talk.client  # raises before GraphRAG has begun
    return talk


def _embedder(settings: Settings) -> tuple[Any, str]:
    from hdlgraph.index.embed.embedder import load_embedder

    try:
        embedder = load_embedder(settings)
    except WeightsMissingError as error:
        return None, f"tables without vectors: {error}"
    return embedder, "" if embedder else "tables without vectors: embedding.provider is none"


def _documents(
    data_type: str, files: list[str], explanations: dict[str, Any], job: dict[str, Any]
) -> dict[str, str]:
    """Returns the text that stands for each file; it begins with the path in both data types."""
    if data_type == "explanations":
        return {path: _plain(explanations[path].to_text()) for path in files}
    root = Path(job["root"] or _manifest_root(Path(job["generation"]).parent)).resolve()
    found = {}
    for path in files:
        try:
            text = read_head(root, path, SCAN_BYTES)[0].decode("utf-8", "replace")
        except OSError:
            continue  # removed since it was indexed, or replaced: the next run drops it
        found[path] = _plain(f"{path}\n{text}")
    if not found:
        raise BuildError(f"no file of the index can be read below {root}; run `hdlgraph index`")
    return found


def _plain(text: str) -> str:
    """Returns the text without control tokens of language models, at which tiktoken raises."""
    return CONTROL.sub(r"<| \1 |>", text)


def _manifest_root(index_dir: Path) -> str:
    return json.loads((index_dir / "manifest.json").read_text(encoding="utf-8"))["root"]


def main(arguments: list[str]) -> int:
    """Runs the job of a JSON file; returns 0 when the tables are built."""
    job = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    results: list[dict[str, Any]] = []
    run_job(job, results.append)
    Path(job["out"], "result.json").write_text(json.dumps(results[0]), encoding="utf-8")
    return 1 if results[0].get("error") else 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stderr.flush()
    # Threads of lance and litellm would be joined for seconds at an ordinary exit.
    os._exit(code)
