"""Records the prompt that a model would get for each question of a file; no model is asked.

    python -m hdlgraph.eval.protocols.prompts INDEX QUESTIONS.jsonl OUT.jsonl

QUESTIONS.jsonl has one object a line with `id` and `question`; other keys are passed over. Each
line of OUT.jsonl is

    {"id", "question", "system", "user", "tokens", "files", "shown", "confidence", "refused"}

`tokens` counts both messages, `files` are those shown, best first, `shown` has the ranges of lines
of each that stand in the prompt. `refused` says why no model would be asked, "" where one would;
the other values are then empty.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hdlgraph.errors import telling_errors
from hdlgraph.llm.call import Call, Completion
from hdlgraph.llm.tokens import count_messages
from hdlgraph.project import Project
from hdlgraph.query.answer.ask import Writer, answer_call, material_tokens
from hdlgraph.query.answer.context import build_context
from hdlgraph.query.result.weak import weakness


def record(project: Project, question: str) -> dict[str, Any]:
    """Returns the prompt for a question and what is shown in it, as the module says."""
    result = project.search(question, rerank=False)
    out: dict[str, Any] = {
        **{"question": question, "system": "", "user": "", "tokens": 0, "files": [], "shown": {}},
        **{"confidence": result.confidence, "refused": weakness(result)},
    }
    if out["refused"]:
        return out
    budget = material_tokens(project.settings, 0)
    lexicon = project.searcher().lexicon
    context = build_context(question, result, lexicon, project.sources(), budget)
    call = answer_call(question, context, Writer(_Nobody(), project.settings, project.notes))
    return out | {
        **{"system": call.system, "user": call.user, "tokens": count_messages(call)},
        **{"files": list(context.files), "shown": context.shown.ranges},
    }


class _Nobody:
    """Stands where a model would answer."""

    last: Completion | None = None

    def stream(self, call: Call) -> Iterator[str]:
        """Yields nothing."""
        raise AssertionError(f"{call.name}: no model is asked here")


@telling_errors
def main(arguments: Sequence[str] | None = None) -> None:
    """Writes a line for each question."""
    parser = argparse.ArgumentParser(prog="python -m hdlgraph.eval.protocols.prompts")
    parser.add_argument("index", type=Path, help="index folder")
    parser.add_argument("questions", type=Path, help="one object with id and question a line")
    parser.add_argument("out", type=Path, help="file to write")
    given = parser.parse_args(arguments)
    project = Project.open(given.index)
    rows = [json.loads(line) for line in given.questions.read_text("utf-8").splitlines() if line]
    with given.out.open("w", encoding="utf-8") as out:
        for row in rows:
            found = {"id": row["id"], **record(project, row["question"])}
            out.write(json.dumps(found, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
