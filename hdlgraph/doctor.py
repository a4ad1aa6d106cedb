"""Checks of the installation, the settings and the index, each with its remedy."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hdlgraph.errors import HdlgraphError, IndexMissingError, SettingsError

if TYPE_CHECKING:
    from hdlgraph.settings.records import Settings

Check = dict[str, str]
_ORDER = {"fail": 0, "warn": 1, "ok": 2}
FREE_MB = 500


class Checked(Protocol):
    """The part of a project that the checks read."""

    root: Path
    folder: Path

    @property
    def settings(self) -> Settings:
        """Returns the settings in force."""

    @property
    def settings_file(self) -> Path | None:
        """Returns the settings file that the user named."""

    def status(self) -> dict[str, Any]:
        """Returns the state of the index."""

    def integrity(self) -> dict[str, Any]:
        """Returns who owns the index and which of its files are damaged."""


def check_all(project: Checked) -> list[Check]:
    """Returns checks as {"name", "state": ok | warn | fail, "detail", "remedy"}, worst first."""
    parts = (
        _python,
        _packages,
        _settings,
        _telemetry,
        _network,
        _weights,
        _models,
        _index,
        _integrity,
        _disk,
    )
    found = [check for part in parts for check in part(project)]
    return sorted(found, key=lambda check: _ORDER[check["state"]])


def _check(name: str, state: str, detail: str, remedy: str = "") -> Check:
    return {"name": name, "state": state, "detail": detail, "remedy": remedy}


def _python(_: Checked) -> Iterator[Check]:
    """Yields whether this version of Python is one that hdlgraph runs on."""
    text = ".".join(map(str, sys.version_info[:3]))
    good = (3, 11) <= sys.version_info[:2] < (3, 14)
    remedy = "" if good else "install Python 3.11 to 3.13 and hdlgraph into it"
    yield _check("python", "ok" if good else "fail", f"{text}, {os.cpu_count()} cores", remedy)


def _packages(_: Checked) -> Iterator[Check]:
    """Yields whether all packages that hdlgraph needs are installed in a fitting version."""
    from packaging.requirements import Requirement

    try:
        wanted = [Requirement(line) for line in requires("hdlgraph") or []]
    except PackageNotFoundError:
        yield _check(
            "packages",
            "fail",
            "hdlgraph is not installed",
            "run `pip install -e .` in its checkout",
        )
        return
    bad, count = [], 0
    for requirement in wanted:
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        count += 1
        try:
            have = version(requirement.name)
        except PackageNotFoundError:
            bad.append(f"{requirement.name} is missing")
            continue
        if not requirement.specifier.contains(have, prereleases=True):
            bad.append(f"{requirement.name} is {have}, wanted {requirement.specifier}")
    if bad:
        yield _check("packages", "fail", "; ".join(bad), "run `pip install -U hdlgraph`")
    else:
        yield _check("packages", "ok", f"{count} requirements met")


def _settings(project: Checked) -> Iterator[Check]:
    """Yields whether the settings can be read, and where they are from."""
    try:
        settings = project.settings
    except SettingsError as error:
        yield _check("settings", "fail", str(error), "correct the file or move it away")
        return
    path = project.settings_file or project.root / "settings.yaml"
    where = str(path) if path.is_file() else "defaults"
    yield _check("settings", "ok", f"{where}, embedding by {settings.embedding.provider}")


def _telemetry(_: Checked) -> Iterator[Check]:
    """Yields whether the telemetry of libraries is off."""
    from hdlgraph.safety import telemetry

    switches = telemetry.switched_off()
    loud = [name for name, off in switches.items() if not off]
    if telemetry.LATE:
        detail = "onnxruntime was loaded before hdlgraph and looks its vendor's server up"
        remedy = "import hdlgraph first, or start the program with ORT_DISABLE_TELEMETRY=1"
        yield _check("telemetry", "warn", detail, remedy)
    elif loud:
        detail = f"{', '.join(loud)} changed since hdlgraph was imported"
        yield _check("telemetry", "warn", detail, "let this program leave them as they are")
    else:
        yield _check("telemetry", "ok", f"off: {', '.join(switches)}")


def _network(project: Checked) -> Iterator[Check]:
    """Yields which hosts the present settings send something to."""
    from hdlgraph.llm.outgoing import hosts_text, outgoing

    try:
        yield _check("network", "ok", hosts_text(outgoing(project.settings)))
    except SettingsError:
        return  # told above


def _weights(project: Checked) -> Iterator[Check]:
    """Yields whether the embedding model can be loaded, or its endpoint answers."""
    name = "weights"
    try:
        embedding = project.settings.embedding
        if embedding.provider == "none":
            yield _check(name, "ok", "not needed: embedding.provider is none")
            return
        if embedding.provider == "openai":
            name = "embedding model"
        from hdlgraph.index.embed.embedder import load_embedder

        embedder = load_embedder(project.settings)
        if embedder is None:
            return
        started = time.perf_counter()
        length = len(embedder.embed(["register file"])[0])
        seconds = f", answered in {time.perf_counter() - started:.2f} s"
        detail = f"{embedder.name} gives vectors of {length} numbers"
        if embedding.token_vectors:
            from hdlgraph.index.embed.token_vectors import load_token_encoder

            encoder = load_token_encoder(embedding)
            detail += f"; {encoder.name} of {encoder.question('register file').shape[1]} a token"
        yield _check(name, "ok", detail + (seconds if name == "embedding model" else ""))
    except SettingsError:
        return  # told above
    except HdlgraphError as error:
        yield _check(
            name, "fail", str(error), "or index by words alone: hdlgraph index --no-embeddings"
        )


def _models(project: Checked) -> Iterator[Check]:
    """Yields whether the configured language models answer."""
    try:
        settings = project.settings
    except SettingsError:
        return  # told above
    from hdlgraph.llm.endpoint.checkup import check_models

    yield from check_models(settings)


def _index(project: Checked) -> Iterator[Check]:
    """Yields whether there is an index, and whether it fits the repository."""
    try:
        state = project.status()
    except IndexMissingError as error:
        yield _check("index", "warn", str(error))
        return
    except HdlgraphError as error:
        yield _check("index", "fail", str(error))
        return
    moved = sum(map(len, state["stale"].values()))
    if moved:
        remedy = f"run `hdlgraph index {project.root}`"
        yield _check("index", "warn", f"{moved} files moved since it was made", remedy)
    else:
        yield _check("index", "ok", f"{state['files']} files in {project.folder}")


def _integrity(project: Checked) -> Iterator[Check]:
    """Yields who owns the index, and whether all its files are as they were written."""
    try:
        state = project.integrity()
    except HdlgraphError:
        return  # told above
    detail = (
        f"{state['files']} files of {state['bytes'] / 2**20:.1f} MiB, owned by {state['owner']}"
    )
    if state["damaged"]:
        remedy = f"run `hdlgraph index {project.root}`"
        yield _check("integrity", "fail", f"damaged: {'; '.join(state['damaged'][:5])}", remedy)
    elif not state["own"]:
        remedy = "make one of your own: what a stranger's index says may be false"
        yield _check("integrity", "warn", f"{detail}, not by you", remedy)
    else:
        yield _check("integrity", "ok", f"{detail}, as they were written")


def _disk(project: Checked) -> Iterator[Check]:
    """Yields whether the index folder can be written, and how much space its disk has."""
    place = next(p for p in (project.folder, *project.folder.parents) if p.exists())
    if not os.access(place, os.W_OK):
        yield _check("disk", "fail", f"{place} cannot be written", "choose a folder with --index")
        return
    free = shutil.disk_usage(Path(place)).free // 2**20
    state = "ok" if free >= FREE_MB else "warn"
    yield _check("disk", state, f"{free} MiB free at {place}")
