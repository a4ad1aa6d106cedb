"""Reads `.f` filelists: nested lists, incdirs, defines, library folders, comments, variables.

pyslang's driver reads them too, but it opens files outside the repository and keeps no order
of what it read, so this small reader of our own serves instead.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hdlgraph.errors import UsageError

_COMMENT = re.compile(r"/\*[\s\S]*?\*/|(?<![:\w])//[^\n]*|(?:^|(?<=\s))#[^\n]*")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_WITH_VALUE = frozenset({"-top", "--top", "-timescale", "--timescale", "-L", "-work", "-l", "-o"})


@dataclass(frozen=True, slots=True)
class FileList:
    """What a filelist names; paths relative to the root, POSIX, in the order of the lists.

    `outside` are paths beyond the root: mentioned, never read. `missing` do not exist.
    """

    files: tuple[str, ...]
    incdirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _State:
    root: Path
    variables: Mapping[str, str]
    files: list[str] = field(default_factory=list)
    incdirs: list[str] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    libraries: list[Path] = field(default_factory=list)
    suffixes: list[str] = field(default_factory=list)


def read_filelist(path: Path, root: Path, variables: Mapping[str, str] | None = None) -> FileList:
    """Returns what the filelist at `path` names.

    Args:
        path: the list; entries of it and of `-f` lists are relative to the folder of the first
            list, those of `-F` lists to their own folder. An entry that does not exist there is
            tried relative to the root.
        root: the repository root; nothing outside is read.
        variables: values for `$NAME`; the process environment when omitted.

    Raises:
        UsageError: the list cannot be read, or lists include each other in a circle.
    """
    root = root.resolve()
    state = _State(root, os.environ if variables is None else variables)
    _read(path.resolve(), path.resolve().parent, state, ())
    _add_libraries(state)
    return FileList(
        files=tuple(dict.fromkeys(state.files)),
        incdirs=tuple(dict.fromkeys(state.incdirs)),
        defines=tuple(dict.fromkeys(state.defines)),
        outside=tuple(dict.fromkeys(state.outside)),
        missing=tuple(dict.fromkeys(state.missing)),
        notes=tuple(dict.fromkeys(state.notes)),
    )


def _read(path: Path, base: Path, state: _State, above: tuple[Path, ...]) -> None:
    if path in above:
        chain = " -> ".join(p.name for p in (*above[above.index(path) :], path))
        raise UsageError(f"{path.name}: filelists include each other: {chain}; remove one -f")
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        reason = error.strerror or "cannot be read"
        raise UsageError(f"{path}: {reason}; pass an existing filelist") from error
    words = iter(_words(text))
    for word in words:
        word = _expand(word, state)
        if word in ("-f", "-F", "-file"):
            nested = _expand(next(words, ""), state)
            if not nested:
                state.notes.append(f"{path.name}: {word} without a file")
                continue
            target = _place(nested, base, state)
            if target is None:
                state.outside.append(nested)
            else:
                _read(target, target.parent if word == "-F" else base, state, (*above, path))
        else:
            _entry(word, words, base, state)


def _words(text: str) -> list[str]:
    text = _COMMENT.sub(" ", text.replace("\\\r\n", " ").replace("\\\n", " "))
    try:
        return shlex.split(text, posix=True)
    except ValueError:
        return text.split()


def _entry(word: str, words, base: Path, state: _State) -> None:  # type: ignore[no-untyped-def]
    if word.startswith("+incdir+"):
        for part in filter(None, word[len("+incdir+") :].split("+")):
            _incdir(part, base, state)
    elif word.startswith("-I") and len(word) > 2:
        _incdir(word[2:], base, state)
    elif word.startswith("+define+"):
        state.defines += [part for part in word[len("+define+") :].split("+") if part]
    elif word.startswith("-D") and len(word) > 2:
        state.defines.append(word[2:])
    elif word.startswith("+libext+"):
        state.suffixes += [part for part in word[len("+libext+") :].split("+") if part]
    elif word == "-y":
        folder = _place(_expand(next(words, ""), state), base, state)
        if folder is not None:
            state.libraries.append(folder)
    elif word == "-v":
        _file(_expand(next(words, ""), state), base, state)
    elif word in _WITH_VALUE:
        next(words, "")
    elif not word.startswith(("-", "+")):
        _file(word, base, state)


def _expand(word: str, state: _State) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2] or match[3]
        found = state.variables.get(name)
        if found is None:
            state.notes.append(f"${name} is not set")
            return ""
        return found

    return _VARIABLE.sub(value, word)


def _place(name: str, base: Path, state: _State) -> Path | None:
    """Returns the resolved path of an entry, or None when it lies outside of the root."""
    if not name:
        return None
    first = (base / name).resolve()
    candidates = [first, (state.root / name.lstrip("/")).resolve()]
    inside = [path for path in candidates if path.is_relative_to(state.root)]
    existing = [path for path in inside if path.exists()]
    if existing:
        return existing[0]
    return first if first.is_relative_to(state.root) else None


def _incdir(name: str, base: Path, state: _State) -> None:
    path = _place(name, base, state)
    if path is None:
        state.outside.append(name)
    else:
        state.incdirs.append(_relative(path, state))


def _file(name: str, base: Path, state: _State) -> None:
    path = _place(name, base, state)
    if path is None:
        state.outside.append(name)
    elif not path.is_file():
        state.missing.append(_relative(path, state))
    else:
        state.files.append(_relative(path, state))


def _relative(path: Path, state: _State) -> str:
    relative = path.relative_to(state.root).as_posix()
    return "" if relative == "." else relative


def _add_libraries(state: _State) -> None:
    suffixes = tuple(state.suffixes) or (".v", ".sv")
    for folder in state.libraries:
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                if path.suffix in suffixes and path.is_file():
                    state.files.append(_relative(path, state))
