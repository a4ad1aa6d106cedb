"""What one call of `index` asks for, and the digests that say when its result is out of date."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from hdlgraph import __version__
from hdlgraph.errors import UsageError
from hdlgraph.model.kinds import added
from hdlgraph.settings.records import Settings
from hdlgraph.store.folder import Store

READING = ("model", "index/parse", "index/discover", "safety/safe_files.py")
"""Modules and folders that the facts of a file depend on, besides the readers themselves."""
TERMS = ("words.py", "index/lexical/tokens.py", "index/discover/texts.py")
"""Modules that cut texts into terms; `text/source.py` of the parsers decodes them."""
SHAPES = ("index/near_copies/shape.py", "index/discover/texts.py")
"""Modules that the shape of a file's code depends on, besides `text/source.py`."""
VERIFICATION = (
    *("index/verification", "index/registers/hjson.py", "index/discover/files.py"),
    "store/design/verification.py",
)
"""Modules that read what verification code says, besides `text/source.py`."""
PROGRAM = ("model", "words.py", "graph", "index", "knowledge", "settings", "store")
"""Modules and folders of hdlgraph that turn facts into an index."""


@dataclass(frozen=True)
class Request:
    """One call of `index`: what to read, where to write, and how.

    `fresh` ignores what earlier runs left. `settings_file` is the one the user named: GraphRAG's
    sections of a file that was only found in the repository do not count, nor prompts beside it.
    `plain` leaves out explanations that language models wrote before, `bare` their concepts.
    `max_cost` (USD), `max_tokens` and `batch` (the Batch API) are for the calls of models.
    `options` are those that the index is to remember, `option_notes` notes on them; a `filelist`
    that is not `trusted` was remembered. With `documents` there need not be any Verilog.
    `engine` and `address` say where the work is done, which changes nothing of its result.
    """

    root: Path
    folder: Path
    settings: Settings
    filelist: Path | None = None
    fresh: bool = False
    settings_file: Path | None = None
    plain: bool = False
    bare: bool = False
    max_cost: float | None = None
    max_tokens: int | None = None
    batch: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    option_notes: tuple[str, ...] = ()
    trusted: bool = True
    documents: bool = False
    engine: str = "local"
    address: str | None = None

    @property
    def asks(self) -> bool:
        """Returns whether this run may ask a language model."""
        settings = self.settings
        return settings.explain.explainer == "model" or settings.extract.method != "ast"

    @property
    def prompts(self) -> Path | None:
        """Returns the folder of the user's own prompts: beside the settings file they named."""
        folder = self.settings_file.resolve().parent / "prompts" if self.settings_file else None
        return folder if folder and folder.is_dir() else None

    @cached_property
    def inputs(self) -> str:
        """Returns a digest of everything besides files that an index depends on."""
        steady = dataclasses.replace(
            self.settings,
            parse=dataclasses.replace(self.settings.parse, jobs=0),
            embedding=dataclasses.replace(self.settings.embedding, threads=0, batch=1),
            search=type(self.settings.search)(),
            ask=type(self.settings.ask)(),
            llm=type(self.settings.llm)(),  # what a model wrote counts by its text
            explain=type(self.settings.explain)(),
            extract=type(self.settings.extract)(),
            graphrag=type(self.settings.graphrag)(),
            elaborate=type(self.settings.elaborate)(),
            documents=type(self.settings.documents)(),
        )
        imported = Store(self.folder).imported
        shared = imported.read_bytes() if imported.is_file() else b""
        return _digest(
            (
                steady.digest(),
                program_digest(),
                readers_digest(),
                *added(),
                hashlib.sha256(shared).hexdigest(),
            )
        )

    def reading(self, defines: Iterable[str]) -> str:
        """Returns a digest of what the facts of a file depend on besides file contents."""
        parse = dataclasses.replace(self.settings.parse, jobs=0)
        files = self.settings.files
        return _digest((repr(parse), repr(files), readers_digest(), *map(str, defines)))


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@cache
def program_digest() -> str:
    """Returns a digest of the code that turns facts into an index, so that an upgrade rebuilds."""
    package = Path(__file__).parents[1]
    code = [path for place in PROGRAM for path in _python(package / place)]
    return _code_digest([*code, *sorted((package / "knowledge").rglob("*.txt"))])


def readers_digest() -> str:
    """Returns a digest of the code and the libraries that read facts out of files."""
    from importlib.metadata import version

    import hdlgraph.parsers
    from hdlgraph.parsers.registry import added_readers, load_installed
    from hdlgraph.parsers.registry import readers as all_readers
    from hdlgraph.safety.plugins import code

    package = Path(__file__).parents[1]
    own = [path for place in READING for path in _python(package / place)]
    own.append(package / "knowledge" / "licences.txt")
    readers = [path for folder in hdlgraph.parsers.__path__ for path in _python(Path(folder))]
    load_installed()
    libraries = (f"{name} {version(name)}" for one in all_readers() for name in one.libraries)
    added = (
        f"{one.plugin} {one.plugin.release} {_code_digest(code(one.plugin))}"
        for one in added_readers()
    )
    return _digest((_code_digest([*own, *readers]), *libraries, *added))


def terms_digest() -> str:
    """Returns a digest of the code and the library that cut texts into terms."""
    from importlib.metadata import version

    import hdlgraph.parsers

    package, parsers = Path(__file__).parents[1], Path(hdlgraph.parsers.__path__[0])
    places = [parsers / "text" / "source.py", parsers / "limits.py"]
    places += [package / place for place in TERMS]
    return _digest((_code_digest(places), f"PyStemmer {version('PyStemmer')}"))


def shapes_digest() -> str:
    """Returns a digest of the code that computes the shape of a file's code."""
    import hdlgraph.parsers

    package, parsers = Path(__file__).parents[1], Path(hdlgraph.parsers.__path__[0])
    places = [parsers / "text" / "source.py", parsers / "limits.py"]
    return _code_digest([*places, *(package / place for place in SHAPES)])


def verification_digest() -> str:
    """Returns a digest of the code that reads what verification code says."""
    import hdlgraph.parsers

    package, parsers = Path(__file__).parents[1], Path(hdlgraph.parsers.__path__[0])
    code = [path for place in VERIFICATION for path in _python(package / place)]
    return _code_digest([parsers / "text" / "source.py", *code])


def _python(place: Path) -> list[Path]:
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


def _code_digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256(__version__.encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def check_root(root: Path) -> None:
    """Raises UsageError when `root` is not a folder that can be listed."""
    if not root.exists():
        raise UsageError(f"repository {root}: no such folder")
    if not root.is_dir():
        raise UsageError(f"repository {root}: is a file; name the folder that holds the design")
    try:
        next(root.iterdir(), None)
    except OSError as error:
        raise UsageError(f"repository {root}: cannot be listed ({error.strerror})") from error
