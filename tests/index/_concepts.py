"""Files whose concepts a stub tells, and the calls that ask for them."""

from __future__ import annotations

import dataclasses
import re

from _graphs import module, record

from hdlgraph.index.concepts.ask import ask_concepts
from hdlgraph.llm.client import Client, run
from hdlgraph.llm.spend import Spending
from hdlgraph.model import Explanation
from hdlgraph.settings.records import Settings

BLOCK = re.compile(r"<file (\d+)>\n(\S+)\n(.*?)\n</file>", re.S)


def files(count: int):
    return [
        record(f"rtl/f{n:02}.sv", module(f"f{n:02}", ports="clk_i data_o")) for n in range(count)
    ]


def about(records, **changed):
    return {
        r.path: Explanation(path=r.path, purpose=changed.get(r.path, f"Purpose of {r.path}."))
        for r in records
    }


def blocks(body) -> list[tuple[int, str]]:
    text = body["messages"][-1]["content"]
    return [(int(number), path) for number, path, _ in BLOCK.findall(text)]


def answer(body, **more):
    """Answers for each file: the shared idea, one of its own, and a link between them."""
    found = [
        {
            "file": number,
            "concepts": [
                {
                    "concept": "The Flow Controls",
                    "description": f"holds words back in {path}",
                    "element": path[4:7],
                    "relation": "IMPLEMENTS",
                },
                {
                    "concept": f"idea {path[4:7]}",
                    "description": "carries it",
                    "element": "data_o",
                    "relation": "CONNECTS",
                },
            ],
        }
        for number, path in blocks(body)
    ]
    links = [
        {"source": f"idea {path[4:7]}", "target": "flow control", "description": "feeds it"}
        for _, path in blocks(body)
    ]
    return {"files": found, "links": links, **more}


def settings_for(stub, **llm) -> Settings:
    llm = {"provider": "openai", "base_url": stub.base_url, **llm}
    base = Settings()
    return dataclasses.replace(base, llm=dataclasses.replace(base.llm, **llm))


def ask_about(stub, records, told, *, store=None, limits=None, known=None, on_done=None, **llm):
    settings = settings_for(stub, **llm)
    spending = Spending(settings.llm, **(limits or {}))
    client = Client(settings.llm, store, spending, backoff_s=0.001)
    return run(ask_concepts(client, records, told, settings, known=known, on_done=on_done))
