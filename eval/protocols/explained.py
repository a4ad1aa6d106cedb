"""Records what a model would be asked to explain files, and makes explanations of kept answers.

    python -m hdlgraph.eval.protocols.explained record INDEX FOLDER [ANSWERS.jsonl]
    python -m hdlgraph.eval.protocols.explained replay INDEX ANSWERS.jsonl OUT.jsonl

`record` writes each prompt that ANSWERS.jsonl does not answer yet into FOLDER/NAME.txt, and a line
about each into FOLDER/prompts.jsonl; files that are asked about in parts need a second turn, since
their last prompt is made of the answers. An answer has the name and sha256 of its prompt, the
`answer` (an object of the prompt's schema), who answered (`by`) and when (`at`). `replay` sends the
answers the way of a model's answers and writes explanations that `hdlgraph explanations import`
takes; it prints how many names the answers had, and how many of them their files do not have.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hdlgraph.errors import CallError, ErrorKind, telling_errors
from hdlgraph.eval.protocols.judge import read_lines, sha256
from hdlgraph.index.discover.find import find_files
from hdlgraph.index.estimate.estimate import copied
from hdlgraph.index.explain.by_model.ask_file import TwoPasses
from hdlgraph.index.explain.by_model.many_files import Outcome
from hdlgraph.index.progress import Meter, silent
from hdlgraph.index.request import Request
from hdlgraph.index.stages import reading
from hdlgraph.llm.call import Call, Completion
from hdlgraph.llm.tokens import count_messages
from hdlgraph.project import Project
from hdlgraph.settings.records import Settings
from hdlgraph.store.explanations import write_jsonl
from hdlgraph.store.folder import Store


@dataclass
class Kept:
    """Stands where the model is: gives kept answers by their prompt, and keeps what it was asked.

    A prompt without an answer fails as if its time were over, so that the file waits.
    """

    answers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    asked: list[Call] = field(default_factory=list)
    unanswered: list[Call] = field(default_factory=list)

    async def complete(self, call: Call) -> Completion:
        """Returns the answer to a call that is kept.

        Raises:
            CallError: none is kept.
        """
        self.asked.append(call)
        answer = self.answers.get(sha256(call))
        if answer is None:
            self.unanswered.append(call)
            raise CallError("no answer is kept for this prompt", ErrorKind.TIMEOUT)
        return Completion(text=json.dumps(answer["answer"]), model=str(answer["by"]))


def explain(index: Path, model: Kept) -> Outcome:
    """Returns what the answers make of the files of an index; its folder is not touched."""
    root = Project.open(index).root
    plain = Settings()
    settings = replace(plain, explain=replace(plain.explain, explainer="model"))
    with (
        copied(Request(root, index, settings)) as request,
        Meter(silent) as meter,
        Store(request.folder).write() as run,
    ):
        records, _ = reading.parse(request, run, meter, find_files(request, None))
        passes = TwoPasses(request, records)
        return asyncio.run(passes.explain(model, records, lambda _: None))


def _record(given: argparse.Namespace) -> None:
    model = Kept(_answers(given.answers) if given.answers else {})
    explain(given.index, model)
    given.folder.mkdir(parents=True, exist_ok=True)
    with (given.folder / "prompts.jsonl").open("w", encoding="utf-8") as out:
        for call in sorted(model.unanswered, key=lambda one: (one.name, one.user)):
            prompt = sha256(call)
            name = f"{Path(call.name).stem}-{prompt[:8]}"
            (given.folder / f"{name}.txt").write_text(call.user, encoding="utf-8")
            line = {"name": name, "path": call.name, "stage": call.stage, "prompt": prompt}
            out.write(json.dumps({**line, "tokens": count_messages(call)}) + "\n")
    sys.stdout.write(f"{len(model.unanswered)} prompts of {len(model.asked)} wait for an answer\n")


def _replay(given: argparse.Namespace) -> None:
    model = Kept(_answers(given.answers))
    found = explain(given.index, model)
    write_jsonl(found.explanations.values(), given.to)
    sizes = [count_messages(call) for call in model.asked]
    invented = sum(map(len, found.flagged.values()))
    sys.stdout.write(
        f"{len(found.explanations)} files explained, {len(found.fallbacks)} not; "
        f"{sum(sizes) / max(len(found.explanations), 1):.0f} input tokens a file; "
        f"{found.n_names} names, {invented} of them not in their file\n"
    )


def _answers(path: Path) -> dict[str, dict[str, Any]]:
    return {str(one["prompt"]): one for one in read_lines(path)}


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Records prompts or replays answers; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m hdlgraph.eval.protocols.explained")
    kinds = parser.add_subparsers(required=True)
    record, replay = kinds.add_parser("record"), kinds.add_parser("replay")
    for one in (record, replay):
        one.add_argument("index", type=Path, help="index folder")
    record.add_argument("folder", type=Path, help="where the prompts are written")
    record.add_argument("answers", type=Path, nargs="?", help="answers that are there already")
    record.set_defaults(run=_record)
    replay.add_argument("answers", type=Path, help="file of answers")
    replay.add_argument("to", type=Path, help="file of explanations to write")
    replay.set_defaults(run=_replay)
    given = parser.parse_args(arguments)
    given.run(given)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
