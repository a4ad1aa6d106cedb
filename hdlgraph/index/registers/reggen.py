"""Reads descriptions of registers in the Hjson form of OpenTitan's register generator."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hdlgraph.index.registers.hjson import Node
from hdlgraph.store.design.registers import Field, Register, RegisterBlock

MOST = 20_000
"""Registers of one file."""
BYTES = 1 << 40
"""Greatest offset."""
WIDE = 4096
"""Bits of a register or field."""
TEXT = 200
"""Characters of a description that are kept."""
_NUMBER = re.compile(r"(?:0x[0-9a-fA-F_]{1,16}|0b[01_]{1,64}|\d{1,18})")
_BITS = re.compile(r"\s*(\w{1,60})\s*(?::\s*(\w{1,60})\s*)?")
_SIZED = re.compile(r"\d{0,4}'s?([bdhBDH])([0-9a-fA-F_]{1,64})")


class BrokenRegistersError(ValueError):
    """A description cannot be understood; the message names the line."""


def read_reggen(path: str, tree: Node) -> list[RegisterBlock]:
    """Returns the blocks of registers that a description has; none where it is something else.

    Args:
        path: of the file.
        tree: its content.

    Raises:
        BrokenRegistersError: it has registers that cannot be understood.
    """
    registers = tree.get("registers")
    name = tree.get("name").text()
    if not name or not isinstance(registers.value, (list, dict)):
        return []
    if isinstance(registers.value, list):
        return [_Block(path, tree, name).read(registers)]
    named = registers.value.items()
    return [_Block(path, tree, name, of).read(node) for of, node in named if node.items()]


class _Block:
    def __init__(self, path: str, tree: Node, name: str, interface: str = "") -> None:
        self._path, self._tree = path, tree
        self._name = f"{name}_{interface}" if interface and interface != "null" else name
        bits = number(tree.get("regwidth").text("32"), 32)
        self._word = min(max(8, bits), WIDE) // 8
        self._parameters = {
            one.get("name").text(): one.get("default").text()
            for one in tree.get("param_list").items()
        }
        self._at = 0

    def read(self, entries: Node) -> RegisterBlock:
        first = not self._name.endswith("_null") and self._name == self._tree.get("name").text()
        found = list(self._implied()) if first else []
        for entry in entries.items():
            found += self._entry(entry)
            if len(found) > MOST:
                raise BrokenRegistersError(f"line {entry.line}: more than {MOST} registers")
        line = self._tree.get("name").line
        return RegisterBlock(self._name, "hjson", self._path, line, tuple(found))

    def _implied(self) -> Iterator[Register]:
        """Yields the registers that the generator adds for interrupts and alerts."""
        interrupts = self._tree.get("interrupt_list").items()
        if interrupts and not _is_true(self._tree.get("no_auto_intr_regs")):
            for name, access, hardware in (
                ("INTR_STATE", "rw1c", "hrw"),
                ("INTR_ENABLE", "rw", "hro"),
                ("INTR_TEST", "wo", "hro"),
            ):
                yield self._of_signals(name, interrupts, access, hardware)
        alerts = self._tree.get("alert_list").items()
        if alerts and not _is_true(self._tree.get("no_auto_alert_regs")):
            yield self._of_signals("ALERT_TEST", alerts, "wo", "hro")

    def _of_signals(self, name: str, signals: list[Node], access: str, hardware: str) -> Register:
        fields, lsb = [], 0
        for one in signals:
            width = number(self._value(one.get("width").text("1")), 1)
            width = min(max(1, width), WIDE)
            fields.append(
                Field(
                    one.get("name").text(), lsb, width, access, hardware, "0", one.line, _short(one)
                )
            )
            lsb += width
        line = signals[0].line
        return Register(
            name, "register", self._take(1), 1, self._word, access, line, "", tuple(fields)
        )

    def _entry(self, entry: Node) -> list[Register]:
        """Returns the registers of one entry, and moves the offset as the generator does."""
        if not isinstance(entry.value, dict):
            raise BrokenRegistersError(f"line {entry.line}: a register is no object")
        for key, step in (("skipto", 0), ("reserved", self._word)):
            if key in entry.value:
                to = number(self._value(entry.value[key].text()), -1)
                if not 0 <= to < BYTES:
                    raise BrokenRegistersError(f"line {entry.line}: {key} is no number")
                self._at = self._at + to * step if step else to
                if self._at > BYTES:
                    raise BrokenRegistersError(f"line {entry.line}: beyond the largest offset")
                return []
        if "window" in entry.value:
            return [self._window(entry.value["window"])]
        if "multireg" in entry.value:
            return [self._array(entry.value["multireg"])]
        if "sameaddr" in entry.value:
            at, found = self._at, []
            for one in entry.value["sameaddr"].items():
                self._at = at
                found += self._entry(one)
            return found
        if not entry.get("name").text():
            raise BrokenRegistersError(f"line {entry.line}: a register has no name")
        return [self._register(entry)]

    def _register(self, entry: Node) -> Register:
        return Register(
            entry.get("name").text(), "register", self._take(1), 1, self._word,
            entry.get("swaccess").text(), entry.get("name").line, _short(entry),
            tuple(self._fields(entry)),
        )  # fmt: skip

    def _array(self, entry: Node) -> Register:
        """Returns an array: of several fields in a register where one alone is repeated."""
        if not entry.get("name").text():
            raise BrokenRegistersError(f"line {entry.line}: an array of registers has no name")
        fields = tuple(self._fields(entry))
        copies = number(self._value(entry.get("count").text()), 0)
        if len(fields) == 1 and entry.get("compact").text("true") != "false" and fields[0].width:
            a_word = max(1, self._word * 8 // (max(fields[0].lsb, 0) + fields[0].width))
            copies = -(-copies // a_word)
        if not 0 <= copies <= MOST:
            raise BrokenRegistersError(f"line {entry.line}: more than {MOST} registers")
        return Register(
            entry.get("name").text(), "array", self._take(copies), copies, self._word,
            entry.get("swaccess").text(), entry.get("name").line, _short(entry), fields,
        )  # fmt: skip

    def _window(self, entry: Node) -> Register:
        size = self._word * number(self._value(entry.get("items").text()), 0)
        if not 0 < size < BYTES:
            raise BrokenRegistersError(f"line {entry.line}: a window without a size")
        if self._at >= 0:
            room = 1 << (size - 1).bit_length()
            self._at = -(-self._at // room) * room
        at, self._at = self._at, self._at + size if self._at >= 0 else -1
        return Register(
            entry.get("name").text(), "window", at, 1, size, entry.get("swaccess").text(),
            entry.line, _short(entry),
        )  # fmt: skip

    def _take(self, count: int) -> int:
        """Returns the present offset and goes on; -1 from a register of unknown number on."""
        at = self._at
        self._at = at + count * self._word if at >= 0 and count else -1
        return at

    def _fields(self, entry: Node) -> Iterator[Field]:
        fields = entry.get("fields").items()
        for one in fields:
            if not isinstance(one.value, dict):
                raise BrokenRegistersError(f"line {one.line}: a field is no object")
            lsb, width = self._bits(one.get("bits"))
            name = one.get("name").text()
            name = name or (entry.get("name").text() if len(fields) == 1 else f"F{max(lsb, 0)}")
            yield Field(
                name, lsb, width,
                one.get("swaccess").text() or entry.get("swaccess").text("ro"),
                one.get("hwaccess").text() or entry.get("hwaccess").text("hro"),
                one.get("resval").text() or entry.get("resval").text() or "0",
                (one.get("name") if one.get("name").text() else one).line, _short(one),
            )  # fmt: skip

    def _bits(self, node: Node) -> tuple[int, int]:
        """Returns (lowest bit, width); (-1, 0) where they depend on what nothing states."""
        found = _BITS.fullmatch(node.text())
        if found is None:
            return self._range(node.text())
        high = number(self._value(found[1]), -1)
        low = number(self._value(found[2]), -1) if found[2] else high
        return (low, high - low + 1) if 0 <= low <= high < WIDE else (-1, 0)

    def _range(self, text: str) -> tuple[int, int]:
        """Returns the bits of `WIDTH-1:0`."""
        found = re.fullmatch(r"\s*(\w{1,60})\s*-\s*1\s*:\s*0\s*", text)
        width = number(self._value(found[1]), 0) if found else 0
        return (0, width) if 0 < width <= WIDE else (-1, 0)

    def _value(self, text: str) -> str:
        """Returns the default of a parameter, of any other text the text."""
        return self._parameters.get(text.strip(), text)


def number(text: str, default: int) -> int:
    """Returns the number that a text is, as Hjson or Verilog write it, else `default`."""
    text = text.strip().replace(" ", "")
    sized = _SIZED.fullmatch(text)
    if sized:
        base = {"b": 2, "d": 10, "h": 16}[sized[1].lower()]
        try:
            return int(sized[2].replace("_", "") or "x", base)
        except ValueError:
            return default
    if not _NUMBER.fullmatch(text):
        return default
    lower = text.lower()
    try:
        return int(text.replace("_", ""), 16 if "x" in lower else 2 if "b" in lower else 10)
    except ValueError:
        return default


def _is_true(node: Node) -> bool:
    return node.text().lower() in ("true", "1")


def _short(node: Node) -> str:
    """Returns the first sentence of a description."""
    words = " ".join(node.get("desc").text()[: 4 * TEXT].split())
    first = re.match(r".*?[.!?](?=\s|$)", words)
    return (first[0] if first else words)[:TEXT]
