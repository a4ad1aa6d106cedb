"""The command `python -m hdlgraph.eval.answers`: writes answers, and how many citations hold."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from hdlgraph.errors import telling_errors
from hdlgraph.eval.answers.facts import FactCount
from hdlgraph.eval.answers.run import answered, asked_of


@telling_errors
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns 0, 1 where a citation is wrong, 2 on wrong use."""
    options = _arguments(arguments)
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    from hdlgraph.project import Project

    project = Project.open(options.index)
    questions = asked_of(options.questions, options.field)
    cited = wrong = 0
    facts = FactCount()
    with options.out.open("w", encoding="utf-8") as out:
        for record in answered(project, questions, options.writer):
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            bad = [claim for claim in record["checked"] if claim["wrong"]]
            cited += len(record["checked"])
            wrong += len(bad)
            facts += FactCount(**record["facts"])
            for claim in bad:
                place = f"{claim['path']}:{claim['line']}-{claim['end_line']}"
                claim_text = " ".join(claim["text"].split())[:100]
                sys.stdout.write(f"{record['id']}: {place}: {claim['wrong']}: {claim_text}\n")
    share = (cited - wrong) / cited if cited else 1.0
    sys.stdout.write(
        f"{len(questions)} answers, {cited} citations, {wrong} wrong, precision {share:.3f}\n"
    )
    if facts.asked:
        sys.stdout.write(f"{facts}\n")
    return 1 if wrong else 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.answers", description=__doc__)
    parser.add_argument("index", type=Path, help="an index folder")
    parser.add_argument("questions", type=Path, help="one JSON object with a question a line")
    parser.add_argument("out", type=Path, help="where the answers go, one JSON object a line")
    parser.add_argument("--field", default="question", help="key of the question's text")
    parser.add_argument("--writer", default="extractive", help="extractive, auto or model")
    return parser.parse_args(arguments)
