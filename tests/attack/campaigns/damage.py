"""Damages indexes: each must heal at the next `index`, or be refused with the remedy."""

from __future__ import annotations

import hashlib
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from campaigns.outcome import Outcome
from hdlgraph.errors import HdlgraphError
from hdlgraph.index.manifest import read_manifest
from hdlgraph.project import Project

DESIGN = Path(__file__).parents[2] / "designs" / "soc"
QUESTION = "which timer counts down?"
REMEDIES = ("hdlgraph index", "correct or delete that line", "delete it", "remove it")


def run(count: int, folder: Path, seed: int) -> list[Outcome]:
    """Returns the outcome of `count` damaged copies of one index."""
    root = folder / "sound"
    shutil.copytree(DESIGN, root)
    _index(root)
    files = sorted(p for p in (root / ".hdlgraph").rglob("*") if p.is_file())
    names = [p.relative_to(root).as_posix() for p in files if p.name not in ("lock", "lease")]
    good, answer = contents(root), _ask(root)
    dice = random.Random(seed)
    failures: list[str] = []
    healed = refused = 0
    started = time.monotonic()
    for number in range(count):
        name = names[number % len(names)]
        harm = dice.choice(sorted(HARMS))
        copy = folder / "copy"
        shutil.copytree(root, copy)
        HARMS[harm](copy / name, dice)
        try:
            said = _attempt(copy)
            if said is None:
                healed += contents(copy) == good and _ask(copy) == answer
                if contents(copy) != good or _ask(copy) != answer:
                    failures.append(f"{harm} {name}: other content after `index`")
            elif any(remedy in said for remedy in REMEDIES):
                refused += 1
            else:
                failures.append(f"{harm} {name}: no remedy in {said!r}")
        except Exception as error:  # a crash is what is looked for
            failures.append(f"{harm} {name}: {type(error).__name__}: {error}")
        shutil.rmtree(copy)
    figure = f"{healed} healed, {refused} refused with the remedy"
    return [Outcome("damaged indexes", count, tuple(failures), figure, time.monotonic() - started)]


def _attempt(root: Path) -> str | None:
    """Returns what refuses the next `index`, None when it ran; a search before may be refused."""
    for command in (_ask, lambda place: Project(place).tree()):
        try:
            command(root)
        except HdlgraphError as error:
            if not any(remedy in str(error) for remedy in REMEDIES):
                return str(error)
    try:
        _index(root)
    except HdlgraphError as error:
        return str(error)
    return None


def _index(root: Path) -> None:
    Project(root).index(embeddings=False, graphrag="never", jobs=1)


def _ask(root: Path) -> list[tuple[str, float]]:
    return [(hit.path, hit.score) for hit in Project(root).search(QUESTION).hits]


def contents(root: Path) -> dict[str, str]:
    """Returns the sha256 of each file of a repository's valid generation."""
    index = root / ".hdlgraph"
    generation = index / f"gen-{read_manifest(index).generation}"
    return {
        file.relative_to(generation).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(generation.rglob("*"))
        if file.is_file()
    }


def _flip(file: Path, dice: random.Random) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(dice.choice((1, 1, 8))):
        if data:
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    file.write_bytes(data)


def _cut(file: Path, dice: random.Random) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: dice.randrange(len(data))] if data else b"")


def _noise(file: Path, dice: random.Random) -> None:
    data = bytearray(file.read_bytes())
    at = dice.randrange(len(data) + 1)
    data[at : at + 64] = dice.randbytes(64)
    file.write_bytes(data)


def _nested(file: Path, dice: random.Random) -> None:
    file.write_bytes(b"[" * 200_000)


HARMS: dict[str, Callable[[Path, random.Random], object]] = {
    "flip": _flip,
    "cut": _cut,
    "noise": _noise,
    "nested": _nested,
    "empty": lambda file, dice: file.write_bytes(b""),
    "remove": lambda file, dice: file.unlink(),
}
