"""Reads `.f` filelists: nested lists, incdirs, defines, library folders, comments, variables.

pyslang's driver reads them too, but it opens files outside the repository and keeps no order
of what it read, so this small reader of our own serves instead.

A list that was found in a repository may be hostile: it expands no variables, and what is wrong
with it is noted and skipped. A list that the user named, and the lists that it names in turn, are
trusted: they expand variables, except those that look like secrets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hdlgraph.errors import UsageError
from hdlgraph.parsers.filelist_words import words as words_of
from hdlgraph.safety.printable import is_plain, visible
from hdlgraph.safety.safe_files import read_inside, read_regular, reason_of

LIST_BYTES = 4_000_000
"""Larger lists are not read."""
LISTS = 1_000
"""Most lists that are read; each counts once."""
LISTS_DEEP = 64
"""Most lists that name each other in a chain."""
WORDS = 200_000
"""Most words of all lists together."""
WORD_CHARS = 100_000
PATH_CHARS = 4_000
FOLDERS = 2_000
"""Most include folders; as many defines count."""

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")
_SECRET = re.compile("KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH", re.IGNORECASE)
_WITH_VALUE = frozenset({"-top", "--top", "-timescale", "--timescale", "-L", "-work", "-l", "-o"})


@dataclass(frozen=True, slots=True)
class FileList:
    """What a filelist names; paths relative to the root, POSIX, in the order of the lists.

    `outside` are paths beyond the root: mentioned, never read. `missing` do not exist. `expanded`
    are the variables that were expanded.
    """

    files: tuple[str, ...]
    incdirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    expanded: tuple[str, ...] = ()


@dataclass(slots=True)
class _Open:
    """A list that is being read, with the folder its entries are relative to."""

    path: Path
    base: Path
    words: Iterator[str]


@dataclass(slots=True)
class _State:
    root: Path
    variables: Mapping[str, str]
    found: bool
    secrets: Collection[str]
    files: list[str] = field(default_factory=list)
    incdirs: list[str] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    libraries: list[Path] = field(default_factory=list)
    suffixes: list[str] = field(default_factory=list)
    begun: set[tuple[Path, Path]] = field(default_factory=set)
    expanded: list[str] = field(default_factory=list)
    taken: int = 0
    """Words so far."""


def read_filelist(
    path: Path,
    root: Path,
    variables: Mapping[str, str] | None = None,
    *,
    found: bool = False,
    secrets: Collection[str] = (),
) -> FileList:
    """Returns what the filelist at `path` names.

    Args:
        path: the list; entries of it and of `-f` lists are relative to the folder of the first
            list, those of `-F` lists to their own folder. An entry that does not exist there is
            tried relative to the root.
        root: the repository root; nothing outside is read.
        variables: values for `$NAME`; the process environment when omitted.
        found: whether the list was found in the repository instead of named by the user: then
            no variable has a value, and of what cannot be read only the first list is an error.
        secrets: names of variables that are never expanded, besides those that look like it.

    Raises:
        UsageError: the list cannot be read, or lists include each other in a circle.
    """
    root = root.resolve()
    values = os.environ if variables is None else variables
    state = _State(root, {} if found else values, found, secrets)
    _read(Path(os.path.realpath(path)), state)
    _add_libraries(state)
    return FileList(
        files=tuple(dict.fromkeys(state.files)),
        incdirs=_most(state.incdirs, "include folders", state),
        defines=_most(state.defines, "defines", state),
        outside=tuple(dict.fromkeys(state.outside)),
        missing=tuple(dict.fromkeys(state.missing)),
        notes=tuple(dict.fromkeys(state.notes)),
        expanded=tuple(dict.fromkeys(state.expanded)),
    )


def _most(items: list[str], what: str, state: _State) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(items))
    if len(distinct) > FOLDERS:
        state.notes.append(f"{len(distinct)} {what}, only the first {FOLDERS} count")
    return distinct[:FOLDERS]


def _read(path: Path, state: _State) -> None:
    """Reads a list and all that it names, in the order of their words."""
    first = _begin(path, path.parent, state, [])
    stack = [first] if first else []
    while stack:
        top = stack[-1]
        word = next(top.words, None)
        if word is None:
            stack.pop()
            continue
        state.taken += 1
        if state.taken > WORDS:
            state.notes.append(f"more than {WORDS} words; the rest is not read")
            return
        word = _expand(word, state)
        if word in ("-f", "-F", "-file"):
            inner = _nested(word, top, state, stack)
            if inner is not None:
                stack.append(inner)
        elif _is_usable(word, WORD_CHARS, state):
            _entry(word, top.words, top.base, state)


def _nested(word: str, top: _Open, state: _State, stack: list[_Open]) -> _Open | None:
    nested = _expand(next(top.words, ""), state)
    if not nested:
        state.notes.append(f"{top.path.name}: {word} without a file")
        return None
    target = _place(nested, top.base, state)
    if target is None:
        return None
    return _begin(target, target.parent if word == "-F" else top.base, state, stack)


def _begin(path: Path, base: Path, state: _State, stack: list[_Open]) -> _Open | None:
    """Returns an opened list; None for one that is skipped, which is noted."""
    above = [one.path for one in stack]
    if path in above:
        names = " -> ".join(p.name for p in (*above[above.index(path) :], path))
        _wrong(f"{path.name}: filelists include each other: {names}; remove one -f", state)
        return None
    # Read once more it would name the same again.
    if (path, base) in state.begun:
        return None
    state.begun.add((path, base))
    if len(state.begun) > LISTS or len(stack) >= LISTS_DEEP:
        limit = f"{LISTS_DEEP} deep" if len(stack) >= LISTS_DEEP else f"{LISTS} in all"
        state.notes.append(f"{path.name}: not read: filelists beyond {limit}")
        return None
    if state.found and not path.is_relative_to(state.root):
        raise UsageError(f"{path.name}: leads out of the repository")
    try:
        if stack or state.found:
            data = read_inside(state.root, _relative(path, state), LIST_BYTES)
        else:
            data = read_regular(path, LIST_BYTES)
    except OSError as error:
        reason = reason_of(error, path)
        if stack:
            _wrong(f"{path}: {reason}; pass an existing filelist", state)
            return None
        raise UsageError(f"{path}: {reason}; pass an existing filelist") from error
    return _Open(path, base, iter(words_of(data.decode("utf-8", errors="replace"))))


def _wrong(message: str, state: _State) -> None:
    """Refuses a list of the user's; of one found in the repository it is noted."""
    if not state.found:
        raise UsageError(message)
    state.notes.append(message.partition(";")[0])


