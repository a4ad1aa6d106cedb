"""Damages indexes: each must heal at the next `index`, or be refused with the remedy."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from campaigns.outcome import Outcome
from hdlgraph.errors import HdlgraphError
from hdlgraph.project import Project
from hdlgraph.store.checksums import checksums_of
from hdlgraph.store.manifest import read_manifest, write_manifest

DESIGN = Path(__file__).parents[2] / "designs" / "soc"
HDLGRAPH = str(Path(sys.executable).with_name("hdlgraph"))
QUESTION = "which timer counts down?"
REMEDIES = ("hdlgraph index", "correct or delete that line", "delete it", "remove it")


def run(count: int, folder: Path, seed: int) -> list[Outcome]:
    """Returns the outcomes of damaged copies of an index by words, and of one with vectors."""
    dice = random.Random(seed)
    return [
        _attack(-(-count // 2), folder / "words", dice, embeddings=False),
        _attack(count // 2, folder / "vectors", dice, embeddings=True),
        _craft(max(1, count // 5), folder, dice),
    ]


def _craft(count: int, folder: Path, dice: random.Random) -> Outcome:
    """Returns the outcome of damage with fitting checksums, as a stranger would put it there.

    The answer may be wrong or refused, but no command may end by a signal.
    """
    failures: list[str] = []
    started = time.monotonic()
    for number in range(count):
        copy = folder / "crafted"
        shutil.copytree(folder / ("words", "vectors")[number % 2] / "sound", copy)
        index = copy / ".hdlgraph"
        manifest = read_manifest(index)
        generation = index / f"gen-{manifest.generation}"
        files = sorted(p for p in generation.rglob("*") if p.is_file() and p.stat().st_size)
        file, harm = dice.choice(files), dice.choice(("flip", "noise", "nested", "cut"))
        HARMS[harm](file, dice)
        sums = checksums_of(generation)
        write_manifest(index, msgspec.structs.replace(manifest, checksums=sums))
        for command in (["search", QUESTION], ["ask", QUESTION], ["tree"]):
            called = [HDLGRAPH, *command, "--index", str(copy)]
            done = subprocess.run(called, capture_output=True, timeout=120, check=False)
            if done.returncode not in (0, 1, 2):
                failures.append(f"{harm} {file.name}: {command[0]} ends with {done.returncode}")
        shutil.rmtree(copy)
    return Outcome("crafted indexes", count, tuple(failures), "", time.monotonic() - started)


def _attack(count: int, folder: Path, dice: random.Random, *, embeddings: bool) -> Outcome:
    """Returns the outcome of `count` damaged copies of one index, each file of it in turn."""
    root = folder / "sound"
    shutil.copytree(DESIGN, root)
    _index(root, embeddings)
    files = sorted(p for p in (root / ".hdlgraph").rglob("*") if p.is_file())
    names = [p.relative_to(root).as_posix() for p in files if p.name not in ("lock", "lease")]
    good, answer = contents(root), _ask(root)
    failures: list[str] = []
    healed = 0
    started = time.monotonic()
    for number in range(count):
        name, harm = names[number % len(names)], dice.choice(sorted(HARMS))
        copy = folder / "copy"
        shutil.copytree(root, copy)
        HARMS[harm](copy / name, dice)
        try:
            said = _attempt(copy, embeddings)
            if said is None and (contents(copy), _ask(copy)) == (good, answer):
                healed += 1
            elif said is None:
                failures.append(f"{harm} {name}: other content after `index`")
            elif not any(remedy in said for remedy in REMEDIES):
                failures.append(f"{harm} {name}: no remedy in {said!r}")
        except Exception as error:  # a crash is what is looked for
            failures.append(f"{harm} {name}: {type(error).__name__}: {error}")
        shutil.rmtree(copy)
    figure = f"{healed} healed, {count - healed - len(failures)} refused with the remedy"
    title = f"damaged indexes {'with' if embeddings else 'without'} embeddings"
    return Outcome(title, count, tuple(failures), figure, time.monotonic() - started)


def _attempt(root: Path, embeddings: bool) -> str | None:
    """Returns what refuses the next `index`, None when it ran; a search before may be refused."""
    for command in (_ask, lambda place: Project(place).tree()):
        try:
            command(root)
        except HdlgraphError as error:
            if not any(remedy in str(error) for remedy in REMEDIES):
                return str(error)
    try:
        _index(root, embeddings)
    except HdlgraphError as error:
        return str(error)
    return None


def _index(root: Path, embeddings: bool) -> None:
    Project(root).index(embeddings=embeddings, graphrag="never", jobs=1)


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
