"""The card of a file: its parsed facts in a few lines, for a language model's prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hdlgraph.index.explain.by_rules.behaviour import machine_types
from hdlgraph.index.explain.by_rules.phrases import clip
from hdlgraph.index.explain.by_rules.prose import sentences
from hdlgraph.index.explain.by_rules.protocols import is_timing, port_groups
from hdlgraph.index.explain.neighbourhood import Neighbourhood
from hdlgraph.llm.tokens import clip_tokens, count_tokens
from hdlgraph.model import FileRecord, Instance, Parameter, Unit

CARD_TOKENS = 350
AROUND_TOKENS = 120
_STEPS = (24, 12, 6, 3)  # names in one list, fewer where the card grows too long
_MAX_UNITS = 8
_MAX_DEFAULT = 24  # characters of a parameter's default
_NOTE_WORDS = 14


def own_card(record: FileRecord, tokens: int = CARD_TOKENS, *, brief: bool = False) -> str:
    """Returns the card of what a file declares, of at most `tokens` tokens.

    It holds neither the file's path nor line numbers, so that equal files have equal cards.

    Args:
        record: facts of the file.
        tokens: most tokens.
        brief: leave out what whoever has the code before them sees there.
    """
    for limit in _STEPS:
        lines = [f"role: {record.role}"]
        for unit in record.units[:_MAX_UNITS]:
            lines += _unit_lines(unit, limit, brief)
        if len(record.units) > _MAX_UNITS:
            rest = [f"{unit.kind} {unit.name}" for unit in record.units[_MAX_UNITS:]]
            lines.append(f"also: {_listing(rest, limit)}")
        lines += _file_lines(record, limit, brief)
        text = "\n".join(lines)
        if count_tokens(text) <= tokens:
            return text
    return _whole_lines(lines, tokens)


def around_card(around: Neighbourhood, tokens: int = AROUND_TOKENS) -> str:
    """Returns the card of a file's users, of at most `tokens` tokens; "" when none is known."""
    for limit in (5, 3, 1):
        lines = [*_parent_lines(around, limit), *_user_lines(around, limit)]
        for name, members in around.machines[:limit]:
            lines.append(f"{name} (declared elsewhere) is one of {_listing(members, 4 * limit)}")
        text = "\n".join(lines)
        if count_tokens(text) <= tokens:
            return text
    return _whole_lines(lines, tokens)


