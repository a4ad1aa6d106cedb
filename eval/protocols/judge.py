"""Records what a model would be asked to put files in order, and replays answers that are kept.

    python -m hdlgraph.eval.protocols.judge record INDEX QUESTIONS.jsonl FOLDER
    python -m hdlgraph.eval.protocols.judge replay INDEX QUESTIONS.jsonl ANSWERS.jsonl [--json]

`record` writes the prompt of each question into FOLDER/ID.txt, and FOLDER/prompts.jsonl with a line
for each: `id`, `prompt` (the SHA-256 of the text), `tokens` (input, counted by o200k_base), `cards`
(paths, in their order). No model is asked.

An answer is one object a line: `id`, `prompt`, `order` (the numbers as answered), `files` (what
they stood for), and who answered (`by`) and when (`at`). `replay` sends each question through the
whole search, which gets the recorded answer. Where the cards are others by now, the files that are
still among them are its order, counted as `stale`; a question without an answer is `unanswered` and
keeps the plain order. It reports recall without and with the answers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hdlgraph.errors import CallError, ErrorKind, telling_errors
from hdlgraph.llm.call import Call
from hdlgraph.llm.session import Request
from hdlgraph.llm.tokens import count_messages
from hdlgraph.project import Project
from hdlgraph.query.assist.assisted import Asks
from hdlgraph.query.assist.cards import paths_of
from hdlgraph.results import SearchResult
from hdlgraph.settings.records import Settings

NOWHERE = "http://127.0.0.1:9/v1"
"""The address of the model: nothing is sent."""
PLACES = (1, 5, 10)
"""Places up to which the right file counts as found."""
PLAIN: dict[str, Any] = {"reword": False, "decompose": False, "kind": "rtl", "lines": False}


@dataclass
class Answers:
    """Stands where the model is: gives recorded answers, and keeps what it was asked.

    `kept` has the recorded answer of each question by its id, `now` is the id that is asked.
    """

    kept: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    now: str = ""
    stale: int = 0
    unanswered: int = 0

    def ask(self, *requests: Request[Any], most_s: float | None = None) -> list[Any]:
        """Returns the recorded answer of each request, or an error where there is none."""
        del most_s  # an answer that is kept is there at once
        return [self._one(request) for request in requests]

    def _one(self, request: Request[Any]) -> Any:
        self.calls.append(request.call)
        one = self.kept.get(self.now)
        if one is not None and one["prompt"] == sha256(request.call):
            return request.check({"order": list(one["order"])})
        numbers = {path: n for n, path in enumerate(paths_of(request.call.user), 1)}
        order = [numbers[path] for path in one["files"] if path in numbers] if one else []
        if not order:
            self.unanswered += 1
            return CallError("no answer is recorded for this prompt", ErrorKind.STOPPED)
        self.stale += 1
        return request.check({"order": order})


def sha256(call: Call) -> str:
    """Returns what a prompt is known by."""
    return hashlib.sha256(call.user.encode()).hexdigest()


def judged(index: Path, answers: Asks, root: Path | None = None) -> Project:
    """Returns the project of an index whose model gives recorded answers."""
    plain = Settings()
    llm = replace(plain.llm, provider="openai", base_url=NOWHERE, query_model="recorded")
    settings = replace(plain, llm=llm)
    project = Project(root or Project.open(index).root, index, settings)
    project.__dict__["session"] = answers  # the property is cached there
    return project


def record(project: Project, answers: Answers, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns what would be asked for a question: the text and its facts; None for no call."""
    answers.calls.clear()
    project.search(row["question"], k=1, rerank=True, **PLAIN)
    if not answers.calls:
        return None
    call = answers.calls[-1]
    return {
        **{"id": row["id"], "prompt": sha256(call), "tokens": count_messages(call)},
        **{"cards": paths_of(call.user), "text": call.user},
    }


