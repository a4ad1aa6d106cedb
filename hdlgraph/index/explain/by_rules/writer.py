"""Writes the texts of one explanation, for people or for a search: the two differ in wording.

For people every name stands as the file writes it and the best sentence comes first; for a search
short forms are spelt out, and well-known structures are said to do what they usually do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from hdlgraph.index.explain.by_rules import behaviour as say
from hdlgraph.index.explain.by_rules.evidence.of_files import FileEvidence
from hdlgraph.index.explain.by_rules.evidence.repeats import main_unit, stem_of
from hdlgraph.index.explain.by_rules.functions import from_code, lists_of_code
from hdlgraph.index.explain.by_rules.introduce import used_in_words
from hdlgraph.index.explain.by_rules.key_phrases import glosses, role_gloss, verification_role
from hdlgraph.index.explain.by_rules.phrases import Vocabulary, article, capital, clip, finish
from hdlgraph.index.explain.by_rules.prose import sentences
from hdlgraph.index.explain.by_rules.protocols import describe_ports
from hdlgraph.index.explain.neighbourhood import Neighbour, Neighbourhood
from hdlgraph.model import FileRecord, Parameter, Role

_BEHAVIOUR_WORDS = 260
_PURPOSE_WORDS = 60
UNITS = 6
NOTE_WORDS = 14
"""Words of the comment of an instance or a parameter that are quoted."""
REMARK_WORDS = 130
_CODE_WORDS = 50
_MORE_CODE_WORDS = 120
_GENERIC = frozenset(
    """rtl src v sv hw ip dv include inc lib vendor lowrisc lowrisc_ip data common core verilog
        system_verilog hdl design doc docs bench tb env tests seq_lib verif sim autogen
        ip_autogen external vendored upstream main files top""".split()
)
_ROLES = {
    Role.TESTBENCH: "testbench",
    Role.FORMAL: "formal verification",
    Role.GENERATED: "generated",
}


class Writer:
    """Writes the texts about one file; its subclasses say how the purpose is worded.

    Args:
        record: the facts of the file.
        context: its surroundings.
        known: what the repository says of it.
        words: how identifiers are said.
    """

    notes = True
    """Whether the comments of states are shown after their names, without saying which is whose."""
    proven = False
    """Whether only those protocols are told that nothing else can be."""

    def __init__(
        self, record: FileRecord, context: Neighbourhood, known: FileEvidence, words: Vocabulary
    ) -> None:
        self.record = record
        self.context = context
        self.known = known
        self.words = words
        self.stem = stem_of(record.path)
        self.main = main_unit(record)
        self._in_purpose: set[str] = set()
        self._used_code: set[str] = set()

    def purpose(self) -> str:
        """Returns what the file is for; `behaviour` does not repeat its sentences."""
        raise NotImplementedError

    def introduction(self) -> list[str]:
        """Returns the sentences of the file's head, in their order of presentation."""
        return list(self.known.introduction)

    def opening(self) -> list[str]:
        """Returns the first sentences of the head, as many as fit into a purpose."""
        out: list[str] = []
        budget = _PURPOSE_WORDS
        for text in self.introduction():
            cost = len(text.split())
            if out and cost > budget:
                break
            self._in_purpose.add(text.lower())
            out.append(finish(clip(text, budget)))
            budget -= cost
        return out

    @cached_property
    def code(self) -> list[str]:
        """Returns sentences on what the code of the file does, best first."""
        raise NotImplementedError

    def undescribed(self) -> list[str]:
        """Returns what a document or else the code says of a file without words of its own."""
        if self.known.document:
            return [finish(self.known.document)]
        return _within(self.code, _CODE_WORDS)

    def kind(self) -> str:
        """Returns what kind of thing the file defines, such as "testbench class"."""
        role = _ROLES.get(Role(self.record.role), "")
        if self.main is not None:
            return f"{role} {self.main.kind}".strip()
        what = "macro and definition file" if self.record.macros else "source file"
        return f"{role} {what}".strip()

    def folders(self) -> list[str]:
        """Returns the last folders of the path whose names say something."""
        parts = self.record.path.split("/")[:-1]
        return [folder for folder in parts if folder.lower() not in _GENERIC][-3:]

    def others(self) -> list[str]:
        """Returns the names of the further top-level units."""
        return [u.name for u in self.record.units if u is not self.main and not u.parent]

    def behaviour(self) -> str:
        """Returns how the file works, by its comments and its code."""
        record, words = self.record, self.words
        rest = [text for text in self.introduction() if text.lower() not in self._in_purpose]
        out = _within(rest, 90)
        used = self._in_purpose | {
            text.lower() for text in (*rest, *self.known.skip, *self.known.introduction)
        }
        code = [text for text in self.code if text not in self._used_code]
        out += self.machines(code)
        out += self.remarks(used)
        more = _within([text for text in code if text not in out], _MORE_CODE_WORDS)
        # What somebody wrote says more than lists of names, these more than code in words.
        out += more if not self._in_purpose else []
        out += self.lists()
        out += say.routines(record, words)
        out += self.enumerations()
        if record.macros:
            out.append(finish("Macros: " + words.listing((m.name for m in record.macros), 20)))
        if record.binds:
            pairs = dict.fromkeys(
                f"{words.words(b.unit)} to {words.words(b.target)}" for b in record.binds
            )
            out.append(finish("Binds " + "; ".join(list(pairs)[:6])))
        out += more if self._in_purpose else []
        return " ".join(_within([text for text in out if text], _BEHAVIOUR_WORDS))

    def remarks(self, used: set[str]) -> list[str]:
        """Returns what comments inside the file say, but for `used`."""
        return say.comments(self.record, frozenset(self.context.repeated), used, REMARK_WORDS)

    def lists(self) -> list[str]:
        """Returns what units keep, compute, check and report, mostly by its names."""
        out: list[str] = []
        for unit in self.record.units[:UNITS]:
            out += say.processes(unit, self.words)
            out.append(say.labels(unit, self.words))
            out.append(say.computed(unit, self.words))
        assertions = [a for unit in self.record.units for a in unit.assertions]
        return [*out, say.checks(assertions, self.words), say.messages(self.record)]

    def enumerations(self) -> list[str]:
        """Returns the enums and structures that name no states."""
        return say.enumerations(self.record, self.words)

    def machines(self, code: Sequence[str]) -> list[str]:
        """Returns the sentences on state machines; `code` has those of the code that are left."""
        known = sum(len(unit.machines) for unit in self.record.units)
        if not known:
            return say.machines(self.record, self.context.machines, self.words, self.notes)
        return [text for text in code if "state machine" in text][:known]

    def interfaces(self) -> str:
        """Returns the ports, by the protocols they speak."""
        out = []
        with_ports = [u for u in self.record.units if u.ports or u.modports][:4]
        for unit in with_ports:
            text = describe_ports(unit, self.words, proven=self.proven)
            if unit.modports:
                text += f" Modports {self.words.listing((m.name for m in unit.modports), 8)}"
            if text:
                label = f"{self.words.words(unit.name)}: " if len(with_ports) > 1 else ""
                out.append(finish(label + text.strip()))
        return clip(" ".join(out), 90)

    def parameters(self) -> str:
        """Returns the parameters with their defaults and comments."""
        return clip(say.constants(self.settable(), self.words, 10), 80)

    def settable(self) -> list[Parameter]:
        """Returns the parameters and constants that are described."""
        own = [p for unit in self.record.units for p in unit.parameters]
        return [*own, *self.record.parameters]

    def instances(self) -> str:
        """Returns what the file instantiates and who uses it."""
        out = []
        children = [self._child(child) for child in self.children()]
        if children:
            out.append(finish("Instantiates " + "; ".join(children[:12])))
        created = [name for unit in self.record.units for name, _ in unit.factory]
        if created:
            out.append(finish("Creates " + self.words.listing(created, 8)))
        if self.context.parents:
            parents = [n.parent for n in self.context.parents]
            listing = self.words.listing(parents, 6)
            out.append(finish(f"Used by {listing}"))
        if self.context.extenders:
            out.append(finish(f"Extended by {self.words.listing(self.context.extenders, 6)}"))
        if self.context.binders:
            targets = self.words.listing((t for t, _ in self.context.binders), 4)
            out.append(finish(f"Bound to {targets}"))
        out.append(self._users("Imported", self.context.importers, self.context.n_importers))
        out.append(self._users("Included", self.context.includers, self.context.n_includers))
        return clip(" ".join(filter(None, out)), 110)

    def _users(self, verb: str, paths: Sequence[str], total: int) -> str:
        stems = [stem_of(path) for path in paths]
        some = self.words.listing(stems, 4)
        many = f"{total} files such as " if total > 4 else ""
        return finish(f"{verb} by {many}{some}") if some else ""

    def children(self) -> list[Neighbour]:
        """Returns what the file instantiates."""
        return list(self.context.children)

    def child_note(self, child: Neighbour) -> str:
        """Returns the first sentence of an instance's comment."""
        return next(iter(sentences(child.comment)), "")

    def _child(self, child: Neighbour) -> str:
        unit, name = self.words.words(child.unit), self.words.instance(child.name)
        note = self.child_note(child)
        text = unit if name in unit else f"{unit} as {name}"
        return f"{text} ({clip(note, NOTE_WORDS).rstrip('.')})" if note else text