def _whole_lines(lines: Sequence[str], tokens: int) -> str:
    """Returns the first lines that fit, each shortened to half of the tokens at most."""
    kept: list[str] = []
    for line in lines:
        line = clip_tokens(line, max(8, tokens // 2))
        if count_tokens("\n".join([*kept, line])) > tokens:
            break
        kept.append(line)
    return "\n".join(kept)


def _unit_lines(unit: Unit, limit: int, brief: bool) -> list[str]:
    head = f"{unit.kind} {unit.name}"
    if unit.extends:
        head += f" extends {clip(unit.extends, 6)}"
    lines = [head, *_port_lines(unit, limit, brief)]
    if brief:
        return lines
    found = {
        "parameters": _parameters(unit.parameters, limit),
        "modports": _listing((modport.name for modport in unit.modports), limit),
        "contains": _instances(unit.instances, limit),
        "creates": _listing((name for name, _ in unit.factory), limit),
        "imports": _listing((name for name, _ in unit.imports), limit),
        "routines": _listing((routine.name for routine in unit.routines), limit),
        "checks": _listing((check.name for check in unit.assertions if check.name), limit),
    }
    return [*lines, *(f"  {label}: {text}" for label, text in found.items() if text)]


def _port_lines(unit: Unit, limit: int, brief: bool) -> list[str]:
    """Returns the ports of a unit, each once: by protocol, clocks and resets, then the others."""
    lines = []
    taken: set[str] = set()
    for group in port_groups(unit.ports)[:limit]:
        side = f" as {group.side}" if group.side else ""
        named = group.prefixes or tuple(name for name in group.ports if name not in taken)
        if named:
            lines.append(f"  {group.protocol}{side}: {_listing(named, min(limit, 6))}")
        taken.update(group.ports)
    if brief:
        return lines
    free = [port for port in unit.ports if port.name not in taken]
    timing = [port for port in free if is_timing(port.name)]
    if timing:
        lines.append(f"  clocks, resets: {_listing((port.name for port in timing), limit)}")
    for direction in dict.fromkeys(port.direction for port in free):
        chosen = [p for p in free if p.direction == direction and p not in timing]
        names = [p.type if direction == "interface" else p.name for p in chosen]
        if names:
            lines.append(f"  {direction}: {_listing(names, limit)}")
    return lines


def _parameters(parameters: Sequence[Parameter], limit: int) -> str:
    """Returns `NAME=default` of the parameters, those a user may set first."""
    ordered = sorted(parameters, key=lambda parameter: parameter.kind == "localparam")
    out = []
    for parameter in ordered:
        default = " ".join(parameter.default.split())
        short = default and len(default) <= _MAX_DEFAULT
        out.append(f"{parameter.name}={default}" if short else parameter.name)
    return _listing(out, limit)


def _instances(instances: Sequence[Instance], limit: int) -> str:
    """Returns each unit once, with the names of its instances and the first comment."""
    by_unit: dict[str, list[Instance]] = {}
    for instance in instances:
        by_unit.setdefault(instance.unit, []).append(instance)
    out = []
    for unit, found in by_unit.items():
        names = _listing((instance.name for instance in found), 2 if len(found) > 2 else 3)
        note = next((n for n in (_note(i.comment) for i in found) if n), "")
        out.append(f"{unit} as {names}" + (f" ({note})" if note else ""))
    return _listing(out, limit, "; ")


def _file_lines(record: FileRecord, limit: int, brief: bool) -> list[str]:
    lines = []
    for _, kind in machine_types(record)[:4]:
        if not brief:
            lines.append(f"{kind.name} is one of {_listing(kind.members, limit)}")
    if brief:
        return lines
    others = [kind.name for kind in record.types]
    others += [kind.name for unit in record.units for kind in unit.types]
    found = {
        "types": _listing((n for n in others if not any(n in line for line in lines)), limit),
        "routines": _listing((routine.name for routine in record.routines), limit),
        "parameters": _parameters(record.parameters, limit),
        "macros": _listing((macro.name for macro in record.macros), limit),
        "includes": _listing((name for name, _ in record.includes), limit),
        "imports": _listing((name for name, _ in record.imports), limit),
        "binds": _listing((f"{bind.unit} to {bind.target}" for bind in record.binds), limit),
    }
    return [*lines, *(f"{label}: {text}" for label, text in found.items() if text)]


def _parent_lines(around: Neighbourhood, limit: int) -> list[str]:
    lines = []
    for parent in around.parents[:limit]:
        note = _note(parent.comment)
        line = f"instantiated in {parent.parent} as {parent.name}"
        lines.append(f"{line}: {note}" if note else line)
    more = around.n_parents - min(limit, len(around.parents))
    if lines and more > 0:
        lines.append(f"and instantiated {more} more times")
    return lines


def _user_lines(around: Neighbourhood, limit: int) -> list[str]:
    """Returns a line for each way in which other files use this one."""
    found = {
        "imported by": ([_stem(p) for p in around.importers], around.n_importers),
        "included by": ([_stem(p) for p in around.includers], around.n_includers),
        "extended by": (list(around.extenders), around.n_extenders),
        "bound to": ([target for target, _ in around.binders], len(around.binders)),
    }
    return [
        f"{label} {_listing(names, limit, total=total)}"
        for label, (names, total) in found.items()
        if names
    ]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _note(comment: str) -> str:
    """Returns the first sentence of a comment, short."""
    return clip(next(iter(sentences(comment)), ""), _NOTE_WORDS)


def _listing(names: Iterable[str], limit: int, mark: str = ", ", total: int = 0) -> str:
    """Returns distinct names, and how many more there are."""
    distinct = list(dict.fromkeys(name for name in names if name))
    more = max(total, len(distinct)) - len(distinct[:limit])
    text = mark.join(distinct[:limit])
    return f"{text}{mark}and {more} more" if more > 0 and text else text
