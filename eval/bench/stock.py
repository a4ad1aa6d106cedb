"""Runs GraphRAG's own `standard` method as it comes: default prompts, default settings.

    python -m hdlgraph.eval.bench.stock DOCUMENTS.json ADDRESS FOLDER

DOCUMENTS.json maps titles to texts; the models are asked at ADDRESS. Only where things are is set:
the endpoint, the folders, no cache, and the length of the vectors that the endpoint gives.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

DIM = 8
MODEL = {"type": "litellm", "model_provider": "openai", "api_key": "unused"}


def configuration(address: str, folder: Path) -> Any:
    """Returns GraphRAG's defaults with the places of this run."""
    from graphrag.config.models.graph_rag_config import GraphRagConfig

    def model(name: str) -> dict[str, Any]:
        return {**MODEL, "model": name, "api_base": address}

    return GraphRagConfig.model_validate(
        {
            "completion_models": {"default_completion_model": model("gpt-4.1")},
            "embedding_models": {"default_embedding_model": model("text-embedding-3-large")},
            "input_storage": {"base_dir": str(folder)},
            "output_storage": {"base_dir": str(folder / "output")},
            "reporting": {"base_dir": str(folder / "logs")},
            "cache": {"type": "none", "storage": None},
            "vector_store": {
                "type": "lancedb",
                "db_uri": str(folder / "lancedb"),
                "vector_size": DIM,
            },
        }
    )


def build(documents: dict[str, str], address: str, folder: Path) -> dict[str, int]:
    """Builds the index of some documents; returns the number of rows of each table.

    Raises:
        RuntimeError: a workflow failed.
    """
    import graphrag.api
    import graphrag.index.run.run_pipeline as runner
    import pandas as pd

    from hdlgraph.index.graphrag.pipeline import timer

    runner.WorkflowProfiler = timer()  # type: ignore[attr-defined]  # its tracemalloc takes minutes
    titles = sorted(documents)
    frame = pd.DataFrame(
        {
            "id": titles,
            "human_readable_id": range(len(titles)),
            "title": titles,
            "text": [documents[title] for title in titles],
            "creation_date": "",
            "raw_data": None,
        }
    )
    config = configuration(address, folder)
    results = asyncio.run(
        graphrag.api.build_index(config, method="standard", input_documents=frame)
    )
    for result in results:
        if result.error is not None:
            raise RuntimeError(f"GraphRAG workflow {result.workflow}: {result.error}")
    names = ("text_units", "entities", "relationships", "communities", "community_reports")
    output = folder / "output"
    return {name: len(pd.read_parquet(output / f"{name}.parquet")) for name in names}


def main(arguments: list[str]) -> int:
    """Runs a build and prints the number of rows as JSON."""
    documents = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    found = build(documents, arguments[1], Path(arguments[2]))
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # threads of lance would be joined for seconds
