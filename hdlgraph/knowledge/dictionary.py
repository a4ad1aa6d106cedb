"""Short forms and what they stand for: a team's own, the repository's, and general ones.

A team's own file overrules what was mined from the repository, and that goes before the general
table of `hdlgraph.knowledge.short_forms`. Identifier parts (`abbreviations`) come last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec

from hdlgraph.errors import SettingsError
from hdlgraph.knowledge.abbreviations import ABBREVIATIONS
from hdlgraph.knowledge.glossary import STRUCTURES
from hdlgraph.safety.safe_files import read_regular
from hdlgraph.words import split_identifier, stem

MINED = "short_forms.json"
"""Name of the file of mined short forms in the folder of a generation."""

MAX_BYTES = 1 << 20  # of a team's file
_LINE = re.compile(r"\s*([A-Za-z][\w$+./-]{0,31})\s*=\s*([^:]*?)\s*(?::\s*(.*?))?\s*$")


class ShortForm(msgspec.Struct, frozen=True, array_like=True):
    """A short form, what it stands for and what that is ("" where nobody says).

    `source`: team, mined, general or part (of identifiers). `place`: path:line of the definition.
    """

    short: str
    long: str
    what: str = ""
    source: str = "general"
    place: str = ""


class Dictionary:
    """Meanings by short form, in any case; the preferred meaning first.

    Args:
        mined: short forms that the repository defines.
        team: those of the team's own file.
    """

    def __init__(self, mined: Iterable[ShortForm] = (), team: Iterable[ShortForm] = ()) -> None:
        self._levels = (_by_key(team), _by_key(mined), general_forms())

    def meanings(self, short: str) -> tuple[ShortForm, ...]:
        """Returns what `short` may stand for: a team's word is final, others are alternatives."""
        key = short.lower()
        team, mined, general = (level.get(key, ()) for level in self._levels)
        if team:
            return tuple(map(self._described, team))
        known = {phrase(form.long) for form in mined}
        found = [*mined, *(form for form in general if phrase(form.long) not in known)]
        return tuple(map(self._described, found))

    def part(self, short: str) -> ShortForm | None:
        """Returns what an identifier's part stands for where no definition of it is known."""
        long = ABBREVIATIONS.get(short.lower())
        return self._described(ShortForm(short, long, source="part")) if long else None

    @cached_property
    def by_phrase(self) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Returns the stemmed words of each long form -> its short forms in lower case."""
        found: dict[tuple[str, ...], dict[str, None]] = {}
        for short in sorted({key for level in self._levels for key in level}):
            for form in self.meanings(short):
                words = phrase(form.long)
                if len(words) > 1 or (words and words != (stem(short),)):
                    found.setdefault(words, {}).setdefault(short)
        return {words: tuple(shorts) for words, shorts in found.items()}

    def _described(self, form: ShortForm) -> ShortForm:
        """Returns the form with the general description of its long form where it has none."""
        if form.what:
            return form
        what = _descriptions().get(phrase(form.long), "")
        return msgspec.structs.replace(form, what=what) if what else form


def phrase(text: str) -> tuple[str, ...]:
    """Returns the stemmed words of a long form, by which spellings of it are compared."""
    return tuple(stem(word) for word in split_identifier(text.replace("-", " ")))


@lru_cache(maxsize=1)
def general_forms() -> dict[str, tuple[ShortForm, ...]]:
    """Returns the general table: short form in lower case -> its meanings."""
    from hdlgraph.knowledge.short_forms import TABLE

    return _by_key(_parsed(line) for line in TABLE.strip().splitlines())


@lru_cache(maxsize=1)
def _descriptions() -> dict[tuple[str, ...], str]:
    found = {phrase(term): f"what {gloss}" for term, gloss in STRUCTURES.items()}
    forms = (form for forms in general_forms().values() for form in forms)
    return found | {phrase(form.long): form.what for form in forms}


def _parsed(line: str) -> ShortForm:
    short, long, what = _fields(line)
    return ShortForm(short, long, what)


def _fields(line: str) -> tuple[str, str, str]:
    """Returns (short, long form, what it is) of a line.

    Raises:
        ValueError: the line is not of this form.
    """
    match = _LINE.fullmatch(line)
    if not match or not match[2]:
        raise ValueError("write `SHORT = long form: what it is`")
    return match[1], match[2], (match[3] or "").rstrip(".")


def _by_key(forms: Iterable[ShortForm]) -> dict[str, tuple[ShortForm, ...]]:
    found: dict[str, tuple[ShortForm, ...]] = {}
    for form in forms:
        key = form.short.lower()
        found[key] = (*found.get(key, ()), form)
    return found


def load_dictionary(
    generation: Path, root: Path, team: str = "", settings_file: Path | None = None
) -> Dictionary:
    """Returns the dictionary of an index generation and of a team's file.

    Args:
        generation: folder of the generation; one without mined short forms has none.
        root: the repository.
        team: `search.abbreviations` of the settings.
        settings_file: the settings file that the user named, if one was.

    Raises:
        SettingsError: the team's file cannot be used.
    """
    file = generation / MINED
    mined = msgspec.json.decode(file.read_bytes(), type=list[ShortForm]) if file.is_file() else []
    return Dictionary(mined, read_team(team_file(team, root, settings_file)) if team else ())


def team_file(name: str, root: Path, settings_file: Path | None = None) -> Path:
    """Returns the path of a team's dictionary: beside the named settings file, or in the root.

    Raises:
        SettingsError: it lies outside of the root and the settings were only found there.
    """
    if settings_file is not None:
        beside = (settings_file.resolve().parent / name).resolve()
        return beside if beside.is_file() else (root / name).resolve()
    file = (root / name).resolve()
    if not file.is_relative_to(root.resolve()):
        raise SettingsError(
            f"{name}: `hdlgraph.search.abbreviations` must lie inside the repository {root}; "
            f"name the settings file with --settings to read it from elsewhere"
        )
    return file


def read_team(file: Path) -> tuple[ShortForm, ...]:
    """Returns the short forms of a team's file: lines `SHORT = long form: what it is`.

    Blank lines and lines that begin with # count nothing. A short form with several lines has
    several meanings.

    Raises:
        SettingsError: the file cannot be read, is too large, or has a line of another form.
    """
    try:
        if not file.is_file():
            raise SettingsError(
                f"{file}: no such file; correct `hdlgraph.search.abbreviations` or create it"
            )
        if file.stat().st_size > MAX_BYTES:
            raise SettingsError(f"{file}: larger than {MAX_BYTES} bytes; is it a dictionary?")
        text = read_regular(file, MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: cannot be read as UTF-8 text: {error}") from error
    forms = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        clean = "".join(char if char.isprintable() else " " for char in line)
        try:
            short, long, what = _fields(clean)
        except ValueError as error:
            raise SettingsError(f"`{clean.strip()[:60]}`: {error} ({file}:{number})") from error
        forms.append(ShortForm(short, long, what, "team", f"{file.name}:{number}"))
    return tuple(forms)
