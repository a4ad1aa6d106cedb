"""Questions whose answer lies on two sides: a section of a document, and the RTL that does it.

    python -m hdlgraph.eval.documents.cross QUESTIONS INDEX [QUESTIONS INDEX ...]

says for how many questions the right section and the right file of RTL stand first and among the
first five, and for how many both do among five and five. `--routing hard` asks the one list alone
that the routing puts first, as an agent does that picks one tool; `--links off` lets neither list
raise what the other leads to; `--each` lists the questions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import QuestionsError, telling_errors
from hdlgraph.model.passage import Passage
from hdlgraph.results import SearchResult
from hdlgraph.safety.safe_files import read_regular

if TYPE_CHECKING:
    from hdlgraph.project import Project

LIMIT = 100_000_000
WITHIN = 5
"""Places of each list in which both sides are looked for."""
DEEP = 10
"""Places of each list that are asked for."""


class JudgedSection(msgspec.Struct, frozen=True):
    """A section that answers: its document, its heading, and the line of that."""

    path: str
    title: str
    line: int = 0


class CrossQuestion(msgspec.Struct, frozen=True):
    """A question with the sections and the files that answer it, the best ones and the others."""

    question: str
    sections: tuple[JudgedSection, ...]
    relevant: tuple[str, ...]
    id: str = ""
    corpus: str = ""
    kind: str = ""
    equivalent_sections: tuple[JudgedSection, ...] = ()
    equivalent: tuple[str, ...] = ()
    note: str = ""


class Ranks(msgspec.Struct, frozen=True):
    """At which place the right section and the right file stand, 0 for neither."""

    id: str
    section: int
    rtl: int


def opened(index: Path, links: bool) -> Project:
    """Returns the project of an index, whose lists raise each other if `links`."""
    from dataclasses import replace

    from hdlgraph.project import Project

    settings = Project.open(index).settings
    documents = replace(settings.documents, links=links)
    project = Project.open(index)
    project.settings = replace(settings, documents=documents)
    return project


def read_cross(path: Path) -> list[CrossQuestion]:
    """Returns the questions of a file.

    Raises:
        QuestionsError: a line is no question, or judges one side alone.
    """
    found = []
    for number, line in enumerate(read_regular(path, LIMIT).splitlines(), 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=CrossQuestion)
        except msgspec.MsgspecError as error:
            raise QuestionsError(f"{path}:{number}: {error}") from error
        if not one.sections or not one.relevant:
            raise QuestionsError(f"{path}:{number}: give `sections` and `relevant`, both sides")
        found.append(one)
    return found


def unknown(project: Project, questions: Sequence[CrossQuestion]) -> list[str]:
    """Returns "id: path" of judged documents and files that the index does not have."""
    documents = {one["path"] for one in project.documents()["documents"]}
    files = project.manifest().files
    out = []
    for one in questions:
        sections = (*one.sections, *one.equivalent_sections)
        missing = [s.path for s in sections if s.path not in documents]
        missing += [path for path in (*one.relevant, *one.equivalent) if path not in files]
        out += [f"{one.id or one.question[:60]}: {path}" for path in missing]
    return out


def ranks(one: CrossQuestion, result: SearchResult) -> Ranks:
    """Returns where the right section and the right file of a question stand in a result."""
    sections = (*one.sections, *one.equivalent_sections)
    files = {*one.relevant, *one.equivalent}
    section = [p.rank for p in result.passages if any(_is(p, s) for s in sections)]
    rtl = [hit.rank for hit in result.hits if files.intersection((hit.path, *hit.copies))]
    return Ranks(one.id, min(section, default=0), min(rtl, default=0))


def _is(found: Passage, judged: JudgedSection) -> bool:
    """Returns whether a passage is a judged section, or a part of it under the same heading."""
    if judged.path not in (found.path, *(place.path for place in found.places)):
        return False
    if found.path == judged.path and found.line <= judged.line <= found.end_line:
        return True
    return found.title in (
        judged.title,
        f"{found.crumbs[0] if found.crumbs else ''}.{judged.title}",
    )


def asked(project: Project, one: CrossQuestion, hard: bool = False) -> SearchResult:
    """Returns what a question finds: both lists, or if `hard` the one that routing puts first."""
    found = project.search(one.question, k=DEEP, passages=DEEP, lines=False, rerank=False)
    if not hard or found.routing is None:
        return found
    if found.routing.first == "passages":
        return msgspec.structs.replace(found, hits=())
    return msgspec.structs.replace(found, passages=())


def summary(found: Sequence[Ranks]) -> dict[str, Any]:
    """Returns the shares of questions whose sides stand first, in five, and both in five."""
    total = max(len(found), 1)

    def share(ranked: Sequence[bool]) -> float:
        return round(sum(ranked) / total, 4)

    both = [0 < one.section <= WITHIN and 0 < one.rtl <= WITHIN for one in found]
    sides = {}
    for side in ("section", "rtl"):
        places = [getattr(one, side) for one in found]
        sides[side] = {
            f"@{k}": share([0 < place <= k for place in places]) for k in (1, WITHIN, DEEP)
        }
    return {"schema": 1, "questions": len(found), **sides, "both@5": share(both)}


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the shares over all sets as JSON; returns 2 on wrong use."""
    options = _arguments(arguments)
    found: list[Ranks] = []
    for questions, index in zip(options.pairs[::2], options.pairs[1::2], strict=True):
        project = opened(Path(index), options.links == "on")
        wanted = read_cross(Path(questions))
        for line in unknown(project, wanted):
            sys.stderr.write(f"cross: {line}: not in the index\n")
        hard = options.routing == "hard"
        found += [ranks(one, asked(project, one, hard)) for one in wanted]
    for one in found if options.each else ():
        sys.stdout.write(f"{one.id}: section {one.section or '-'}, rtl {one.rtl or '-'}\n")
    sys.stdout.write(msgspec.json.encode(summary(found)).decode() + "\n")
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.documents.cross")
    parser.add_argument("pairs", nargs="+", help="QUESTIONS INDEX, as often as wanted")
    parser.add_argument("--routing", choices=("soft", "hard"), default="soft")
    parser.add_argument("--links", choices=("on", "off"), default="on")
    parser.add_argument("--each", action="store_true", help="the places of each question")
    given = parser.parse_args(arguments)
    if len(given.pairs) % 2:
        parser.error("give pairs of a question file and its index")
    return given


if __name__ == "__main__":
    raise SystemExit(main())
