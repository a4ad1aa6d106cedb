"""The tools that a model may call: what each is for, what it takes, what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hdlgraph.serve.mcp import outline
from hdlgraph.serve.mcp.brief import LIMIT, MOST, brief
from hdlgraph.serve.mcp.relations import relations

if TYPE_CHECKING:
    from hdlgraph.project import Project

Arguments = Mapping[str, Any]

QUESTION = {"type": "string", "minLength": 1, "maxLength": 8000}
NAME = {"type": "string", "minLength": 1, "maxLength": 1000}
CONFIG = {
    "type": "string",
    "maxLength": 60,
    "description": "name of an elaboration that the user made",
}
ENTRIES = {"type": "integer", "minimum": 1, "maximum": MOST, "default": LIMIT}
RERANK = {"type": "boolean", "description": "whether a model orders the best files anew"}
ROLES = ("rtl", "testbench", "formal", "package", "include", "generated", "vendored")


class Tool(NamedTuple):
    """One tool.

    `call` returns an object with the keys of `--json`; `text` writes that for a model that reads
    no JSON; `hint` says what to do where it fails.
    """

    name: str
    description: str
    properties: dict[str, dict[str, Any]]
    required: tuple[str, ...]
    call: Callable[[Project, Arguments], dict[str, Any]]
    text: Callable[[dict[str, Any]], str]
    hint: str

    def schema(self, repositories: Sequence[str] = (), all_at_once: bool = False) -> dict[str, Any]:
        """Returns the JSON schema of the arguments, `repository` among them where there are many.

        Args:
            repositories: the names of the server's repositories, where it has more than one.
            all_at_once: whether a call that names none of them is about all.
        """
        properties, required = dict(self.properties), list(self.required)
        if repositories:
            properties["repository"] = {"type": "string", "enum": list(repositories)}
            if all_at_once:
                properties["repository"]["description"] = "only this one"
            else:
                required.append("repository")
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }


def _search_files(project: Project, given: Arguments) -> dict[str, Any]:
    from hdlgraph.query.result.cards import cards_of

    limit = given.get("limit", 10)
    result = project.search(
        given["question"],
        k=limit,
        roles=given.get("roles", ()),
        fold=given.get("fold", True),
        kind=given.get("kind", "all"),
        passages=min(limit, PASSAGES),
        rerank=given.get("rerank"),
    )
    found = cards_of(result)
    staleness = result.stale.note(str(project.root))
    found["notes"] = [note for note in found["notes"] if note != staleness]  # `stale` says it
    left = found.pop("more_files")
    if left and limit < SEARCHED:
        found["truncated"] = f"the best {len(found['files'])}; for more raise `limit`"
    return brief(found)


PASSAGES = 5
"""The most passages of one search."""
SEARCHED = 50
"""The most files of one search."""


def _ask(project: Project, given: Arguments) -> dict[str, Any]:
    from hdlgraph.query.result.short_answer import short_answer

    # The caller is a model itself: it gets quotations, and no second model is paid to write.
    answer = project.ask(given["question"], writer="extractive", k=10, rerank=given.get("rerank"))
    found = answer.to_dict()
    kept = {key: found[key] for key in ("schema", "answer", "found", "weak", "notes", "stale")}
    if given.get("whole"):
        return brief({**kept, "citations": found["citations"]}, MOST)
    papers = {one.path for one in answer.result.passages}
    short = short_answer(answer.question, answer.text, papers)
    kept["answer"] = short.text
    if short.kept < short.total:
        kept["truncated"] = (
            f"{short.kept} of {short.total} lines of the answer; `whole: true` gives all, "
            "read_lines what stands around a place"
        )
    further = [hit.path for hit in answer.result.hits if hit.path not in answer.text]
    return brief({**kept, "further_files": further[:FURTHER]}, MOST)


FURTHER = 3
"""Files named that a short answer tells nothing of."""


def _show(project: Project, given: Arguments) -> dict[str, Any]:
    name, config = given["name"], given.get("config", "")
    found = project.elaborated_show(name, config) if config else project.show(name)
    return brief(found, given.get("limit", LIMIT))


def _read_lines(project: Project, given: Arguments) -> dict[str, Any]:
    return read_at_most(project.read_lines, given)


def read_at_most(read: Callable[..., dict[str, Any]], given: Arguments) -> dict[str, Any]:
    """Returns lines that `read` gives, no more than the tool says, with where to read on."""
    from hdlgraph.project.reading import LINES

    start, end = given.get("start", 1), given.get("end")
    last = end if end is None else min(end, start - 1 + LINES)
    found = read(given["path"], start, last)
    if last != end and not found["truncated"] and found["end_line"] < found["total_lines"]:
        found["truncated"] = f"read on from line {found['end_line'] + 1}"
    return brief({**found, "notes": []}, MOST)


def _overview(project: Project, given: Arguments) -> dict[str, Any]:
    return brief(
        project.overview(given.get("level", 0)).to_dict(), given.get("limit", 8), wide=True
    )


def _index_status(project: Project, _: Arguments) -> dict[str, Any]:
    return brief({"schema": 1, **project.status()})


TOOLS = (
    Tool(
        "search_files",
        "Find the Verilog/SystemVerilog files that answer a design question, best first. Ask in "
        "plain words or with identifiers. Where a name is known, relations answers in one call.",
        {
            "question": QUESTION,
            "limit": {"type": "integer", "minimum": 1, "maximum": SEARCHED, "default": 10},
            "roles": {
                "type": "array",
                "items": {"type": "string", "enum": list(ROLES)},
                "maxItems": len(ROLES),
            },
            "fold": {"type": "boolean", "default": True, "description": "copies as one card"},
            "kind": {
                "type": "string",
                "enum": ["all", "rtl", "doc", "register"],
                "description": "doc: manuals",
            },
            "rerank": RERANK,
        },
        ("question",),
        _search_files,
        outline.cards,
        "Ask with at least one word or name of the design.",
    ),
    Tool(
        "ask",
        "Answer a design question with quoted source lines and their places: states, reset values, "
        "ports, who drives a signal.",
        {
            "question": QUESTION,
            "whole": {
                "type": "boolean",
                "default": False,
                "description": "3 times as long",
            },
            "rerank": RERANK,
        },
        ("question",),
        _ask,
        outline.answer,
        "Ask with at least one word or name of the design.",
    ),
    Tool(
        "show",
        "Everything known of a name: definition, ports, parameters, instances, parents. Names are "
        "modules, packages, classes, types, macros, files; ports are UNIT.PORT.",
        {
            "name": NAME,
            "limit": {
                **ENTRIES,
                "description": "most entries of a list",
            },
            "config": CONFIG,
        },
        ("name",),
        _show,
        outline.outline,
        "Call search_files to find how it is written.",
    ),
    Tool(
        "relations",
        "Exact answers. who: users. tree: instances below. path: walks to another name. impact: "
        "what a change affects. trace: drivers, loads. fsm: state machines. crossings: CDC. "
        "unused: undriven, unread. testbench: what tests a unit.",
        {
            "kind": {
                "type": "string",
                "enum": [
                    *("who", "tree", "path", "impact", "trace", "fsm", "registers"),
                    *("clocks", "resets", "crossings", "unused", "reach", "testbench"),
                ],
                "description": "tree, registers, unused, testbench: name optional",
            },
            "name": {
                **NAME,
                "description": "trace: UNIT.SIGNAL; registers: BLOCK.REG.FIELD; reach: address in "
                "hex; clocks, resets, crossings, fsm: a unit",
            },
            "to": {**NAME, "description": "path only: the other name"},
            "depth": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "description": "of tree, impact, trace",
            },
            "limit": ENTRIES,
            "config": CONFIG,
        },
        ("kind",),
        relations,
        outline.outline,
        "Call search_files to find how a name is written.",
    ),
    Tool(
        "read_lines",
        "Source lines of an indexed file with their numbers, at most 400 at once.",
        {
            "path": {**NAME, "description": "as search_files gives it"},
            "start": {"type": "integer", "minimum": 1, "default": 1},
            "end": {"type": "integer", "minimum": 1},
        },
        ("path",),
        _read_lines,
        outline.source,
        "Take a path as search_files gives it, and lines that the file has.",
    ),
    Tool(
        "overview",
        "The parts of the whole design, what each is for, how they connect. May take seconds.",
        {
            "level": {
                "type": "integer",
                "minimum": 0,
                "maximum": 10,
                "default": 0,
                "description": "0 is the coarsest",
            },
            "limit": {**ENTRIES, "default": 8},
        },
        (),
        _overview,
        outline.outline,
        "Where the tables cannot be built, use search_files and relations of kind tree.",
    ),
    Tool(
        "index_status",
        "How large and how old the index is, and which files changed since.",
        {},
        (),
        _index_status,
        outline.outline,
        "The index has to be made by the user: `hdlgraph index REPO`.",
    ),
)
