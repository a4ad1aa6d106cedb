"""Short forms and what they stand for: a team's own, the repository's, and general ones.

A team's own file overrules what was mined from the repository, and that goes before the general
table of `short_forms.txt`. Identifier parts (`abbreviations`) come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec

from hdlgraph.errors import SettingsError
from hdlgraph.knowledge.abbreviations import abbreviations
from hdlgraph.knowledge.agree import contradicted
from hdlgraph.knowledge.glossary import glossary
from hdlgraph.knowledge.projects import Projects, read_chosen
from hdlgraph.knowledge.short_forms import ShortForm, by_key, fields, general_forms
from hdlgraph.safety.safe_files import read_regular
from hdlgraph.words import split_identifier, stem

MINED = "short_forms.json"
"""Name of the file of mined short forms in the folder of a generation."""

MAX_BYTES = 1 << 20  # of a team's file


class Dictionary:
    """Meanings by short form, in any case; the preferred meaning first.

    Args:
        mined: short forms that the repository defines.
        team: those of the team's own file.
        projects: the project tables in force.
    """

    def __init__(
        self,
        mined: Iterable[ShortForm] = (),
        team: Iterable[ShortForm] = (),
        projects: Projects = (),
    ) -> None:
        self._projects = projects
        self._levels = (by_key(team), by_key(mined), general_forms(projects))

    def meanings(self, short: str) -> tuple[ShortForm, ...]:
        """Returns what `short` may stand for.

        A team's word is final; a general meaning that the repository contradicts is left out.
        """
        key = short.lower()
        team, mined, general = (level.get(key, ()) for level in self._levels)
        if team:
            return tuple(map(self._described, team))
        known = {phrase(form.long) for form in mined}
        longs = [form.long for form in mined]
        others = (form for form in general if phrase(form.long) not in known)
        found = [*mined, *(o for o in others if not contradicted(key, o.long, longs))]
        return tuple(map(self._described, found))

    def part(self, short: str) -> ShortForm | None:
        """Returns what an identifier's part stands for where no definition of it is known."""
        long = abbreviations(self._projects).get(short.lower())
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
        what = _descriptions(self._projects).get(phrase(form.long), "")
        return msgspec.structs.replace(form, what=what) if what else form


def phrase(text: str) -> tuple[str, ...]:
    """Returns the stemmed words of a long form, by which spellings of it are compared."""
    return tuple(stem(word) for word in split_identifier(text.replace("-", " ")))


@lru_cache(maxsize=8)
def _descriptions(projects: Projects) -> dict[tuple[str, ...], str]:
    """Returns the stemmed words of a long form -> what the general tables say that it is."""
    found = {phrase(term): f"what {does}" for term, does in glossary(projects).items()}
    forms = (form for forms in general_forms(projects).values() for form in forms)
    return found | {phrase(form.long): form.what for form in forms}


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
    mined = _read_mined(generation)
    own = read_team(team_file(team, root, settings_file)) if team else ()
    return Dictionary(mined, own, read_chosen(generation))


def _read_mined(generation: Path) -> list[ShortForm]:
    file = generation / MINED
    return msgspec.json.decode(file.read_bytes(), type=list[ShortForm]) if file.is_file() else []


def read_defined(generation: Path) -> tuple[tuple[str, str], ...]:
    """Returns (short form, long form) of what a generation's repository defines, sorted."""
    return tuple(sorted((form.short, form.long) for form in _read_mined(generation)))


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
            short, long, what = fields(clean)
        except ValueError as error:
            raise SettingsError(f"`{clean.strip()[:60]}`: {error} ({file}:{number})") from error
        forms.append(ShortForm(short, long, what, "team", f"{file.name}:{number}"))
    return tuple(forms)
