"""The call that asks a model for concepts of some files, and how its answer is read.

The words stand between <file> marks, labelled as data; an answer is checked against the names
that the files declare.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hdlgraph.index.concepts.kept import (
    MAX_DESCRIPTION,
    RELATIONS,
    Concept,
    ConceptLink,
    FileConcepts,
    concept_name,
    declared,
    fitting,
    plain,
)
from hdlgraph.llm.call import Call
from hdlgraph.llm.quote import one_line, quoted
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.model import Explanation, FileRecord, Role
from hdlgraph.settings.records import Settings
from hdlgraph.words import split_identifier

STAGE = "extract"
PROMPT = "extract_concepts"
TEXT_TOKENS = 150  # of an explanation
NAME_TOKENS = 40  # of the names declared in a file
ANSWER_TOKENS = 280  # of the answer for one file, at most
MAX_CONCEPTS = 8  # of one file; the prompt asks for fewer
_IDENTIFIER = re.compile(r"[A-Za-z_][\w$]{1,59}")

_TEXT = {"type": "string"}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


SCHEMA = _object(
    files=_list(
        _object(
            file={"type": "integer"},
            concepts=_list(
                _object(
                    concept=_TEXT,
                    description=_TEXT,
                    element=_TEXT,
                    relation={"type": "string", "enum": list(RELATIONS)},
                )
            ),
        )
    ),
    links=_list(_object(source=_TEXT, target=_TEXT, description=_TEXT)),
)


@dataclass(frozen=True, slots=True)
class FileExcerpt:
    """What the model is shown of a file, and the kinds of the names it may answer with."""

    path: str
    shown: str
    key: str
    kinds: Mapping[str, str]


def file_excerpts(
    records: Sequence[FileRecord],
    explanations: Mapping[str, Explanation],
    settings: Settings,
    prompt: str,
) -> list[FileExcerpt]:
    """Returns what is shown of each explained file: design first, then by path.

    So a budget goes to the design, and neighbours in a folder share a call and its links.
    """
    writer = f"{settings.llm.build_model}\0{prompt}\0"
    found = []
    for record in sorted(records, key=lambda r: (r.role == Role.TESTBENCH.value, r.path)):
        about = explanations.get(record.path)
        if about is None:
            continue
        kinds: dict[str, str] = {}
        for name, kind in declared(record):
            kinds.setdefault(name, kind)
        excerpt = _excerpt(about, kinds)
        key = hashlib.sha256((writer + excerpt).encode()).hexdigest()[:32]
        found.append(FileExcerpt(record.path, excerpt, key, kinds))
    return found


def _excerpt(about: Explanation, kinds: Mapping[str, str]) -> str:
    parts = [about.purpose, ", ".join(about.concepts), about.behaviour, about.interfaces]
    text = " ".join(" ".join(parts).split())
    block = [one_line(about.path, 200), clip_tokens(text, TEXT_TOKENS)]
    listed, left = [], NAME_TOKENS
    for name in _likely(kinds, text):
        left -= count_tokens(" " + name) + 1
        if left < 0:
            break
        listed.append(name)
    if listed:
        block.append(f"Names: {', '.join(listed)}")
    return quoted("\n".join(block), "file")


def _likely(kinds: Mapping[str, str], text: str) -> list[str]:
    """Returns the names that a text most likely speaks of, the best first; the first unit leads."""
    words = set(re.findall(r"[a-z0-9]{3,}", text.lower()))
    names = [name for name, kind in kinds.items() if kind != "routine"]
    names = [name for name in names if _IDENTIFIER.fullmatch(name)]
    shares = {name: len(words.intersection(split_identifier(name))) for name in names[1:]}
    return [*names[:1], *sorted(shares, key=lambda name: -shares[name])]


def call_about(batch: Sequence[FileExcerpt], prompt: str, settings: Settings) -> Call:
    """Returns the one call about some files; they are numbered from 1."""
    blocks = [f"<file {n}>\n{file.shown}\n</file>" for n, file in enumerate(batch, 1)]
    more = f" and {len(batch) - 1} more" if len(batch) > 1 else ""
    return Call(
        stage=STAGE,
        name=batch[0].path + more,
        model=settings.llm.build_model,
        user=prompt.format(files="\n\n".join(blocks)),
        schema=SCHEMA,
        max_tokens=max(settings.llm.output_tokens, ANSWER_TOKENS * len(batch)),
        temperature=settings.llm.temperature,
    )


def read_answer(
    raw: dict[str, Any], count: int
) -> tuple[dict[int, list[dict[str, Any]]], list[ConceptLink]]:
    """Returns (concepts by the number of their file, links) of an answer about `count` files.

    Raises:
        ValueError: it speaks of none of the files.
    """
    files = raw.get("files")
    found: dict[int, list[dict[str, Any]]] = {}
    for one in files if isinstance(files, list) else []:
        number = one.get("file") if isinstance(one, dict) else None
        if isinstance(number, str) and number.strip().isdecimal():
            number = int(number)
        if count == 1 and isinstance(one, dict):
            number = 1  # whatever it was called, it can be no other
        listed = one.get("concepts") if isinstance(one, dict) else None
        if isinstance(number, int) and 1 <= number <= count and isinstance(listed, list):
            found.setdefault(number, []).extend(c for c in listed if isinstance(c, dict))
    if not found:
        raise ValueError(f'"files" must list the {count} files by number, each with "concepts"')
    links = raw.get("links")
    return found, [_link(one) for one in (links if isinstance(links, list) else [])]


def _link(raw: Any) -> ConceptLink:
    get = raw.get if isinstance(raw, dict) else {}.get
    ends = concept_name(get("source")), concept_name(get("target"))
    return ConceptLink(*ends, plain(get("description"), MAX_DESCRIPTION))


def concepts_of(
    file: FileExcerpt, raw: Sequence[dict[str, Any]], links: Sequence[ConceptLink], model: str
) -> FileConcepts:
    """Returns the concepts of a file, cleaned; elements that it does not declare are dropped."""
    folded: dict[str, str] = {}
    for name in file.kinds:
        folded.setdefault(name.casefold(), name)
    found: dict[str, Concept] = {}
    unknown = 0
    for one in raw:
        name = concept_name(one.get("concept", one.get("name")))
        if not name or name in found or len(found) == MAX_CONCEPTS:
            continue
        asked = plain(one.get("element"), 100).rpartition(".")[2].strip("`'\"")
        element = asked if asked in file.kinds else folded.get(asked.casefold(), "")
        unknown += bool(asked) and not element
        relation = fitting(one.get("relation"), file.kinds.get(element, ""))
        description = plain(one.get("description"), MAX_DESCRIPTION)
        found[name] = Concept(name, description, element, relation)
    joined = {(k.source, k.target): k for k in reversed(links) if k.source in found}
    return FileConcepts(
        path=file.path,
        key=file.key,
        model=model,
        concepts=tuple(found.values()),
        links=tuple(
            link for ends, link in sorted(joined.items()) if ends[1] and ends[0] != ends[1]
        ),
        unknown=unknown,
    )