def replay(project: Project, answers: Answers, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns recall without and with the answers, the tokens of a question, and the misses."""
    out: dict[str, Any] = {"questions": len(rows)}
    most, total = 0, 0
    ranks: dict[str, list[int]] = {"plain": [], "judged": []}
    misses = []
    for row in rows:
        answers.calls.clear()
        answers.now = row["id"]
        before = project.search(row["question"], k=50, rerank=False, **PLAIN)
        after = project.search(row["question"], k=50, rerank=True, **PLAIN)
        sizes = [count_messages(call) for call in answers.calls]
        total, most = total + sum(sizes), max(most, sum(sizes))
        ranks["plain"].append(place(before, row))
        ranks["judged"].append(place(after, row))
        if ranks["judged"][-1] != 1:
            misses.append({"id": row["id"], "plain": ranks["plain"][-1], "rank": place(after, row)})
    for name, found in ranks.items():
        out[name] = {str(k): round(_share(found, k), 4) for k in PLACES}
    out |= {"stale": answers.stale, "unanswered": answers.unanswered, "misses": misses}
    return {**out, "tokens": round(total / max(len(rows), 1)), "most_tokens": most}


def place(result: SearchResult, row: Mapping[str, Any]) -> int:
    """Returns the place of the first right file, 0 where it is not found.

    A file is right when it is relevant, or when a relevant one was folded into it as a copy.
    """
    wanted = set(row["relevant"])
    found = (hit.rank for hit in result.hits if wanted.intersection((hit.path, *hit.copies)))
    return next(found, 0)


def _share(ranks: Sequence[int], k: int) -> float:
    return sum(0 < rank <= k for rank in ranks) / max(len(ranks), 1)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Returns the objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _record(given: argparse.Namespace) -> None:
    answers = Answers()
    project = judged(given.index, answers)
    given.to.mkdir(parents=True, exist_ok=True)
    with (given.to / "prompts.jsonl").open("w", encoding="utf-8") as out:
        for row in read_lines(given.questions):
            found = record(project, answers, row)
            if found is None:
                continue
            (given.to / f"{row['id']}.txt").write_text(found.pop("text"), encoding="utf-8")
            out.write(json.dumps(found, ensure_ascii=False) + "\n")


def _replay(given: argparse.Namespace) -> None:
    kept = {one["id"]: one for one in read_lines(given.answers)}
    rows = [row for row in read_lines(given.questions) if row["id"] in kept]
    answers = Answers(kept)
    found = replay(judged(given.index, answers), answers, rows)
    if given.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return
    for name in ("plain", "judged"):
        shares = "  ".join(f"@{k} {share:.3f}" for k, share in found[name].items())
        sys.stdout.write(f"{name:8}{shares}\n")
    sys.stdout.write(
        f"{found['questions']} questions, {found['unanswered']} without a recorded answer, "
        f"{found['stale']} with one to other cards, "
        f"{found['tokens']} input tokens a question, {found['most_tokens']} at most\n"
    )
    for miss in found["misses"]:
        sys.stdout.write(f"  {miss['id']}: {miss['plain'] or '-'} > {miss['rank'] or '-'}\n")


@telling_errors
def main(arguments: Sequence[str] | None = None) -> None:
    """Records prompts or replays answers."""
    parser = argparse.ArgumentParser(prog="python -m hdlgraph.eval.protocols.judge")
    kinds = parser.add_subparsers(required=True)
    for name, run in (("record", _record), ("replay", _replay)):
        one = kinds.add_parser(name)
        one.add_argument("index", type=Path, help="index folder")
        one.add_argument("questions", type=Path, help="judged questions, one object a line")
        target = "to" if name == "record" else "answers"
        one.add_argument(target, type=Path, help="folder of prompts, or file of answers")
        one.add_argument("--json", action="store_true", help="print one JSON object")
        one.set_defaults(run=run)
    given = parser.parse_args(arguments)
    given.run(given)


if __name__ == "__main__":
    raise SystemExit(main())
