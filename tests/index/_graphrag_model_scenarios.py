"""Runs GraphRAG builds by a model and a local search in one process, against the stub endpoint.

    python _graphrag_model_scenarios.py FOLDER

FOLDER/gen-1 is a generation; the results go to FOLDER/results.json.
"""

import asyncio
import dataclasses
import json
import os
import sys
from pathlib import Path

os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", LANCE_LOG="error", STUB_KEY="sesame")
NETWORK = []


def watch(event, arguments):
    if event == "socket.connect" and not str(arguments[1]).startswith("('127.0.0.1'"):
        NETWORK.append(str(arguments[1]))


sys.addaudithook(watch)

from hdlgraph.eval.stubs.faults import seeded  # noqa: E402
from hdlgraph.eval.stubs.server import Stub  # noqa: E402
from hdlgraph.index.graphrag.job import run_job  # noqa: E402
from hdlgraph.settings.records import Settings  # noqa: E402


def named(path):
    stem = path.split("/")[-1].split(".")[0]
    records = [
        f'("entity"<|>{path}<|>file<|>The file)',
        f'("entity"<|>{stem}<|>module<|>The {stem} of {path})',
        f'("entity"<|>{stem}<|>instance<|>Once as an instance)',
        '("entity"<|>Flow control<|>concept<|>Words wait until they are read)',
        f'("relationship"<|>{path}<|>{stem}<|>[DEFINES] declares<|>9)',
        f'("relationship"<|>{stem}<|>flow control<|>[IMPLEMENTS] does it<|>often)',
        f'("relationship"<|>{stem}<|>nobody<|>[CONNECTS] dangling<|>1)',
        "(broken",
    ]
    return "\n##\n".join(records) + "\n<|COMPLETE|>"


def reply(body):
    """Answers as a model does; nothing about pair.sv."""
    first = body["messages"][0]["content"]
    if "-Real Data-" in first:
        path = first.rsplit("Text: ", 1)[1].split("\n")[0]
        return "It holds nothing to list." if "pair" in path else named(path)
    if body.get("stream"):
        return "It is " + next(word for word in first.split() if "fifo.sv" in word)
    return "Summary of both."


def refuse_summaries(number, body):
    return "refusal" if "-Real Data-" not in body["messages"][0]["content"] else None


def refuse_one(number, body):
    return "refusal" if "lib/a/cell.sv" in body["messages"][0]["content"] else None


def report(body):
    """Answers as a model that words the report of a community, with a key too many."""
    finding = {"summary": "It buffers", "explanation": "Words wait in rtl/fifo.sv.", "extra": 1}
    said = {
        **{"title": "Buffering", "summary": "Parts that hold words back.", "rating": 5.0},
        **{"rating_explanation": "", "findings": [finding], "extra": 1},
    }
    return json.dumps(said)


def settings(stub, *, reports=False, **llm):
    llm = {"provider": "openai", "base_url": stub.base_url, "key_env": "STUB_KEY", **llm}
    base = Settings()
    return dataclasses.replace(
        base,
        llm=dataclasses.replace(base.llm, **llm),
        extract=dataclasses.replace(base.extract, method="ast" if reports else "llm"),
        graphrag=dataclasses.replace(base.graphrag, reports="model" if reports else "facts"),
    )


def run(folder, name, stub, index="", limits=None, file="", **llm):
    stub.forget()
    job = {
        "generation": str(folder / "gen-1"),
        "root": "",
        "settings": dataclasses.asdict(settings(stub, **llm)),
        "settings_file": file,
        "former": str(folder / "none"),
        "out": str(folder / name),
        "index": str(folder / (index or f"index-{name}")),
        "limits": limits or {},
    }
    Path(job["out"]).mkdir()
    Path(job["index"]).mkdir(exist_ok=True)
    found = []
    run_job(job, found.append)
    models = sorted({body["model"] for body in stub.requests})
    return {**found[0], "sent": stub.calls, "answered": stub.answered, "models": models}


def local_search(folder, stub, question):
    import graphrag.api

    from hdlgraph.index.embed.embedder import load_embedder
    from hdlgraph.index.graphrag.pipeline import open_tables

    stub.forget()
    ours = settings(stub)
    place = folder / "index-faulty" / "graphrag"
    (folder / "faulty").rename(place)
    config, tables = open_tables(place, load_embedder(ours), settings=ours)
    said = []
    for _ in range(2):
        answer, _ = asyncio.run(
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
        said.append(answer)
    place.rename(folder / "faulty")
    body = stub.requests[0]
    return {"answers": said, "sent": stub.calls, "model": body["model"], "stream": body["stream"]}


def config_of(file):
    from hdlgraph.index.graphrag.pipeline import load_config

    found = load_config(file.parent / "output", file)
    section = found.extract_graph
    models = [model.type for model in found.completion_models.values()]
    return [section.entity_types, section.max_gleanings, section.prompt, models]


def main(folder):
    results = {}
    with Stub(reply=reply, key="sesame") as stub:
        stub.faults = seeded(3, {"503": 0.2, "reset": 0.1})
        results["faulty"] = run(folder, "faulty", stub)
        stub.faults = None
        results["again"] = run(folder, "again", stub, "index-faulty")
        results["other_model"] = run(folder, "other", stub, "index-faulty", build_model="other")
        results["search"] = local_search(folder, stub, "Which block stores words?")
        stub.faults = refuse_summaries
        results["no_summary"] = run(folder, "no_summary", stub)
        stub.faults = refuse_one
        results["one_refused"] = run(folder, "one_refused", stub)
        stub.faults = None
        stub.reply = report
        results["reports"] = run(folder, "reports", stub, reports=True)
        stub.faults = lambda number, body: "refusal"
        results["reports_refused"] = run(folder, "reports_refused", stub, reports=True)
        stub.faults, stub.reply = None, reply
        results["budget"] = run(folder, "budget", stub, limits={"max_tokens": 6000})
        stub.reply = lambda body: "Nothing."
        results["nothing"] = run(folder, "nothing", stub)
        (folder / "own" / "prompts").mkdir(parents=True)
        (folder / "own" / "prompts" / "extract_graph.txt").write_text("{input_text} {a, b}")
        file = folder / "own" / "settings.yaml"
        file.write_text("extract_graph:\n  max_gleanings: 2\n", encoding="utf-8")
        results["prompt"] = run(folder, "prompt", stub, file=str(file))
        os.environ["STUB_KEY"] = "wrong"
        results["wrong_key"] = run(folder, "wrong_key", stub)
        results["reports_wrong_key"] = run(folder, "reports_wrong_key", stub, reports=True)
    results["config"] = config_of(folder / "own" / "settings.yaml")
    results["network"] = NETWORK
    leaks = [p for p in folder.rglob("*") if p.is_file() and b"sesame" in p.read_bytes()]
    results["leaks"] = [str(path) for path in leaks]
    (folder / "results.json").write_text(json.dumps(results, default=str))


main(Path(sys.argv[1]))
sys.stdout.flush()
os._exit(0)
