"""Runs several GraphRAG builds and one local search in one process, without network.

    python _graphrag_scenarios.py FOLDER

FOLDER/*.job.json are jobs of `hdlgraph.index.graphrag.job`; the results go to FOLDER/results.json.
"""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", LANCE_LOG="error")
NETWORK = []


def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        NETWORK.append(f"{event} {arguments[1:]}")
        raise OSError("no network in this test")


sys.addaudithook(refuse)

from hdlgraph.index.graphrag.job import run_job  # noqa: E402


def tiny_completion():
    from graphrag_llm.completion import LLMCompletion, register_completion
    from graphrag_llm.types import LLMCompletionChunk, LLMCompletionResponse

    async def pieces(*texts):
        for text in texts:
            delta = {"index": 0, "delta": {"content": text}, "finish_reason": None}
            yield LLMCompletionChunk(
                id="1", object="chat.completion.chunk", created=0, model="tiny", choices=[delta]
            )

    def points(prompt):
        """Answers the map step of a global search with the headings of the reports it is shown."""
        found = sorted(set(re.findall(r"# [^\\n]*", prompt.split("---Data tables---")[1])))
        said = {"points": [{"description": "; ".join(found), "score": 100}]}
        message = {"role": "assistant", "content": json.dumps(said)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return LLMCompletionResponse.model_validate(
            {
                **{"id": "1", "object": "chat.completion", "created": 0, "model": "tiny"},
                "choices": [choice],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        )

    class Tiny(LLMCompletion):
        """Answers the first path of the source table, or what a map step found, word by word."""

        def __init__(self, *, tokenizer, metrics_store, **_):
            self._tokenizer, self._metrics_store = tokenizer, metrics_store

        def completion(self, /, **_):
            raise NotImplementedError

        async def completion_async(self, /, *, messages, stream=False, **_):
            prompt = str(messages[0])
            if not stream:
                return points(prompt)
            if "-----Sources-----" not in prompt:
                return pieces(prompt.split("Importance Score: 100")[1].split("Analyst")[0])
            sources = prompt.split("-----Sources-----")[1]
            path = next(word for word in sources.split() if word.endswith(".sv") or ".sv" in word)

            return pieces("It is ", path.split("|")[-1].split("\\n")[0])

        metrics_store = property(lambda self: self._metrics_store)
        tokenizer = property(lambda self: self._tokenizer)

    register_completion("tiny", Tiny)


def local_search(folder, question):
    import graphrag.api

    from hdlgraph.index.embed.embedder import load_embedder
    from hdlgraph.index.graphrag.pipeline import open_tables
    from hdlgraph.settings.records import Settings

    tiny_completion()
    config, tables = open_tables(folder, load_embedder(Settings()))
    config.completion_models["default_completion_model"].type = "tiny"
    answer, context = asyncio.run(
        graphrag.api.local_search(
            config=config,
            entities=tables["entities"],
            communities=tables["communities"],
            community_reports=tables["community_reports"],
            text_units=tables["text_units"],
            relationships=tables["relationships"],
            covariates=None,
            community_level=2,
            response_type="one sentence",
            query=question,
        )
    )
    frames = {name: frame.to_dict("records") for name, frame in context.items()}
    return {"answer": answer, "context": frames}


def global_search(folder, question):
    import graphrag.api

    from hdlgraph.index.graphrag.pipeline import open_tables

    config, tables = open_tables(folder, None)
    config.completion_models["default_completion_model"].type = "tiny"
    answer, context = asyncio.run(
        graphrag.api.global_search(
            config=config,
            entities=tables["entities"],
            communities=tables["communities"],
            community_reports=tables["community_reports"],
            community_level=0,
            dynamic_community_selection=False,
            response_type="one sentence",
            query=question,
        )
    )
    return {"answer": answer, "reports": context["reports"].to_dict("records")}


def main(folder):
    start, results = Path.cwd(), {}
    for file in sorted(folder.glob("*.job.json")):
        found = []
        job = json.loads(file.read_text())
        Path(job["out"]).mkdir(parents=True)
        run_job(job, found.append)
        results[file.name.split(".")[0]] = found[0]
    assert "counts" in results["first"], results
    question = "Which block stores words until they are read?"
    results["search"] = local_search(folder / "first", question)
    results["global"] = global_search(folder / "first", "How is this design organised?")
    results["cwd"] = Path.cwd() == start
    results["network"] = NETWORK
    (folder / "results.json").write_text(json.dumps(results, default=str))


main(Path(sys.argv[1]))
