"""Writes sentences on what a file does: states, registers, comments, checks, messages, routines."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from hdlgraph.index.explain.by_rules.phrases import Vocabulary, clip, finish, join
from hdlgraph.index.explain.by_rules.prose import escape, is_prose, sentences
from hdlgraph.index.kept.functions import kept
from hdlgraph.model import Assertion, FileRecord, Parameter, Signal, Type, Unit

_STATE = re.compile(r"(^|_)(state|fsm|st|stm|sm)(_|$|[A-Z0-9])|state|State|fsm|Fsm|_cs$")
_STATE_PARAMETER = re.compile(r"(^|_)(state|fsm|st|s)(_|$)", re.I)
_STATE_PREFIX = re.compile(r"^(?i:state|st|s|fsm)_|^(State|St|Fsm|S|ST)(?=[A-Z][a-z])")
_FORMAT = re.compile(r"%-?\d*[a-zA-Z]|\\[nt]|[`$]\w+|\"|0x\b|=\s*(?=[,.;)]|$)")
_ASSERT_END = re.compile(r"(_?([ACM]|assert|chk|assume|cover|property|p))$")
_FAILURE = re.compile(
    r"\b(error|fail|illegal|invalid|unexpected|mismatch|timeout|timed out|must|should|cannot|not "
    r"|overflow|underflow|violat|unsupported|out of|wrong|bad|missing|unknown|expect)",
    re.I,
)
_DEFAULT = re.compile(r"(?!_\w*_$)[\w'\"]{1,12}")
"""A default that is described; `_NAME_` is what a reader makes of a generator's `$NAME$`."""
_KINDS = (
    (frozenset({"counter", "count", "count up"}), "counts"),
    (frozenset({"timer", "timeout", "watchdog"}), "times"),
)


@kept
def state_type_names(record: FileRecord) -> set[str]:
    """Returns the types of the state registers, without their package."""
    return {
        signal.type.split()[0].rpartition("::")[2]
        for unit in record.units
        for signal in unit.signals
        if _is_state(signal)
    }


def machine_types(record: FileRecord) -> list[tuple[Unit | None, Type]]:
    """Returns the enums that name the states of a state machine, with the unit they stand in."""
    out: list[tuple[Unit | None, Type]] = [
        (None, kind) for kind in record.types if kind.kind == "enum" and _STATE.search(kind.name)
    ]
    for unit in record.units:
        enums = [kind for kind in unit.types if kind.kind == "enum"]
        stateful = {s.type.split()[0] for s in unit.signals if _is_state(s)} if enums else ()
        out.extend(
            (unit, kind) for kind in enums if _STATE.search(kind.name) or kind.name in stateful
        )
    return out


def _is_state(signal: Signal) -> bool:
    return bool(signal.type.split()) and bool(_STATE.search(signal.name))


def state_words(names: Iterable[str], vocabulary: Vocabulary) -> list[str]:
    """Returns state names in words, without the prefix that marks them as states."""
    out = []
    for name in _without_prefix(["_".join(vocabulary.parts(name)) for name in names]):
        text = vocabulary.words(_STATE_PREFIX.sub("", name) or name)
        text = re.sub(r"^(state|state machine) | (state|st)$", "", text)
        if text:
            out.append(text)
    return list(dict.fromkeys(out))


def machines(
    record: FileRecord,
    elsewhere: Sequence[tuple[str, tuple[str, ...]]],
    vocabulary: Vocabulary,
    noted: bool = True,
    limit: int = 24,
) -> list[str]:
    """Returns one sentence per state machine: its states in words, with their comments if `noted`.

    `elsewhere` are the enums of other files that state registers of this one have as type.
    """
    out = []
    for _, kind in machine_types(record)[:6]:
        text = _machine(kind.name, kind.members, vocabulary, limit)
        notes = _range_comments(record, kind.line, kind.end_line) if noted else []
        if text:
            out.append(" ".join([text, *notes]))
    for name, members in elsewhere:
        text = _machine(name, members, vocabulary, limit)
        if text and not re.search("fsm", name, re.I):
            text = text.replace(" state machine has the states ", " state is one of ")
        if text:
            out.append(text)
    return out or _verilog_machine(record, vocabulary, limit)


def _machine(name: str, members: Sequence[str], vocabulary: Vocabulary, limit: int) -> str:
    states = state_words(members, vocabulary)
    if len(states) < 2:
        return ""
    words = vocabulary.type_words(name)
    words = re.sub(r"(( |^)(state machine|state|type|enum))+$", "", words)
    label = f"The {words} state machine" if words and words != "state" else "A state machine"
    return finish(f"{label} has the states {join(states[:limit])}")


def _type_words(kind: Type, vocabulary: Vocabulary) -> str:
    return vocabulary.type_words(kind.name)


def _range_comments(record: FileRecord, first: int, last: int) -> list[str]:
    found = [c.text for c in record.comments if first < c.line <= last]
    flat = [clip(finish(text), 16) for note in found for text in sentences(note)]
    return list(dict.fromkeys(flat))[:6]


