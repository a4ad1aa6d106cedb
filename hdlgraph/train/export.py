"""Exports an index as data to train other models on: an embedder, a language model's weights.

    pretrain.jsonl    {"text", "path"}: sources and sections, to go on with a model's pre-training
    pairs.jsonl       {"query", "positive", "negatives"}: for an embedder; also for `train embedder`
    chat.jsonl        {"messages": [system, user, assistant], "path"}: to tune a generator (QLoRA)

Each stands in `train/` and in `valid/`: files are parted by the SHA-256 of their path, so that no
file is on both sides. `export.json` has counts and checksums. The same index gives the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.project import Project
from hdlgraph.safety.safe_files import write_atomic
from hdlgraph.train.targets import plain_searcher

PIECE = 6_000
"""Characters of a piece of source text, some 2,000 tokens."""
VALID = 10
"""One file in so many is kept for validation."""
NEGATIVES = 5
PAIR_CHARS = 300
"""Of a query of a pair."""
SYSTEM = "You explain Verilog and SystemVerilog. Say only what the code shows, and name the lines."
CODE = 4_000
"""Characters of code that a chat shows."""


class Exported(msgspec.Struct, frozen=True):
    """What was written: lines by file, files that were left out and why."""

    folder: str
    counts: dict[str, int]
    left_out: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object."""
        return {"schema": 1, **msgspec.to_builtins(self)}

    def to_text(self) -> str:
        """Returns lines for people."""
        lines = [f"{count:8} lines  {self.folder}/{name}" for name, count in self.counts.items()]
        if self.left_out:
            lines.append(
                f"{len(self.left_out)} files left out, no longer as they were indexed: "
                + ", ".join(self.left_out[:3])
                + (", ..." if self.left_out[3:] else "")
            )
        return "\n".join(lines)


def export(project: Project, out: Path) -> Exported:
    """Writes the data of an index into a folder and returns what was written.

    Args:
        project: its index; sources that changed since are left out.
        out: made where it is missing.

    Raises:
        UsageError: the folder cannot be written.
    """
    texts = _Texts(project)
    made = {
        "pretrain.jsonl": [*_sources(texts), *_sections(project)],
        "pairs.jsonl": list(_pairs(project)),
        "chat.jsonl": list(_chats(project, texts)),
    }
    counts: dict[str, int] = {}
    sums: dict[str, str] = {}
    for name, records in made.items():
        for part in ("train", "valid"):
            chosen = [one for path, one in records if _part(path) == part]
            data = b"".join(msgspec.json.encode(one) + b"\n" for one in chosen)
            _write(out / part / name, data)
            counts[f"{part}/{name}"] = len(chosen)
            sums[f"{part}/{name}"] = hashlib.sha256(data).hexdigest()
    about = {"schema": 1, "counts": counts, "sha256": sums}
    _write(out / "export.json", msgspec.json.format(msgspec.json.encode(about), indent=1) + b"\n")
    return Exported(out.as_posix(), counts, texts.changed)


def _part(path: str) -> str:
    """Returns the side of the split that a path is on."""
    number = int(hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:8], 16)
    return "train" if number % VALID else "valid"


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(f"{path}: cannot be written ({why}); name another folder") from error


class _Texts:
    """The texts of the indexed files, as far as they are as they were indexed."""

    def __init__(self, project: Project) -> None:
        from hdlgraph.index.discover.texts import TextReader

        self._read = TextReader(project.root)
        self._files = project.manifest().files
        self.paths = sorted(self._files)

    def __getitem__(self, path: str) -> str:
        entry = self._files.get(path)
        return self._read(path, entry.sha256) if entry and entry.sha256 else ""

    @property
    def changed(self) -> tuple[str, ...]:
        """Returns the files that are gone, or others now."""
        return tuple(path for path in self.paths if self._files[path].size and not self[path])


def _sources(texts: _Texts) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields (path, record) of the pieces of all sources."""
    for path in texts.paths:
        for piece in pieces(texts[path]):
            yield path, {"text": f"// {path}\n{piece}", "path": path}


def _sections(project: Project) -> Iterator[tuple[str, dict[str, Any]]]:
    from hdlgraph.store.documents.folder import read_documents

    stored = read_documents(project.folder)
    for one in stored.contents.passages if stored else ():
        path = stored.contents.documents[one.places[0].document].path if stored else ""
        head = " > ".join(dict.fromkeys((*one.crumbs, one.title)))
        for piece in pieces(one.text):
            yield path, {"text": f"{head}\n{piece}", "path": path}


def pieces(text: str) -> Iterator[str]:
    """Yields a text in pieces of at most PIECE characters, cut between lines where it can be."""
    held = ""
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), PIECE):
            part = line[start : start + PIECE]
            if held and len(held) + len(part) > PIECE:
                yield held
                held = ""
            held += part
    if held.strip():
        yield held


def _pairs(project: Project) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields what comments say of a file's purpose as a question for the file.

    The negatives are the files that the index ranks first for it besides, copies left out.
    """
    searcher = plain_searcher(project)
    lexicon = searcher.lexicon
    for number, path in enumerate(lexicon.paths):
        query = " ".join(lexicon.summaries[number].split())[:PAIR_CHARS]
        if not lexicon.introduced[number] or len(query.split()) < 3:
            continue
        near = {path, *lexicon.near_copies.get(path, ())}
        order = [lexicon.paths[n] for n in searcher.ranking(query, 1).order]
        wrong = [other for other in order if other not in near][:NEGATIVES]
        yield path, {"query": query, "positive": path, "negatives": wrong}


def _chats(project: Project, texts: _Texts) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields conversations in which a file's code is shown and its explanation is the answer."""
    for path, explanation in sorted(project.explanations().items()):
        code = texts[path][:CODE]
        answer = explanation.to_text().removeprefix(path).strip()
        if code and answer:
            yield path, {"messages": _chat(path, code, answer), "path": path}


def _chat(path: str, code: str, answer: str) -> Sequence[dict[str, str]]:
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"What does {path} do?\n\n```systemverilog\n{code}\n```"},
        {"role": "assistant", "content": answer},
    ]
