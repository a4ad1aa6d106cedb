"""What a model would answer to GraphRAG and to hdlgraph, made from the explanations themselves.

Token benchmarks need answers of the right length and form, not a model: GraphRAG sends its
answers back to the model, groups by the names in them and asks for more where names recur. The
names are those that an explanation mentions, its concepts, and its own sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from hdlgraph.model import Explanation

MOST_NAMES = 8  # identifiers listed for one file
DESCRIPTION_WORDS = 22  # of a description
_NAME = re.compile(r"\b[A-Za-z]\w*_\w+\b")
_SENTENCE = re.compile(r"(?<=[.;])\s+|\n")
_BLOCK = re.compile(r"<file (\d+)>\n(\S+)\n(.*?)\n</file>", re.S)


class Replies:
    """Answers chat requests as a model would; `stages` names the kind of each request so far."""

    def __init__(self, explanations: Mapping[str, Explanation]) -> None:
        self.explanations = explanations

    def __call__(self, body: dict[str, Any]) -> str | dict[str, Any]:
        """Returns the answer to a chat request."""
        text = body["messages"][0]["content"]
        match stage_of(body):
            case "extract":
                return extraction(text.rsplit("Text:", 1)[1].split("######")[0].strip())
            case "glean":
                return "<|COMPLETE|>"  # the cheapest honest answer: nothing was missed
            case "summarise":
                descriptions = text.rsplit("Description List:", 1)[-1]
                return " ".join(descriptions.split()[:60])
            case "report":
                return report(text)
            case "concepts":
                return concepts(text)
            case _:
                return self._explain(body["messages"][-1]["content"])

    def _explain(self, text: str) -> dict[str, Any]:
        path = re.search(r"^(?:file|File): *(\S+)", text, re.M)
        about = self.explanations.get(path[1] if path else "")
        about = about or next(iter(self.explanations.values()))
        fields = ("purpose", "behaviour", "interfaces", "parameters", "instances")
        return {**{name: getattr(about, name) for name in fields}, "concepts": about.concepts}


def stage_of(body: Mapping[str, Any]) -> str:
    """Returns what a request asks for: extract, glean, summarise, report, concepts, explain."""
    first = body["messages"][0]["content"]
    if len(body["messages"]) > 1:
        return "glean"
    if "Real Data-" in first:
        return "extract"
    if "Description List:" in first:
        return "summarise"
    if "# Goal" in first and "community" in first:
        return "report"
    return "concepts" if _BLOCK.search(first) else "explain"


def extraction(text: str) -> str:
    """Returns GraphRAG's tuples for one explanation."""
    names, concepts_ = _named(text)
    records = [
        f'("entity"<|>{name.upper()}<|>{kind}<|>{_description(name, text)})'
        for kind, group in (("organization", names), ("event", concepts_))
        for name in group
    ]
    records += [
        f'("relationship"<|>{names[0].upper()}<|>{name.upper()}<|>{_description(name, text)}<|>8)'
        for name in [*names[1:], *concepts_]
    ]
    return "\n##\n".join(records) + "\n<|COMPLETE|>"


def _named(text: str) -> tuple[list[str], list[str]]:
    """Returns (identifiers, concepts) of a document; the file's own name first."""
    path, _, rest = text.partition("\n")
    listed = re.search(r"^Concepts: (.*)$", rest, re.M)
    found = [PurePosixPath(path).stem, *_NAME.findall(rest)]
    concepts_ = [one.strip() for one in listed[1].split(",")] if listed else []
    return list(dict.fromkeys(found))[:MOST_NAMES], list(dict.fromkeys(filter(None, concepts_)))


def _description(name: str, text: str) -> str:
    """Returns the beginning of the first sentence that has the name."""
    sentences = [one for one in _SENTENCE.split(text.partition("\n")[2]) if one.strip()]
    hit = (one for one in sentences if name.lower() in one.lower() and "Concepts:" not in one)
    return " ".join(next(hit, sentences[0] if sentences else name).split()[:DESCRIPTION_WORDS])


def report(text: str) -> dict[str, Any]:
    """Returns a community report of the length that the prompt's example has."""
    words = text.rsplit("Text:", 1)[-1].split()
    finding = " ".join(words[:60])
    return {
        "title": " ".join(words[:6]),
        "summary": " ".join(words[:60]),
        "rating": 5.0,
        "rating_explanation": " ".join(words[:16]),
        "findings": [{"summary": " ".join(words[:8]), "explanation": finding} for _ in range(6)],
    }


def concepts(text: str) -> dict[str, Any]:
    """Returns three concepts and a link for each file of a call of `hdlgraph.index.concepts`."""
    files, links = [], []
    for number, path, excerpt in _BLOCK.findall(text):
        names = excerpt.rsplit("Names: ", 1)[-1].split(", ")
        words = re.findall(r"[a-z]{4,}", excerpt.lower())
        ideas = [" ".join(words[at : at + 3]) for at in (0, 12, 24) if words[at : at + 3]]
        files.append(
            {
                "file": int(number),
                "concepts": [
                    {
                        "concept": idea,
                        "description": " ".join(excerpt.split()[at : at + 12]),
                        "element": names[at % len(names)],
                        "relation": "IMPLEMENTS",
                    }
                    for at, idea in enumerate(ideas)
                ],
            }
        )
        if len(ideas) > 1:
            links.append({"source": ideas[0], "target": ideas[1], "description": f"used in {path}"})
    return {"files": files, "links": links}


def answer_text(answer: str | dict[str, Any]) -> str:
    """Returns an answer as the endpoint sends it."""
    return answer if isinstance(answer, str) else json.dumps(answer)
