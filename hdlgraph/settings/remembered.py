"""Options of `index` that say what is indexed: the index keeps them for the next run.

An index folder may have come from a stranger. What is remembered there may do no more than the
settings.yaml of a repository may: it names files inside of the repository, loads nothing and
sends nothing.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hdlgraph.safety.printable import visible
from hdlgraph.settings.confine import CHARS, refusal
from hdlgraph.settings.records import EmbeddingSettings, FilesSettings, GraphragSettings

LIST_CHARS = 4_000
"""Most characters of the path of a filelist that is remembered."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of one call of `index`; None and () are those that were not given.

    `filelist` is a path as the user gave it, or relative to the root where it was remembered.
    """

    filelist: Path | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    data_type: str | None = None
    embeddings: bool | None = None
    graphrag: str | None = None

    def over(self, former: Options) -> Options:
        """Returns these options, with those of `former` for what was not given."""
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        given = {name: value for name, value in own.items() if value not in (None, ())}
        return dataclasses.replace(former, **given)

    def unlike(self, given: Options) -> dict[str, Any]:
        """Returns those of these options that `given` does not say itself, as `to_dict`."""
        names = [
            f.name for f in dataclasses.fields(given) if getattr(given, f.name) not in (None, ())
        ]
        return {name: value for name, value in self.to_dict().items() if name not in names}

    def to_dict(self) -> dict[str, Any]:
        """Returns what was given, as it is kept and shown."""
        named: dict[str, Any] = {"filelist": self.filelist.as_posix() if self.filelist else None}
        rest = ("include", "exclude", "data_type", "embeddings", "graphrag")
        named |= {name: getattr(self, name) for name in rest}
        values = {name: list(v) if isinstance(v, tuple) else v for name, v in named.items()}
        return {name: v for name, v in values.items() if v not in (None, [], True)}


def words(options: Mapping[str, Any]) -> str:
    """Returns options, as `Options.to_dict` gives them, as they are written on a command line."""
    return visible(" ".join(_switches(options)))


def _switches(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        if name == "embeddings":
            yield "--no-embeddings"
            continue
        switch = "-f" if name == "filelist" else "--" + name.replace("_", "-")
        for one in value if isinstance(value, list) else [value]:
            yield f"{switch} {shlex.quote(str(one))}"


def keepable(options: Options, root: Path) -> tuple[Options, tuple[str, ...]]:
    """Returns the options that may be remembered, and a line on each of the others.

    Args:
        options: those in force.
        root: the repository, absolute and free of links.
    """
    kept, left = options, []
    for name, field, value in _confined(options):
        why = refusal(field, value)
        if why:
            dropped: dict[str, Any] = {name: () if isinstance(value, tuple) else None}
            kept = dataclasses.replace(kept, **dropped)
            left.append(f"--{name.replace('_', '-')} {why}")
    if options.filelist is not None:
        inside = _inside(options.filelist, root)
        kept = dataclasses.replace(kept, filelist=inside)
        if inside is None:
            left.append(f"-f {options.filelist} lies outside of the repository")
    return kept, tuple(f"not remembered for the next index: {visible(one)}" for one in left)


def lost_list(filelist: str) -> str:
    """Returns what to say where the former run took a filelist that is not remembered."""
    named = visible(filelist[:LIST_CHARS])
    return f"-f {named} of the former run is not remembered: this one takes all files"


def _confined(options: Options) -> Iterator[tuple[str, dataclasses.Field[Any], Any]]:
    """Yields (option, the setting that it stands for, its value as of that setting)."""
    files, tables = _fields(FilesSettings), _fields(GraphragSettings)
    for name, field, value in (
        ("include", files["include"], options.include),
        ("exclude", files["exclude"], options.exclude),
        ("data_type", tables["data_type"], options.data_type),
        ("graphrag", tables["enabled"], options.graphrag),
        (
            "embeddings",
            _fields(EmbeddingSettings)["provider"],
            "none" if options.embeddings is False else None,
        ),
    ):
        if value is not None:
            yield name, field, value


def _fields(record: type) -> dict[str, dataclasses.Field[Any]]:
    return {field.name: field for field in dataclasses.fields(record)}


def _inside(filelist: Path, root: Path) -> Path | None:
    real = Path(os.path.realpath(root / filelist))
    if not real.is_relative_to(root) or len(str(filelist)) > LIST_CHARS:
        return None
    return real.relative_to(root)


def remembered(kept: Mapping[str, Any], root: Path) -> Options:
    """Returns the options that an index keeps; what it may not keep, or is none, is left out.

    Args:
        kept: as it stands in the index, whoever wrote that.
        root: the repository, absolute and free of links.
    """
    tables = _fields(GraphragSettings)
    filelist = kept.get("filelist")
    plain = isinstance(filelist, str) and 0 < len(filelist) <= LIST_CHARS and "\0" not in filelist
    options = Options(
        filelist=Path(filelist) if plain and isinstance(filelist, str) else None,
        include=_texts(kept.get("include")),
        exclude=_texts(kept.get("exclude")),
        data_type=_choice(kept.get("data_type"), tables["data_type"]),
        embeddings=False if kept.get("embeddings") is False else None,
        graphrag=_choice(kept.get("graphrag"), tables["enabled"]),
    )
    return keepable(options, root)[0]


def _texts(value: Any) -> tuple[str, ...]:
    listed = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return tuple(one for one in value if one and len(one) <= CHARS) if listed else ()


def _choice(value: Any, field: dataclasses.Field[Any]) -> str | None:
    return value if isinstance(value, str) and value in field.metadata["choices"] else None
