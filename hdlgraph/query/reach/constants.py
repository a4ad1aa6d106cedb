"""The constants of a repository with their values, and the regions that their names give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from hdlgraph.model import FileRecord
from hdlgraph.query.reach.numbers import NoNumberError, value
from hdlgraph.query.reach.records import Constant, Region

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_BASES = frozenset({"base", "start", "origin"})
_SIZES = frozenset({"length", "size", "len", "bytes", "range"})
_SWITCHES = frozenset({"supported", "enabled", "present", "exists", "used"})
"""What names say of whether a block is there."""
_ENDS = frozenset({"end", "last", "limit", "high"})
_PLAIN = frozenset({"addr", "address", "gp", "lp", "lc", "space", "mem", "region", "dev", "p"})
_NEVER = frozenset(
    {"width", "bits", "lsb", "msb", "offset", "csr", "idx", "index", "num", "shift", "log", "reset"}
)
_ATTRIBUTES = frozenset(
    """idempotent nonidempotent execute executable cached cacheable cachable uncached uncacheable
    noncacheable bufferable pma pmp""".split()
)
"""What names say of how a core may access a range; that decodes no address."""
ALONE = 3
"""Bases without a size of one unit make a map from so many on."""


class Constants:
    """The parameters and members of enumerations of all units, by name.

    Args:
        records: the facts of all files.
    """

    def __init__(self, records: Sequence[FileRecord]) -> None:
        self.all: list[Constant] = []
        self._by_name: dict[str, list[Constant]] = {}
        self._by_place: dict[tuple[str, str], list[Constant]] = {}
        for one in _constants(records):
            self.all.append(one)
            self._by_name.setdefault(one.name, []).append(one)
            self._by_place.setdefault((one.path, one.unit), []).append(one)

    def of_place(self, path: str, unit: str) -> list[Constant]:
        """Returns the constants of a unit or package, of a file those outside of all units."""
        return self._by_place.get((path, unit), [])

    def value_of(self, text: str, unit: str = "", depth: int = 0) -> int:
        """Returns the value of an expression as a unit sees it.

        Raises:
            NoNumberError: it has none that the text tells.
        """

        def known(name: str) -> int:
            found = self.find(name, unit)
            if found is None or depth > 20:
                raise NoNumberError(name)
            return self.value_of(found.text, found.unit, depth + 1)

        return value(text, known)

    def find(self, name: str, unit: str = "") -> Constant | None:
        """Returns the constant that a name means in a unit: its own, else the only one."""
        scope, _, short = name.lstrip("`").rpartition("::")
        named = self._by_name.get(short, [])
        own = [one for one in named if one.unit == (scope or unit)]
        if own:
            return own[0]
        return named[0] if len({one.text for one in named}) == 1 and not scope else None


def _constants(records: Iterable[FileRecord]) -> Iterator[Constant]:
    for record in records:
        for macro in record.macros:
            if macro.body and not macro.parameters:
                yield Constant(macro.name, "", macro.body, record.path, macro.line)
        for scope, parameters, types in (
            ("", record.parameters, record.types),
            *((unit.name, unit.parameters, unit.types) for unit in record.units),
        ):
            for one in parameters:
                if one.default:
                    yield Constant(one.name, scope, one.default, record.path, one.line)
            for of in types:
                if of.kind == "enum":
                    before = "0"
                    for number, member in enumerate(of.fields):
                        before = member.type or (f"({before}) + 1" if number else "0")
                        yield Constant(member.name, scope, before, record.path, member.line)


def parts(name: str) -> tuple[str, ...]:
    """Returns the words of a name, in small letters."""
    return tuple(one.lower() for one in _PARTS.findall(name))


def stem(name: str) -> tuple[str, ...]:
    """Returns what a name of a base, size, mask or end says of the block."""
    left_out = _BASES | _SIZES | _ENDS | _PLAIN | {"mask"}
    return tuple(one for one in parts(name) if one not in left_out)


def role(name: str) -> str:
    """Returns what a name says its number is: base, size, mask, end, or ""."""
    words = frozenset(parts(name))
    if words & (_NEVER | _ATTRIBUTES):
        return ""
    for kind, of in (("mask", {"mask"}), ("size", _SIZES), ("end", _ENDS), ("base", _BASES)):
        if words & of:
            return kind
    is_space = {"addr", "space"} <= words or {"address", "space"} <= words
    return "base" if is_space or {"reg", "addr"} <= words else ""


def size_of(kind: str, number: int, base: int) -> int:
    """Returns the bytes of a region from its size, mask or end; -1 where that makes no sense."""
    if kind == "size":
        # An odd one is the greatest offset: some maps give that as the length.
        return number + 1 if number & 0xFF == 0xFF else number
    if kind == "mask":
        for width in (0, 32, 64):
            one = number if not width else ~number & ((1 << width) - 1)
            if one >= 0 and one & (one + 1) == 0:
                return one + 1
        return -1
    size = number - base
    return size + 1 if number & 0xF == 0xF else size


def named_regions(constants: Constants) -> list[Region]:
    """Returns the regions that the constants of packages and modules state by their names."""
    by_unit: dict[tuple[str, str], list[Constant]] = {}
    for one in constants.all:
        if role(one.name):
            by_unit.setdefault((one.path, one.unit), []).append(one)
    return [
        region
        for _, them in sorted(by_unit.items())
        for region in _of_unit(constants, them)
    ]  # fmt: skip


def _of_unit(constants: Constants, them: Sequence[Constant]) -> list[Region]:
    """Returns the regions that constants of one unit or package state by their names."""
    numbers: dict[tuple[str, tuple[str, ...]], int] = {}
    off = _left_out(constants, them[0].unit, them[0].path)
    bases: list[tuple[Constant, int]] = []
    for one in them:
        text = one.text.strip()
        inner = re.fullmatch(r"'?\{([^{},]*)\}", text)  # an array of one
        try:
            number = constants.value_of(inner[1] if inner else text, one.unit)
        except NoNumberError:
            continue
        kind = role(one.name)
        if kind == "base":
            bases.append((one, number))
        else:
            numbers.setdefault((kind, stem(one.name)), number)
    found = []
    for one, base in sorted(bases, key=lambda pair: (pair[1], pair[0].line)):
        size = -1
        for kind in ("size", "mask", "end"):
            number = numbers.get((kind, stem(one.name)), -1)
            size = size_of(kind, number, base) if number >= 0 and size <= 0 else size
        switch = off.get(stem(one.name), "")
        how = f"constant {one.name}" + (f", left out as {switch} is 0" if switch else "")
        name = "_".join(stem(one.name)) or one.name
        found.append(Region(name, base, max(size, -1), "", one.unit, one.path, one.line, how))
    sized = [one for one in found if one.size > 0]
    plain = [one for one in found if one.size > 0 or _is_address(one.how.split()[1].rstrip(","))]
    return _bounded(plain) if sized or len(plain) >= ALONE else []


def _left_out(constants: Constants, unit: str, path: str) -> dict[tuple[str, ...], str]:
    """Returns the blocks that a constant of a unit or package leaves out, with its name."""
    found = {}
    for one in constants.of_place(path, unit):
        words = parts(one.name)
        if words[-1:] and words[-1] in _SWITCHES:
            try:
                number = constants.value_of(one.text, one.unit)
            except NoNumberError:
                continue
            if number == 0:
                found[words[:-1]] = one.name
    return found


def _is_address(name: str) -> bool:
    """Returns whether a base without a size is one of addresses, as far as its name shows."""
    words = parts(name)
    return bool({"addr", "address"} & set(words)) or words[-1:] == ("base",)


def _bounded(found: Sequence[Region]) -> list[Region]:
    """Returns regions, those without a size up to the next base."""
    starts = sorted({one.base for one in found})
    if sum(one.size <= 0 for one in found) < ALONE:
        starts = []
    return [
        one
        if one.size > 0
        else one._replace(size=-1, until=next((at for at in starts if at > one.base), -1))
        for one in found
    ]
