"""Writes the texts of an explanation for people: names as written, the best sentence first."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cached_property

import msgspec

from hdlgraph.index.explain.by_rules import behaviour as say
from hdlgraph.index.explain.by_rules.evidence.of_files import FileEvidence
from hdlgraph.index.explain.by_rules.evidence.repeats import of_other_units
from hdlgraph.index.explain.by_rules.functions import from_code, lists_of_code
from hdlgraph.index.explain.by_rules.introduce import (
    best_first,
    instance_note,
    is_uninformative,
    says_what,
    used_in,
)
from hdlgraph.index.explain.by_rules.key_phrases import verification_role
from hdlgraph.index.explain.by_rules.people.as_written import assertions, labels, messages
from hdlgraph.index.explain.by_rules.people.notes import remarks
from hdlgraph.index.explain.by_rules.people.predicates import (
    about_part,
    is_label,
    is_sentence,
    points_back,
    shortened,
    unfinished,
    without_tag,
)
from hdlgraph.index.explain.by_rules.people.whole import is_whole, last_part
from hdlgraph.index.explain.by_rules.phrases import Vocabulary, capital, finish
from hdlgraph.index.explain.by_rules.prose import sentences
from hdlgraph.index.explain.by_rules.spelling import AsWritten, label
from hdlgraph.index.explain.by_rules.writer import NOTE_WORDS, REMARK_WORDS, UNITS, Writer
from hdlgraph.index.explain.neighbourhood import Neighbour, Neighbourhood
from hdlgraph.model import FileRecord, Parameter
from hdlgraph.model.layers import BIT, Layer

_OF_TYPES = re.compile(
    r"`: (?:type ?def(?:initions?)?s?|type definitions?|enums?|structs?)\.$", re.I
)
"""A comment on a type that says that it is one."""

LIBRARY, LISTED = 3, 16
"""Units beside one of a file that make it a library, and units of one that are named."""


class ForPeople(Writer):
    """The texts that people read: names as they are written, the best sentence first.

    Args:
        record: the facts of the file.
        context: its surroundings.
        known: what the repository says of it.
        written: leaves identifiers as they are.
        spelt: the words of identifiers where this file stands.
    """

    notes = False
    proven = True

    def __init__(
        self,
        record: FileRecord,
        context: Neighbourhood,
        known: FileEvidence,
        written: AsWritten,
        spelt: Vocabulary,
    ) -> None:
        super().__init__(record, context, known, written)
        self._spelt = spelt

    def introduction(self) -> list[str]:
        """Returns the sentences of the head, the one that says best what the file does first.

        Those about a further unit of the file come last, after its name.
        """
        others = of_other_units(self.record)
        sources = (self.record.header, *(unit.comment for unit in self.record.units))
        known = [
            text
            for text in self.known.introduction
            if not unfinished(text) and not points_back(text) and is_whole(text, *sources)
        ]
        own = [without_tag(text) for text in known if text not in others and not about_part(text)]
        rest = [text for text in known if text in others and not about_part(text)]
        best, *further = best_first(own, self.record) or [""]
        return [
            *filter(None, [best]),
            *(self._begun(text) for text in further if not is_label(text)),
            *(f"{others[text]}: {text}" for text in rest if not text.startswith(others[text])),
            *(text for text in rest if text.startswith(others[text])),
        ]

    def settable(self) -> list[Parameter]:
        """Returns the parameters and constants, without those that name a machine's states."""
        machines = [machine for unit in self.record.units for machine in unit.machines]
        states = {name for machine in machines for name, _ in machine.states}
        kept = [one for one in super().settable() if one.name not in states and self._set(one)]
        lines = {one.line: one for one in kept}
        beside = {comment.line for comment in self.record.comments}
        return [msgspec.structs.replace(one, comment=_note(one, lines, beside)) for one in kept]

    def remarks(self, used: set[str]) -> list[str]:
        """Returns what comments inside the file say, of what each of them says it."""
        return remarks(self.record, frozenset(self.context.repeated), used, REMARK_WORDS)

    def lists(self) -> list[str]:
        """Returns what units keep, assert and report, with names and texts as written."""
        units = self.record.units[:UNITS]
        out = [text for u in units for text in (*say.processes(u, self.words), *labels(u))]
        return [*out, *assertions(self.record.units), *messages(self.record)]

    def enumerations(self) -> list[str]:
        """Returns the enums and structures, with what comments say of each after its name."""
        found = say.enumerations(self.record, self.words, named=True)
        return [text for text in found if not _OF_TYPES.search(text)]

    @cached_property
    def code(self) -> list[str]:
        """Returns sentences on what the code does, with its names as they are written.

        Those on the unit that the file is named after come before those on the others.
        """
        found = dict.fromkeys([*from_code(self.record), *lists_of_code(self.record)])
        if self.main is None or self.main.name != self.stem:
            return list(found)
        return sorted(found, key=lambda text: text.startswith("In `"))

    def _set(self, one: Parameter) -> bool:
        """Returns whether a constant of the file has a value: else it was read from a template."""
        return bool(one.default) or one not in self.record.parameters

    def purpose(self) -> str:
        """Returns what the file does, then what it is and who instantiates it."""
        out = self.opening()
        if not out or is_uninformative(out[0], self.record):
            out = [*self.undescribed(), *out]
            self._used_code.update(out)
        out[:1] = [self._begun(text) for text in out[:1]]
        if self._is_library():
            head = {finish(text) for text in sentences(self.record.header)}
            first = 1 if out and out[0] in head and says_what(out[0], self.record) else 0
            return " ".join([*out[:first], self._library(), *out[first:]])
        used, note = used_in(self.context)
        if not out and note:
            return f"{used} {self._identity(bare=False)}"
        return " ".join(filter(None, [*out, self._identity(bare=not out), used]))

    def children(self) -> list[Neighbour]:
        """Returns what the file instantiates, without helpers and what a broken template leaves."""
        names = {one.name for unit in self.record.units for one in unit.parameters}
        own = {one.unit for unit in self.record.units for one in unit.instances} - names
        return [one for one in self.context.children if one.name and one.unit in own]

    def child_note(self, child: Neighbour) -> str:
        """Returns the comment of an instance where it says what that is for, not cut."""
        return shortened(instance_note(child), NOTE_WORDS)

    def _begun(self, text: str) -> str:
        """Returns a sentence with a capital at its start, unless it begins with a name."""
        first = text.split(" ", 1)[0].rstrip(".,:;")
        names = {unit.name for unit in self.record.units} | {self.stem}
        return capital(text) if first.isalpha() and first not in names else text

    def _is_library(self) -> bool:
        """Returns whether a file has many units and is named after none of them."""
        named = self.main is not None and self.main.name == self.stem
        return not named and len(self.others()) >= LIBRARY

    def _library(self) -> str:
        """Returns what units a library has: "Defines 131 modules: `LUT1`, ... and 115 more"."""
        units = [unit for unit in self.record.units if not unit.parent]
        kinds = {unit.kind for unit in units}
        kind = kinds.pop() if len(kinds) == 1 else "unit"
        what = f"{kind}es" if kind.endswith("s") else f"{kind}s"
        names = [f"`{unit.name}`" for unit in units]
        last = f"{len(names) - LISTED} more" if len(names) > LISTED + 1 else ""
        shown = [*names[:LISTED], last] if last else names
        text = f"Defines {len(names)} {what}: {', '.join(shown[:-1])} and {shown[-1]}"
        where = "/".join(self.folders())
        return finish(text + (f", in {where}" if where else ""))

    def _identity(self, bare: bool) -> str:
        """Returns what the file defines: "Module axis_fifo (AXI stream FIFO), in lib/axis"."""
        name = self.main.name if self.main else self.stem
        text = f"{self.kind()} {self.words.words(name)}"
        name_text = label(name, self._spelt) if bare else ""
        text += f" ({name_text})" if name_text else ""
        if self.main is not None and self.main.extends:
            text += f", extends {self.words.words(self.main.extends.partition('#')[0])}"
        if self.main is not None and self.main.kind == "class":
            role = verification_role(self.main)
            text += f", UVM {role}" if role else ""
        if others := self.others():
            text += f", with {self.words.listing(others, 8)}"
        where = "/".join(self.folders())
        return finish(capital(text) + (f", in {where}" if where else ""))


def _note(one: Parameter, lines: Mapping[int, Parameter], beside: Collection[int]) -> str:
    """Returns a parameter's comment, "" for one that heads several parameters or is cut."""
    if one.witnesses == BIT[Layer.PYVERILOG]:
        return ""  # it stands in an included file; what is known is a line of its use
    text = next(iter(sentences(last_part(one.comment))), "")
    following = lines.get(one.line + 1)
    heads = one.line not in beside and following is not None and not following.comment
    if unfinished(text) or (heads and not is_sentence(text)) or not is_whole(text, one.comment):
        return ""
    return shortened(text, NOTE_WORDS)