def _verilog_machine(record: FileRecord, vocabulary: Vocabulary, limit: int) -> list[str]:
    """Returns the states that a Verilog-2001 file lists as local parameters or macros."""
    for unit in record.units:
        if not any(_STATE.search(signal.name) for signal in unit.signals):
            continue
        names = [p.name for p in unit.parameters if _STATE_PARAMETER.search(p.name)]
        states = state_words(names, vocabulary)
        if len(states) >= 2:
            return [f"A state machine has the states {join(states[:limit])}."]
    return []


def enumerations(
    record: FileRecord, vocabulary: Vocabulary, named: bool = False, limit: int = 8
) -> list[str]:
    """Returns the other enums and structures in words, with comments: after the name if `named`."""
    used = {kind.name for _, kind in machine_types(record)}
    kinds = [*record.types, *(kind for unit in record.units for kind in unit.types)]
    chosen = [k for k in kinds if k.name not in used and k.kind in ("enum", "struct", "union")]
    out = []
    for kind in chosen[:limit]:
        members = vocabulary.listing(_without_prefix(kind.members), 10)
        name = _type_words(kind, vocabulary)
        note = next(iter(sentences(kind.comment)), "")
        verb = "is one of" if kind.kind == "enum" else "holds"
        if members and name:
            subject = f"`{name}`" if named else vocabulary.begun(name)
            out.append(finish(f"{subject} {verb} {members}"))
        if note:
            out.append(finish((f"`{kind.name}`: " if named else "") + clip(note, 20)))
    if len(chosen) > limit:
        rest = vocabulary.listing((re.sub(r"(_e|_t)$", "", k.name) for k in chosen[limit:]), 16)
        out.append(finish(f"Further types: {rest}"))
    return out


def _without_prefix(names: Sequence[str]) -> list[str]:
    """Returns names without the parts that all of them share at the front."""
    if len(names) < 3:
        return list(names)
    pieces = [name.split("_") for name in names]
    shared = 0
    while all(len(p) > shared + 1 and p[shared] == pieces[0][shared] for p in pieces):
        shared += 1
    return ["_".join(p[shared:]) for p in pieces]


def processes(unit: Unit, vocabulary: Vocabulary) -> list[str]:
    """Returns the registers and the counters of a unit in words."""
    stored: list[str] = []
    counted: list[str] = []
    clocks: dict[str, None] = {}
    edges = set()
    for process in unit.processes:
        if not process.clocks:
            continue
        for edge, clock in process.clocks[:1]:
            clocks[clock] = None
            edges.add(edge)
        for name in process.writes:
            words = vocabulary.words(name.partition(".")[0])
            target = counted if re.search(r"\bcount(er)?s?\b", words) else stored
            target.append(re.sub(r" (counter|count)$", "", words) if target is counted else words)
    out = []
    if counted:
        out.append(finish("Counts " + join(list(dict.fromkeys(counted))[:6])))
    if stored:
        where = f" in {len(clocks)} clock domains" if len(clocks) > 1 else ""
        also = "also " if len(edges) > 1 else ""
        fall = f" ({also}on the falling clock edge)" if "negedge" in edges else ""
        out.append(finish(f"Registers: {', '.join(list(dict.fromkeys(stored))[:14])}{where}{fall}"))
    return out


def computed(unit: Unit, vocabulary: Vocabulary, limit: int = 12) -> str:
    """Returns the named outputs of combinational blocks in words."""
    blocks = [p for p in unit.processes if p.kind in ("always_comb", "always", "always_latch")]
    plain = [p for p in blocks if not p.clocks]
    assigns = [p for p in unit.processes if p.kind == "assign"]
    names = [name for p in [*plain, *assigns] for name in p.writes]
    text = vocabulary.listing((n for n in names if "unused" not in n), limit)
    return finish(f"Computes {text}") if text else ""


def labels(unit: Unit, vocabulary: Vocabulary) -> str:
    """Returns the labels of processes and of generate blocks in words."""
    names = [p.label for p in unit.processes if p.label]
    names += [s.label for i in unit.instances for s in i.scopes if s.kind == "generate" and s.label]
    names = [re.sub(r"^(g|gen|proc|p|blk)_", "", n) for n in names if not n.startswith("genblk")]
    text = vocabulary.listing((n for n in names if "assert" not in n), 10)
    return finish(f"Parts: {text}") if text else ""


def comments(record: FileRecord, skip: Collection[int], used: set[str], words: int) -> list[str]:
    """Returns the telling sentences of the comments inside a file, in order, within `words`.

    The longer half-dozen of sentences say how a block works; labels such as "Registers" and what
    `used` already holds are left out. `skip` holds the lines of comments that other files repeat.
    """
    found: dict[str, tuple[float, int, str]] = {}
    for comment in record.comments:
        if comment.line in skip:
            continue
        for text in sentences(comment.text):
            key = text.lower()
            if key not in used and key not in found and len(text) >= 12:
                found[key] = (informative(text), len(found), clip(text, 40))
    return choose(found, used, words)


