"""One explanation per file, written from its facts and its surroundings without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from hdlgraph.index.explain.by_rules import behaviour as say
from hdlgraph.index.explain.by_rules.functions import from_code
from hdlgraph.index.explain.by_rules.key_phrases import (
    concepts,
    glosses,
    role_gloss,
    verification_role,
)
from hdlgraph.index.explain.by_rules.phrases import (
    Vocabulary,
    article,
    capital,
    clip,
    escape,
    finish,
    mine_long_forms,
    sentences,
)
from hdlgraph.index.explain.by_rules.protocols import describe_ports
from hdlgraph.index.explain.neighbourhood import Neighbour, Neighbourhood, neighbourhoods
from hdlgraph.knowledge.projects import Projects
from hdlgraph.model import Explanation, FileRecord, Role, Unit
from hdlgraph.store.explanations import usable

__all__ = ["DeterministicExplainer", "Explainer", "explain_all", "neighbourhoods"]

_BEHAVIOUR_WORDS = 260
_PURPOSE_WORDS = 60
_CODE_WORDS = 50
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


class Explainer(Protocol):
    """Writes the explanation of one file; `name` and `version` go into cache keys."""

    name: str
    version: str

    def explain(self, record: FileRecord, context: Neighbourhood) -> Explanation:
        """Returns what the file of `record` is for, in words."""


class DeterministicExplainer:
    """Explains from facts, comments and names; the same input gives the same words."""

    name = "deterministic"

    def __init__(self, vocabulary: Vocabulary | None = None) -> None:
        self._vocabulary = vocabulary or Vocabulary()
        self.version = self._vocabulary.digest

    @classmethod
    def for_records(
        cls, records: Sequence[FileRecord], projects: Projects = ()
    ) -> DeterministicExplainer:
        """Returns an explainer that also knows the abbreviations the repository explains."""
        return cls(Vocabulary(mine_long_forms(records, projects), projects))

    def explain(self, record: FileRecord, context: Neighbourhood) -> Explanation:
        """Returns the explanation of one file."""
        used: set[str] = set()
        purpose = self._purpose(record, context, used)
        return Explanation(
            path=record.path,
            purpose=escape(purpose),
            behaviour=escape(self._behaviour(record, context, used)),
            interfaces=escape(self._interfaces(record)),
            parameters=escape(self._parameters(record)),
            instances=escape(self._instances(record, context)),
            concepts=concepts(record, self._vocabulary),
            sha256=record.sha256,
            model=self.name,
        )

    def _purpose(self, record: FileRecord, context: Neighbourhood, used: set[str]) -> str:
        out: list[str] = []
        budget = _PURPOSE_WORDS
        for text in self._documentation(record):
            cost = len(text.split())
            if out and cost > budget:
                break
            used.add(text.lower())
            out.append(finish(clip(text, budget)))
            budget -= cost
        out.append(self._identity(record))
        out.extend(self._glosses(record))
        if not used:
            out.extend(_within(from_code(record, self._vocabulary), _CODE_WORDS))
        parent = self._used_in(context, bare=not used)
        if parent:
            out.append(parent)
        return " ".join(out)

    def _documentation(self, record: FileRecord) -> list[str]:
        """Returns the sentences of the header and of the unit comments, each once."""
        texts = [record.header, *(unit.comment for unit in record.units[:4])]
        found = (text for source in dict.fromkeys(texts) for text in sentences(source))
        names = {unit.name.lower() for unit in record.units} | {record.path.rpartition("/")[2]}
        return [t for t in dict.fromkeys(found) if t.lower().strip(". ") not in names]

    def _identity(self, record: FileRecord) -> str:
        """Returns what the file defines: "Testbench class x y z (extends ...)"."""
        stem = stem_of(record.path)
        role = _ROLES.get(Role(record.role), "")
        where = self._place(record.path)
        main = _main_unit(record, stem)
        if main is None:
            kind = "macro and definition file" if record.macros else "source file"
            text = f"{role} {kind}: {self._vocabulary.words(stem)}".strip()
        else:
            name = self._vocabulary.words(main.name)
            text = f"{role} {main.kind} {name}".strip()
            if self._vocabulary.words(stem) not in name:
                text += f", file {self._vocabulary.words(stem)}"
            if main.extends:
                base = self._vocabulary.words(main.extends.partition("#")[0])
                text += f", {article(base)}" if base else ""
            others = [u.name for u in record.units if u is not main and not u.parent]
            if others:
                text += f", with {self._vocabulary.listing(others, 8)}"
        return finish(capital(text) + (f", in {where}" if where else ""))

    def _place(self, path: str) -> str:
        folders = [p for p in path.split("/")[:-1] if p.lower() not in _GENERIC]
        return ", ".join(self._vocabulary.words(folder) for folder in folders[-3:])

    def _glosses(self, record: FileRecord) -> list[str]:
        stem = stem_of(record.path)
        main = _main_unit(record, stem)
        if main is not None and main.kind == "class":
            role = verification_role(main)
            gloss = role_gloss(role)
            if gloss:
                return [finish(f"UVM {role}: {gloss}")]
        name = self._vocabulary.words(main.name if main else stem)
        told = glosses(name, projects=self._vocabulary.projects)
        return [finish(f"{capital(term)}: {gloss}") for term, gloss in told]

    def _used_in(self, context: Neighbourhood, bare: bool) -> str:
        """Returns the comment beside an instance; for an undocumented file at least its name."""
        words = self._vocabulary.words
        for parent in context.parents:
            note = next(iter(sentences(parent.comment)), "")
            if note:
                return finish(f"In {words(parent.parent)}: {clip(note, 24).rstrip('.')}")
        if bare and context.parents:
            parent = context.parents[0]
            name = self._vocabulary.instance(parent.name)
            return finish(f"Used{f' as {name}' if name else ''} in {words(parent.parent)}")
        return ""

    def _behaviour(self, record: FileRecord, context: Neighbourhood, used: set[str]) -> str:
        words = self._vocabulary
        rest = [t for t in self._documentation(record) if t.lower() not in used]
        out = _within(rest, 90)
        used.update(text.lower() for text in rest)
        if not any(unit.machines for unit in record.units):
            out += say.machines(record, context.machines, words)
        code = from_code(record, words)
        if used:
            out += code[: sum(len(unit.machines) for unit in record.units)]
        out += say.comments(record, frozenset(context.repeated), used, 130)
        out += _within([text for text in code if text not in out], 120)
        for unit in record.units[:6]:
            out += say.processes(unit, words)
            out.append(say.labels(unit, words))
            out.append(say.computed(unit, words))
        assertions = [a for unit in record.units for a in unit.assertions]
        out.append(say.checks(assertions, words))
        out.append(say.messages(record))
        out += say.routines(record, words)
        out += say.enumerations(record, words)
        if record.macros:
            out.append(finish("Macros: " + words.listing((m.name for m in record.macros), 20)))
        if record.binds:
            pairs = dict.fromkeys(
                f"{words.words(b.unit)} to {words.words(b.target)}" for b in record.binds
            )
            out.append(finish("Binds " + "; ".join(list(pairs)[:6])))
        text = " ".join(_within([text for text in out if text], _BEHAVIOUR_WORDS))
        main = _main_unit(record, stem_of(record.path))
        name = words.words(main.name if main else stem_of(record.path))
        return f"{capital(name)}: {text}" if text and name else text

    def _interfaces(self, record: FileRecord) -> str:
        out = []
        with_ports = [u for u in record.units if u.ports or u.modports][:4]
        for unit in with_ports:
            text = describe_ports(unit, self._vocabulary)
            if unit.modports:
                text += f" Modports {self._vocabulary.listing((m.name for m in unit.modports), 8)}"
            if text:
                label = f"{self._vocabulary.words(unit.name)}: " if len(with_ports) > 1 else ""
                out.append(finish(label + text.strip()))
        return clip(" ".join(out), 90)

    def _parameters(self, record: FileRecord) -> str:
        own = [p for unit in record.units for p in unit.parameters]
        return clip(say.constants([*own, *record.parameters], self._vocabulary, 10), 80)

    def _instances(self, record: FileRecord, context: Neighbourhood) -> str:
        out = []
        children = [self._child(child) for child in context.children]
        if children:
            out.append(finish("Instantiates " + "; ".join(children[:12])))
        created = [name for unit in record.units for name, _ in unit.factory]
        if created:
            out.append(finish("Creates " + self._vocabulary.listing(created, 8)))
        if context.parents:
            parents = [n.parent for n in context.parents]
            listing = self._vocabulary.listing(parents, 6)
            out.append(finish(f"Used by {listing}"))
        if context.extenders:
            out.append(finish(f"Extended by {self._vocabulary.listing(context.extenders, 6)}"))
        if context.binders:
            targets = self._vocabulary.listing((t for t, _ in context.binders), 4)
            out.append(finish(f"Bound to {targets}"))
        out.append(self._users("Imported", context.importers, context.n_importers))
        out.append(self._users("Included", context.includers, context.n_includers))
        return clip(" ".join(filter(None, out)), 110)

    def _users(self, verb: str, paths: Sequence[str], total: int) -> str:
        stems = [stem_of(path) for path in paths]
        some = self._vocabulary.listing(stems, 4)
        many = f"{total} files such as " if total > 4 else ""
        return finish(f"{verb} by {many}{some}") if some else ""

    def _child(self, child: Neighbour) -> str:
        unit, name = self._vocabulary.words(child.unit), self._vocabulary.instance(child.name)
        note = next(iter(sentences(child.comment)), "")
        text = unit if name in unit else f"{unit} as {name}"
        return f"{text} ({clip(note, 14).rstrip('.')})" if note else text


def stem_of(path: str) -> str:
    """Returns a file's name without folders and extensions."""
    return path.rpartition("/")[2].partition(".")[0]


def _main_unit(record: FileRecord, stem: str) -> Unit | None:
    """Returns the unit named like the file, else the longest top-level one."""
    top = [unit for unit in record.units if not unit.parent]
    same = [unit for unit in top if unit.name == stem]
    longest = sorted(top, key=lambda unit: (unit.line - unit.end_line, unit.line))
    return next(iter(same or longest), None)


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


def explain_all(
    records: Sequence[FileRecord],
    explainer: Explainer | None = None,
    imported: Mapping[str, Explanation] | None = None,
) -> dict[str, Explanation]:
    """Returns the explanation of every file, keyed by path in the order of `records`.

    Args:
        records: facts of all files.
        explainer: who explains; by default the deterministic explainer of these records.
        imported: explanations from elsewhere; one with the file's sha256 is used as it is.
    """
    explainer = explainer or DeterministicExplainer.for_records(records)
    around = neighbourhoods(records)
    out: dict[str, Explanation] = {}
    for record in records:
        given = usable(imported or {}, record.path, record.sha256)
        out[record.path] = given or explainer.explain(record, around[record.path])
    return out