def _is_usable(word: str, limit: int, state: _State) -> bool:
    if len(word) <= limit and is_plain(word):
        return True
    why = "too long" if len(word) > limit else "not UTF-8 or with control characters"
    state.notes.append(f"entry skipped, {why}: {visible(word[:60])}")
    return False


def _entry(word: str, words: Iterator[str], base: Path, state: _State) -> None:
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
        if state.found:
            state.notes.append(
                f"${name} is not expanded in a filelist of the repository; name it with -f to do so"
            )
            return ""
        if _SECRET.search(name) or name in state.secrets:
            state.notes.append(f"${name} is not expanded: its name is that of a secret")
            return ""
        found = state.variables.get(name)
        if found is None:
            state.notes.append(f"${name} is not set")
            return ""
        state.expanded.append(name)
        return found

    return _VARIABLE.sub(value, word) if "$" in word else word


def _place(name: str, base: Path, state: _State) -> Path | None:
    """Returns the resolved path of an entry; None when it is noted instead.

    An entry that lies outside of the root is one of `outside`.
    """
    if not name or not _is_usable(name, PATH_CHARS, state):
        return None
    first = Path(os.path.realpath(base / name))
    try:
        for path in (first, Path(os.path.realpath(state.root / name.lstrip("/")))):
            if path.is_relative_to(state.root) and path.exists():
                return path if _is_usable(_relative(path, state), PATH_CHARS, state) else None
    except OSError as error:  # a name longer than the system allows
        state.notes.append(f"entry skipped, {error.strerror}: {visible(name[:60])}")
        return None
    if first.is_relative_to(state.root):
        return first
    state.outside.append(name)
    return None


def _incdir(name: str, base: Path, state: _State) -> None:
    path = _place(name, base, state)
    if path is not None:
        state.incdirs.append(_relative(path, state))


def _file(name: str, base: Path, state: _State) -> None:
    path = _place(name, base, state)
    if path is None:
        return
    if not path.is_file():
        state.missing.append(_relative(path, state))
    else:
        state.files.append(_relative(path, state))


def _relative(path: Path, state: _State) -> str:
    relative = path.relative_to(state.root).as_posix()
    return "" if relative == "." else relative


def _add_libraries(state: _State) -> None:
    suffixes = tuple(state.suffixes) or (".v", ".sv")
    for folder in dict.fromkeys(state.libraries):
        try:
            paths = sorted(folder.iterdir())
        except OSError:
            continue
        for path in paths:
            if path.suffix not in suffixes or not path.is_file():
                continue
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(state.root):
                state.outside.append(visible(path.name))
            elif _is_usable(path.name, PATH_CHARS, state):
                state.files.append(_relative(path, state))