class ForSearch(Writer):
    """The texts that a search reads: short forms spelt out."""

    @cached_property
    def code(self) -> list[str]:
        """Returns sentences on what the code does, with its names in words.

        There are none where comments introduce the file: beside these they find other files.
        """
        return [] if self.introduction() else from_code(self.record, self.words)

    def purpose(self) -> str:
        """Returns what the file is for, in many words."""
        opening = self.opening()
        undescribed = [] if opening else self.undescribed()
        used = used_in_words(self.context, self.words, bare=not opening)
        # What a search embeds is cut: names say more than a list of signals.
        return " ".join(
            filter(None, [*opening, self._identity(), *self._glosses(), *undescribed, used])
        )

    def machines(self, code: Sequence[str]) -> list[str]:
        """Returns the sentences on state machines, by their types where comments introduce them."""
        if self._in_purpose:
            return say.machines(self.record, self.context.machines, self.words)
        return super().machines(code)

    def behaviour(self) -> str:
        """Returns how the file works, with its name in words first."""
        text = super().behaviour()
        if not self._in_purpose:
            # Lists of names would draw the vectors of the first sentences away: they come last.
            lists = _within(lists_of_code(self.record, self.words), _MORE_CODE_WORDS)
            text = " ".join([text, *lists]).strip()
        name = self.words.words(self.main.name if self.main else self.stem)
        return f"{capital(name)}: {text}" if text and name else text

    def _identity(self) -> str:
        """Returns what the file defines: "Testbench class x y z (extends ...)"."""
        words, stem = self.words, self.words.words(self.stem)
        if self.main is None:
            text = f"{self.kind()}: {stem}"
        else:
            name = words.words(self.main.name)
            text = f"{self.kind()} {name}".strip()
            if stem not in name:
                text += f", file {stem}"
            if self.main.extends:
                base = words.words(self.main.extends.partition("#")[0])
                text += f", {article(base)}" if base else ""
            if others := self.others():
                text += f", with {words.listing(others, 8)}"
        where = ", ".join(map(words.words, self.folders()))
        return finish(capital(text) + (f", in {where}" if where else ""))

    def _glosses(self) -> list[str]:
        if self.main is not None and self.main.kind == "class":
            role = verification_role(self.main)
            gloss = role_gloss(role)
            if gloss:
                return [finish(f"UVM {role}: {gloss}")]
        name = self.words.words(self.main.name if self.main else self.stem)
        meanings = glosses(name, projects=self.words.projects)
        return [finish(f"{capital(term)}: {gloss}") for term, gloss in meanings]


def _within(texts: Sequence[str], words: int) -> list[str]:
    """Returns the first sentences that fit into `words`."""
    out: list[str] = []
    for text in texts:
        cost = len(text.split())
        if cost > words:
            if words >= 12:
                out.append(finish(clip(text, words)))
            break
        words -= cost
        out.append(finish(text))
    return out
