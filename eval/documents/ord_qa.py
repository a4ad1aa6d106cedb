"""Reads a clone of RAG-EDA, the repository of ORD-QA, into documents and judged questions.

    python -m hdlgraph.eval.documents.ord_qa CLONE OUT

writes `OUT/documents/ord-qa.jsonl`, a passage a line, and `OUT/questions.jsonl`. The data has no
licence: it is read where its user put it, and never part of hdlgraph.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import QuestionsError, telling_errors
from hdlgraph.safety.safe_files import read_regular

QUESTIONS, CHUNKS = "ORD-QA.jsonl", "openroad_documentation.json"
SHA256 = {
    QUESTIONS: "9106905ec3cdc739e66e6cee916bc9ffe40cafe21bf18524df20c42b6ab8f7bf",
    CHUNKS: "61381de36c723188047dd6482498889030bb6ddd92a587e35db1637fa0d654d3",
}
"""The two files, as of commit dc7ff02 of lesliepy99/RAG-EDA."""
LIMIT = 50_000_000
FOLDERS = 20_000
"""Entries of a clone that are looked at."""
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)


def convert(clone: Path, out: Path) -> tuple[int, int]:
    """Writes passages and questions; returns how many of each.

    Raises:
        QuestionsError: a file is missing, or another one than is expected.
    """
    chunks = msgspec.json.decode(_file(clone, CHUNKS))
    questions = _file(clone, QUESTIONS).splitlines()
    (out / "documents").mkdir(parents=True, exist_ok=True)
    passages = list(_passages(chunks))
    asked = [msgspec.json.encode(_question(msgspec.json.decode(line))) for line in questions]
    (out / "documents" / "ord-qa.jsonl").write_bytes(b"\n".join(passages) + b"\n")
    (out / "questions.jsonl").write_bytes(b"\n".join(asked) + b"\n")
    return len(passages), len(asked)


def _file(clone: Path, name: str) -> bytes:
    import hashlib

    for number, path in enumerate(sorted(clone.rglob(name))):
        if number > FOLDERS:
            break
        data = read_regular(path, LIMIT)
        if hashlib.sha256(data).hexdigest() == SHA256[name]:
            return data
    raise QuestionsError(
        f"{clone}: no {name} with SHA-256 {SHA256[name][:12]}…; clone lesliepy99/RAG-EDA at commit "
        "dc7ff02"
    )


def _passages(documents: Sequence[Any]) -> Iterator[bytes]:
    """Yields a record for each chunk: its document and headings as titles, its text."""
    for document in documents:
        source = document["source"].replace("_", " ")
        for chunk in document["knowledge"]:
            text = chunk["content"].removeprefix(f"id:{chunk['id']}").strip()
            heading = _HEADING.search(text)
            record = {
                "id": chunk["id"],
                "title": heading[1].strip() if heading else source,
                "crumbs": [source],
                "text": text,
            }
            yield msgspec.json.encode(record)


def _question(one: Any) -> dict[str, Any]:
    return {
        "id": str(one["id"]),
        "question": one["question"].strip(),
        "anchors": one["reference"],
        "answer": one["answer"].replace("\\n", "\n").strip(),
        "type": one["type"],
    }


@telling_errors
def main(arguments: Sequence[str] | None = None) -> None:
    """Converts the clone that the command line names."""
    parser = argparse.ArgumentParser("python -m hdlgraph.eval.documents.ord_qa")
    parser.add_argument("clone", type=Path, help="your clone of RAG-EDA")
    parser.add_argument("out", type=Path, help="folder that is written")
    given = parser.parse_args(arguments)
    passages, questions = convert(given.clone, given.out)
    sys.stdout.write(f"{passages} passages, {questions} questions in {given.out}\n")


if __name__ == "__main__":
    raise SystemExit(main())
