"""Kills of `hdlgraph index` at random moments: of the process group, of main, of one child.

After each kill the former generation must answer as before, no process may be left, and the next
run must leave the index that an undisturbed run leaves, byte for byte.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from hdlgraph.errors import HdlgraphError, IndexMissingError
from hdlgraph.eval.bench.process import hdlgraph_command
from hdlgraph.project import Project
from hdlgraph.store.manifest import read_manifest

from .outcome import Outcome
from .processes import members, survivors

DESIGN = Path(__file__).parents[2] / "designs" / "soc"
KINDS = ("group", "main", "worker")
QUESTION = "where are received bytes buffered?"
LIMIT_S = 300.0
TIMES = ("generation", "checked_ns", "stages", "peak_memory_mb")
"""What differs in the manifests of two equal indexes."""


MODES = {"embeddings": (), "no embeddings": ("--no-embeddings",)}


def run(
    count: int, folder: Path, seed: int, copies: int = 3, modes: Sequence[str] = tuple(MODES)
) -> list[Outcome]:
    """Kills `count` runs, a third each of group, main and worker, as many in each mode.

    Args:
        count: how many runs are killed.
        folder: where the repository and its indexes are made.
        seed: of the moments.
        copies: how many times the design is in the repository.
        modes: names of MODES.
    """
    root = folder / "repo"
    for number in range(copies):
        copy_design(root, number)
    sites = [Site(root, folder / name, MODES[name]) for name in modes]
    for site in sites:
        site.prepare_former()
    edit(root)
    for site in sites:
        site.prepare_wanted()
    tallies: dict[str, Tally] = defaultdict(Tally)
    for number in range(count):
        kind, site = KINDS[number % 3], sites[number // 3 % len(sites)]
        name = f"kill {kind}, {site.folder.name}"
        fresh = (number + number // 6) % 2 == 0
        attack(site, kind, fresh, random.Random(f"{seed}-{number}"), tallies[name])
    return [tally.outcome(name) for name, tally in sorted(tallies.items())]


def copy_design(root: Path, number: int) -> None:
    """Adds a copy of the design; from the second on its modules have names of their own."""
    target = root / f"block{number}"
    shutil.copytree(DESIGN, target)
    files = [path for path in sorted(target.rglob("*")) if path.suffix in (".v", ".sv", ".svh")]
    texts = {path: path.read_text() for path in files}
    heads = re.compile(r"^\s*(?:module|package|interface)\s+(\w+)", re.M)
    names = {name for text in texts.values() for name in heads.findall(text)}
    if number:
        words = re.compile(r"\b(" + "|".join(sorted(names)) + r")\b")
        for path, text in texts.items():
            path.write_text(words.sub(rf"\1_{number}", text))


def edit(root: Path) -> None:
    """Changes a file, adds one, removes one and renames one."""
    files = [path for path in sorted((root / "block0").rglob("*.sv")) if path.parent.name == "rtl"]
    changed, removed, renamed = files[:3]
    changed.write_text(f"// edited\n{changed.read_text()}\nmodule added_unit; endmodule\n")
    removed.unlink()
    renamed.rename(renamed.with_name("renamed.sv"))
    (root / "added.sv").write_text("module added(input clk); added_unit u_unit (); endmodule\n")


@dataclass
class Tally:
    """What the kills of one kind did: failures, and the seconds after which they came."""

    failures: list[str] = field(default_factory=list)
    moments: list[float] = field(default_factory=list)
    seconds: float = 0.0
    kept: int = 0

    def outcome(self, name: str) -> Outcome:
        """Returns the row of the table."""
        at = f"after {min(self.moments):.1f} to {max(self.moments):.1f} s"
        middle = f"median {statistics.median(self.moments):.1f}"
        figure = f"{at}, {middle}; {self.kept} before the index was valid"
        tried = len(self.moments)
        return Outcome(name, tried, tuple(self.failures), figure, self.seconds)


@dataclass
class Site:
    """One index folder: what an undisturbed run makes of the repository, before and after edits."""

    root: Path
    folder: Path
    options: tuple[str, ...]
    durations: dict[bool, float] = field(default_factory=dict)
    """Seconds of an undisturbed run by whether it starts from nothing."""
    wanted: dict[str, Any] = field(default_factory=dict)
    former_hits: list[tuple[str, float]] = field(default_factory=list)
    wanted_hits: list[tuple[str, float]] = field(default_factory=list)

    def prepare_former(self) -> None:
        """Indexes the repository as it is before the edits."""
        self.finish(self.start())
        shutil.copytree(self.folder, self.former)

    def prepare_wanted(self) -> None:
        """Indexes the repository as it is after the edits, from nothing and from before."""
        for fresh in (True, False):
            self.reset(fresh)
            started = time.monotonic()
            said = self.finish(self.start())
            if said:
                raise RuntimeError(f"an undisturbed run failed: {said}")
            self.durations[fresh] = time.monotonic() - started
            found = content(self.folder)
            if not fresh and (wrong := difference(found, self.wanted)):
                raise RuntimeError(f"an undisturbed update differs from a new index: {wrong}")
            self.wanted = found
        self.wanted_hits = hits(self.root, self.folder)
        self.former_hits = hits(self.root, self.former)

    @property
    def former(self) -> Path:
        """Returns the copy of the index from before the edits."""
        return self.folder.with_name(f"{self.folder.name} before")

    def reset(self, fresh: bool) -> None:
        """Puts back what was there before the run."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if not fresh:
            shutil.copytree(self.former, self.folder)

    def start(self) -> subprocess.Popen[bytes]:
        """Starts a run in a session of its own."""
        given = ["index", str(self.root), "--index", str(self.folder), "--graphrag", "never"]
        return subprocess.Popen(
            [*hdlgraph_command(), *given, *self.options],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def finish(self, main: subprocess.Popen[bytes]) -> str:
        """Waits for a run; returns what it says where its exit code is not 0."""
        _, said = main.communicate(timeout=LIMIT_S)
        return f"exit code {main.returncode}: {said.decode()[-300:]}" if main.returncode else ""


def attack(site: Site, kind: str, fresh: bool, rng: random.Random, tally: Tally) -> None:
    """Kills one run and looks at what it leaves."""
    started = time.monotonic()
    moment, main = strike(site, kind, fresh, rng)
    # A run that lost a child goes on, and ends well.
    said = site.finish(main) if kind == "worker" else ""
    problems = [said] if said else []
    problems += [f"alive: {line}" for line in survivors(main.pid).values()]
    with suppress(ProcessLookupError):
        os.killpg(main.pid, signal.SIGKILL)
    main.communicate()
    valid = generation(site.folder)
    before = int(not fresh)
    tally.kept += valid == before
    problems += looked(site, fresh, valid == before)
    if kind == "worker" and not said and valid == before:
        problems.append("exit code 0, but nothing was written")
    if again := site.finish(site.start()):
        problems.append(f"next run: {again}")
    elif wrong := difference(content(site.folder), site.wanted):
        problems.append(f"after the next run {wrong}")
    about = f"{'new index' if fresh else 'update'}, killed after {moment:.2f} s: "
    tally.failures += [about + problem for problem in problems]
    tally.moments.append(moment)
    tally.seconds += time.monotonic() - started


def strike(
    site: Site, kind: str, fresh: bool, rng: random.Random
) -> tuple[float, subprocess.Popen[bytes]]:
    """Starts a run and kills of it what `kind` says; returns after how many seconds."""
    while True:
        site.reset(fresh)
        moment = rng.uniform(0, site.durations[fresh])
        started = time.monotonic()
        main = site.start()
        time.sleep(moment)
        if kind == "group":
            os.killpg(main.pid, signal.SIGKILL)
        elif kind == "main":
            main.kill()
        elif not strike_child(main, rng):
            site.finish(main)
            continue
        spent = time.monotonic() - started
        if kind != "worker":
            main.wait()
        return spent, main


def strike_child(main: subprocess.Popen[bytes], rng: random.Random) -> bool:
    """Kills one child of a run, the first that comes where none is there; False without any."""
    while main.poll() is None:
        children = sorted(set(members(main.pid)) - {main.pid})
        with suppress(IndexError, ProcessLookupError):
            os.kill(rng.choice(children), signal.SIGKILL)
            return True
        time.sleep(0.005)
    return False


def looked(site: Site, fresh: bool, is_former: bool) -> list[str]:
    """Returns what is wrong with the index that a killed run left."""
    if is_former and fresh:
        return []
    wanted = site.former_hits if is_former else site.wanted_hits
    problems = []
    try:
        if hits(site.root, site.folder) != wanted:
            problems.append("a search of what it left finds other files")
    except (HdlgraphError, OSError, ValueError) as error:
        problems.append(f"a search of what it left: {error}")
    if not is_former and (wrong := difference(content(site.folder), site.wanted)):
        problems.append(f"it left {wrong}")
    return problems


def hits(root: Path, folder: Path) -> list[tuple[str, float]]:
    """Returns what a search finds in an index."""
    found = Project(root, folder).search(QUESTION)
    return [(hit.path, hit.score) for hit in found.hits]


def generation(folder: Path) -> int:
    """Returns the number of the valid generation, 0 where there is none."""
    try:
        return read_manifest(folder).generation
    except IndexMissingError:
        return 0


def content(folder: Path) -> dict[str, Any]:
    """Returns all that two equal indexes have in common: files of the generation, manifest."""
    manifest = msgspec.to_builtins(read_manifest(folder))
    place = folder / f"gen-{manifest['generation']}"
    files = [path for path in sorted(place.rglob("*")) if path.is_file()]
    stated = {f"manifest {key}": x for key, x in manifest.items() if key not in TIMES}
    return stated | {str(path.relative_to(place)): path.read_bytes() for path in files}


def difference(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Returns the names under which two indexes differ, "" where they are equal."""
    names = sorted(found.keys() | wanted.keys())
    wrong = [name for name in names if found.get(name) != wanted.get(name)]
    return f"differs in {', '.join(wrong)}" if wrong else ""
