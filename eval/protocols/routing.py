"""Records what a model would be asked to route a question by, and replays answers that are kept.

    python -m hdlgraph.eval.protocols.routing record INDEX QUESTIONS FOLDER [OPTIONS]
    python -m hdlgraph.eval.protocols.routing replay INDEX QUESTIONS ANSWERS [OPTIONS]

Questions are those of `hdlgraph.eval.documents.cross`; one with `after` is a follow-up of the
question of that id, which is asked before it in the same conversation. Options:

    --follow-ups FILE   more questions, that come after those of QUESTIONS
    --answers FILE      (record) answers that are kept: no prompt is written for these questions,
                        and follow-ups come after them as answered
    --no-domains        (replay) leaves out the domains that were answered

`record` writes the prompt of each question into FOLDER/ID.txt, and FOLDER/prompts.jsonl with `id`,
`prompt` (the SHA-256 of the text) and `tokens`. No model is asked.

An answer is one object a line: `id`, `prompt`, `tokens`, `said` (the object as answered), `by`,
`at`. `replay` holds the conversations twice, without a model and with the recorded answers, and
reports the places of both sides as `cross` does; `hard` has the one list alone that comes first.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import CallError, ErrorKind, telling_errors
from hdlgraph.eval.documents.cross import DEEP, CrossQuestion, ranks, read_cross, summary
from hdlgraph.eval.protocols.judge import Answers, judged, read_lines, sha256
from hdlgraph.llm.session import Request
from hdlgraph.llm.tokens import count_messages
from hdlgraph.project import Project
from hdlgraph.query.documents.routing import passages_wanted
from hdlgraph.results import SearchResult
from hdlgraph.settings.records import Settings

OPTIONS: dict[str, Any] = {
    **{"writer": "extractive", "k": DEEP, "lines": False},
    **{"rerank": False, "reword": False, "decompose": False},
}


class Directions(Answers):
    """Stands where the model is: gives recorded routings, and keeps what it was asked."""

    def _one(self, request: Request[Any]) -> Any:
        self.calls.append(request.call)
        one = self.kept.get(self.now)
        if one is None or request.call.stage != "route":
            self.unanswered += 1
            return CallError("no answer is recorded for this prompt", ErrorKind.STOPPED)
        self.stale += one["prompt"] != sha256(request.call)
        return request.check(dict(one["said"]))


def routed(index: Path, model: Directions | None = None, root: Path | None = None) -> Project:
    """Returns the project of an index that has recorded routings, or without them no model."""
    if model is not None:
        project = judged(index, model, root)
    else:
        project = Project(root or Project.open(index).root, index, Settings())
    wide = replace(project.settings.documents, k=DEEP)
    project.settings = replace(project.settings, documents=wide)
    return project


def read_all(paths: Sequence[Path]) -> tuple[dict[str, CrossQuestion], dict[str, str]]:
    """Returns questions by id, and by the id of a follow-up that of the question before it."""
    wanted = {one.id: one for path in paths for one in read_cross(path)}
    rows = [one for path in paths for one in read_lines(path)]
    return wanted, {one["id"]: one["after"] for one in rows if one.get("after")}


def held(
    project: Project,
    model: Directions,
    one: CrossQuestion,
    before: CrossQuestion | None,
) -> tuple[str, SearchResult]:
    """Returns what a question was understood as, and what it found, as the last of its turns."""
    talk = project.chat(**OPTIONS)
    for turn in (before, one):
        if turn is not None:
            model.now = turn.id
            talk.ask(turn.question)
    return talk.turns[-1].asked, talk.turns[-1].answer.result


def replay(
    index: Path, questions: Sequence[Path], model: Directions, root: Path | None = None
) -> dict[str, Any]:
    """Returns the places of both sides without and with the recorded routings, and each case."""
    wanted, after = read_all(questions)
    out: dict[str, Any] = {}
    for name in ("cues", "model"):
        project = routed(index, model if name == "model" else None, root)
        soft, hard, each = [], [], []
        for id in (id for id in wanted if id in model.kept):
            one = wanted[id]
            asked, found = held(project, model, one, wanted.get(after.get(id, "")))
            soft.append(ranks(one, found))
            each.append({**msgspec.to_builtins(soft[-1]), **_shares(found)})
            if id in after:
                each[-1]["asked"] = asked
            dropped = "hits" if each[-1]["first"] == "passages" else "passages"
            hard.append(ranks(one, msgspec.structs.replace(found, **{dropped: ()})))
        out[name] = {"soft": summary(soft), "hard": summary(hard), "each": each}
    return {**out, "stale": model.stale, "unanswered": model.unanswered}


def _shares(found: SearchResult) -> dict[str, Any]:
    """Returns how a question was routed, and how many passages `ask` shows for it."""
    routing = found.routing
    if routing is None:
        return {"first": "files", "by": "none"}
    usual = passages_wanted(routing, Settings().documents.k)
    shares = [routing.rtl, routing.doc, routing.register]
    return {"first": routing.first, "by": routing.by, "shares": shares, "shown": usual}


def record(index: Path, questions: Sequence[Path], model: Directions, folder: Path) -> None:
    """Writes the prompt of each question that has no answer yet."""
    wanted, after = read_all(questions)
    project = routed(index, model)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "prompts.jsonl").open("w", encoding="utf-8") as out:
        for id in (id for id in wanted if id not in model.kept):
            held(project, model, wanted[id], wanted.get(after.get(id, "")))
            call = [call for call in model.calls if call.stage == "route"][-1]
            (folder / f"{id}.txt").write_text(call.user, encoding="utf-8")
            row = {"id": id, "prompt": sha256(call), "tokens": count_messages(call)}
            out.write(json.dumps(row) + "\n")


@telling_errors
def main(arguments: Sequence[str] | None = None) -> None:
    """Records prompts or replays answers."""
    parser = argparse.ArgumentParser(prog="python -m hdlgraph.eval.protocols.routing")
    kinds = parser.add_subparsers(required=True, dest="kind")
    for name in ("record", "replay"):
        one = kinds.add_parser(name)
        one.add_argument("index", type=Path, help="index folder")
        one.add_argument("questions", type=Path, help="questions of two sides")
        one.add_argument("to" if name == "record" else "answers", type=Path)
        one.add_argument("--follow-ups", type=Path, help="more questions, that come after others")
    kinds.choices["record"].add_argument("--answers", type=Path, help="answers that are kept")
    kinds.choices["replay"].add_argument("--no-domains", action="store_true")
    given = parser.parse_args(arguments)
    questions = [path for path in (given.questions, given.follow_ups) if path]
    model = Directions(
        {line["id"]: line for line in read_lines(given.answers)} if given.answers else {}
    )
    if given.kind == "record":
        record(given.index, questions, model, given.to)
        return
    if given.no_domains:
        for answer in model.kept.values():
            answer["said"]["domains"] = []
    sys.stdout.write(json.dumps(replay(given.index, questions, model), indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