def choose(found: dict[str, tuple[float, int, str]], used: set[str], words: int) -> list[str]:
    """Returns the best sentences that fit into `words`, in their order.

    Args:
        found: key -> (score, place in the order, sentence).
        used: gets the keys of those that are returned.
        words: how many words they have at most.
    """
    chosen: list[tuple[int, str]] = []
    for key, (_, order, text) in sorted(found.items(), key=lambda item: (-item[1][0], item[1][1])):
        cost = len(text.split())
        if cost <= words:
            used.add(key)
            chosen.append((order, text))
            words -= cost
        if words < 5:
            break
    return [finish(text) for _, text in sorted(chosen)]


def informative(text: str) -> float:
    """Returns a score of how informative a sentence is: verbs of behaviour and length count."""
    tokens = text.lower().split()
    score = min(len(tokens), 24) / 24
    score += 0.25 * sum(1 for token in tokens if token.strip(".,") in _ACTION)
    if _ASIDE.match(text):
        score -= 1
    if text[:1].islower():
        score -= 0.1
    return score - 0.02 * text.count("_")


_ASIDE = re.compile(r"(todo|fixme|note to|xxx|hack|see |ref)|.*https?:", re.I)
_ACTION = frozenset(
    """if when while until only always never after before whenever unless otherwise because
        ensure ensures prevent prevents detect detects check checks wait waits select
        selects generate generates track tracks store stores hold holds drop drops ignore
        stall stalls flush flushes reset resets clear clears trigger triggers raise raises
        assert asserted allow allows block blocks forward forwards convert converts
        compare compares count counts retry error errors mask masks invalid illegal full
        empty priority arbitrate arbitration security""".split()
)


def checks(assertions: Iterable[Assertion], vocabulary: Vocabulary, limit: int = 12) -> str:
    """Returns assertion names in words: designers name them by the rule they check."""
    names = []
    for item in assertions:
        name = re.sub(r"^[Cc]heck_?(?=[A-Z_a-z])", "", _ASSERT_END.sub("", item.name))
        if name and not re.fullmatch(r"[a-z]*\d+|genblk\w*|unnamed\w*", name, re.I):
            names.append(name)
    chosen = list(dict.fromkeys(filter(None, map(vocabulary.words, names))))
    plain = [text for text in chosen if "known" not in text.split()] or chosen[:1]
    return finish(f"Checks that {', '.join(plain[:limit])}") if plain else ""


def messages(record: FileRecord, limit: int = 8, words: int = 60) -> str:
    """Returns what the file says at run time, failures first, without format codes."""
    texts: dict[str, None] = {}
    for message in record.messages:
        text = " ".join(_FORMAT.sub(" ", escape(message.text)).split()).strip(" :,.-()[]<>")
        if is_prose(text):
            texts.setdefault(clip(text, 14))
    ordered = sorted(texts, key=lambda text: not _FAILURE.search(text))
    chosen: list[str] = []
    for text in ordered[:limit]:
        words -= len(text.split())
        if words < 0:
            break
        chosen.append(text)
    return finish("Reports: " + "; ".join(chosen)) if chosen else ""


def routines(record: FileRecord, vocabulary: Vocabulary, limit: int = 16) -> list[str]:
    """Returns the names of functions and tasks in words."""
    all_of = [*record.routines, *(r for unit in record.units for r in unit.routines)]
    named = [r for r in all_of if r.name.rpartition("::")[2] not in ("new", "build_phase")]
    out = []
    listing = vocabulary.listing((r.name for r in named), limit)
    if listing:
        kind = {"function": "Functions", "task": "Tasks"}
        kinds = {r.kind for r in named}
        label = kind.get(next(iter(kinds)), "Routines") if len(kinds) == 1 else "Routines"
        out.append(finish(f"{label}: {listing}"))
    return out


def constants(parameters: Sequence[Parameter], vocabulary: Vocabulary, limit: int) -> str:
    """Returns parameters in words with defaults and comments, plain parameters first."""
    ordered = sorted(
        dict.fromkeys(p for p in parameters if not _STATE_PARAMETER.search(p.name)),
        key=lambda p: (p.kind == "localparam", not p.comment),
    )
    out: dict[str, None] = {}
    for parameter in ordered[:limit]:
        name = vocabulary.words(parameter.name)
        note = next(iter(sentences(parameter.comment)), "")
        default = parameter.default if _DEFAULT.fullmatch(parameter.default) else ""
        text = name + (f" ({clip(note, 14).rstrip('.')})" if note else "")
        if default and parameter.kind != "localparam":
            text += f", default {default}"
        if name:
            out.setdefault(text)
    more = vocabulary.listing((p.name for p in ordered[limit:]), 12)
    listed = "; ".join(out) + (f"; also {more}" if more else "")
    return finish(listed) if listed else ""
