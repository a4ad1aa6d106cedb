"""Ways to spoil a Verilog file: by bytes, and by what the readers have to keep track of.

Each mutator takes the bytes of a file, those of another one and a source of chance, and returns
other bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

MOST_BYTES = 1_000_000
"""No mutant is larger."""
Mutator = Callable[[bytes, bytes, Random], bytes]

_END = re.compile(rb"\b(end\w*|join\w*|`endif|\)|\}|\]|;)")
_NUMBER = re.compile(rb"\b\d+\b")
_NAME = re.compile(rb"\b[a-z_]\w*\b")
_UNIT = re.compile(rb"^[ \t]*(?:module|package|interface|class)\b[\s\S]*?^[ \t]*end\w+", re.M)
_TOKEN = re.compile(rb"\w+|[^\w\s]")


def _at(data: bytes, chance: Random) -> int:
    return chance.randrange(len(data) + 1)


def _put(data: bytes, text: bytes, chance: Random) -> bytes:
    """Returns the bytes with a text put at the begin of a line."""
    at = data.rfind(b"\n", 0, _at(data, chance)) + 1
    return data[:at] + text + b"\n" + data[at:]


def _swap(data: bytes, pattern: re.Pattern[bytes], text: bytes, chance: Random) -> bytes:
    """Returns the bytes with one match of a pattern replaced."""
    found = list(pattern.finditer(data))
    if not found:
        return _put(data, text, chance)
    match = chance.choice(found)
    return data[: match.start()] + text + data[match.end() :]


def flip(data: bytes, other: bytes, chance: Random) -> bytes:
    """Flips bits."""
    out = bytearray(data or b"\0")
    for _ in range(chance.choice((1, 4, 64))):
        out[chance.randrange(len(out))] ^= 1 << chance.randrange(8)
    return bytes(out)


def insert(data: bytes, other: bytes, chance: Random) -> bytes:
    """Inserts bytes of all values."""
    at = _at(data, chance)
    return data[:at] + chance.randbytes(chance.choice((1, 16, 4096))) + data[at:]


def delete(data: bytes, other: bytes, chance: Random) -> bytes:
    """Deletes a stretch."""
    at = _at(data, chance)
    return data[:at] + data[at + chance.choice((1, 20, 2000)) :]


def truncate(data: bytes, other: bytes, chance: Random) -> bytes:
    """Cuts the end off."""
    return data[: _at(data, chance)]


def splice(data: bytes, other: bytes, chance: Random) -> bytes:
    """Goes on with the rest of another file."""
    return data[: _at(data, chance)] + other[_at(other, chance) :]


def repeat(data: bytes, other: bytes, chance: Random) -> bytes:
    """Repeats a stretch very often."""
    at = _at(data, chance)
    part = data[at : at + chance.choice((1, 5, 100))] or b"("
    return data[:at] + part * chance.choice((10, 1000, 50_000)) + data[at:]


def nul(data: bytes, other: bytes, chance: Random) -> bytes:
    """Overwrites a stretch with zeros."""
    at = _at(data, chance)
    size = chance.choice((1, 100, 10_000))
    return data[:at] + bytes(size) + data[at + size :]


def encode(data: bytes, other: bytes, chance: Random) -> bytes:
    """Writes the text in another encoding."""
    text = data.decode("latin-1")
    name = chance.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig", "utf-7"))
    return text.encode(name, "replace")


def unicode(data: bytes, other: bytes, chance: Random) -> bytes:
    """Puts characters of other scripts, marks of direction and none at all into names."""
    odd = ("\u202e", "\u200b", "中", "\U0001f600", "\ufeff", "e\u0301" * 50, "\x85", "\u2028")
    return _swap(data, _NAME, chance.choice(odd).encode() * chance.choice((1, 500)), chance)


def line_ends(data: bytes, other: bytes, chance: Random) -> bytes:
    """Ends lines otherwise, or not at all."""
    return data.replace(b"\n", chance.choice((b"\r", b"\r\n", b" ", b"\\\n", b"\x0b", b"\n\n\n")))


def double(data: bytes, other: bytes, chance: Random) -> bytes:
    """Repeats a unit under the same name."""
    found = _UNIT.findall(data)
    return data + (b"\n" + chance.choice(found or [data])) * chance.choice((1, 30, 300))


def nest(data: bytes, other: bytes, chance: Random) -> bytes:
    """Puts the file within units, blocks or generate constructs."""
    count = chance.choice((1, 50, 2000))
    head, tail = chance.choice(
        (
            (b"module m;\n", b"endmodule\n"),
            (b"class c;\n", b"endclass\n"),
            (b"module m; generate if (1) begin\n", b"end endgenerate endmodule\n"),
            (b"`ifdef A\n", b"`endif\n"),
            (b"function f; begin : b\n", b"end endfunction\n"),
        )
    )
    return head * count + data + tail * count


def drop_end(data: bytes, other: bytes, chance: Random) -> bytes:
    """Drops what ends a construct, once or throughout."""
    if chance.random() < 0.3:
        word = chance.choice((rb"\bend\b", rb"\bendmodule\b", rb"`endif", rb"\)", rb";"))
        return re.sub(word, b"", data)
    return _swap(data, _END, b"", chance)


def unbalanced(data: bytes, other: bytes, chance: Random) -> bytes:
    """Opens what is not closed."""
    words = (b"begin ", b"`ifdef X\n", b"case (a) ", b"(", b"{", b"[", b"/*", b'"', b"fork ")
    more = (
        b"`else\n",
        b"`elsif A\n",
        b"if (a) ",
        b"generate ",
        b"module m ",
        b"function ",
        b"a ? ",
    )
    text = chance.choice(words + more) * chance.choice((1, 300, 20_000))
    return _put(data, text, chance)


def huge_number(data: bytes, other: bytes, chance: Random) -> bytes:
    """Replaces a number."""
    size = chance.choice((20, 400, 20_000))
    numbers = (b"9" * size, b"32'h" + b"f" * size, b"-1", b"99999999999'd1", b"1e" + b"9" * 20)
    more = (b"4294967295", b"2**(2**30)", b"{1000000000{1'b1}}", b"64'hx", b"1.0e-999999")
    return _swap(data, _NUMBER, chance.choice(numbers + more), chance)


def deep(data: bytes, other: bytes, chance: Random) -> bytes:
    """Replaces a name by an expression of great depth."""
    count = chance.choice((30, 1000, 30_000))
    pairs = (b"( )", b"{ }", b"a[ ]", b"f( )", b"! ", b"a?b: ", b"a+ ", b"{2{ }}", b"-( )", b"a. ")
    opened, _, closed = chance.choice(pairs).partition(b" ")
    return _swap(data, _NAME, opened * count + b"a" + closed * count, chance)


def long_name(data: bytes, other: bytes, chance: Random) -> bytes:
    """Replaces a name by one of many letters."""
    head = chance.choice((b"x", b"\\", b"`", b"$", b"a.", b"A_", b"aB"))
    return _swap(data, _NAME, head * chance.choice((200, 50_000)) + b"x ", chance)


def macros(data: bytes, other: bytes, chance: Random) -> bytes:
    """Defines macros that use themselves, or grow twofold at each step."""
    rings = b"`define A `B\n`define B `A `A\n`A\nmodule `A; endmodule\n"
    laughs = b"`define L0 x x\n" + b"".join(
        b"`define L%d `L%d `L%d\n" % (n, n - 1, n - 1) for n in range(1, 40)
    )
    takes = b"`define F(a) `F(`F(a)) a\n`F(" + b"(" * 200 + b"\n"
    parts = b"`define M(" + b",".join(b"a%d" % n for n in range(500)) + b") a1``a2\n`M(1)\n"
    text = chance.choice((rings, laughs + b"`L39\n", laughs + b"wire `L20;\n", takes, parts))
    return _put(data, text, chance)


def includes(data: bytes, other: bytes, chance: Random) -> bytes:
    """Includes this file and its neighbours in circles."""
    lines = [b'`include "m%04d.sv"\n' % chance.randrange(40) for _ in range(30)]
    odd = [b'`include "../../../etc/passwd"\n', b"`include </dev/zero>\n", b'`include "\n']
    return b"".join(lines[: chance.choice((1, 30))]) + chance.choice(odd) + data


def loops(data: bytes, other: bytes, chance: Random) -> bytes:
    """Adds generate loops, arrays and parameters that would never be unrolled."""
    texts = (
        b"for (genvar i = 0; i < 1000000000; i = i + 1) begin : g wire w; end",
        b"m #(.W(1000000000)) u [999999999:0] (.a(a));",
        b"parameter P = P + 1, Q = f(Q);\nm #(.P(P)) u(); m m(); ",
        b"reg [4294967295:0] r [4294967295:0];",
        b"assign a" + b" = a" * 3000 + b";",
        b"initial forever for (;;) #1 a <= a;\n" * 2000,
        b"typedef struct packed { " * 500,
        b"always @* case (a) " + b"1: b = c;\n" * 20_000,
    )
    return _put(data, chance.choice(texts), chance)


def directives(data: bytes, other: bytes, chance: Random) -> bytes:
    """Adds directives that are broken."""
    texts = (b'`line 99999999999999999999 "x" 9', b"`timescale 1", b"`protected " + b"x" * 5000)
    more = (b"`define", b"`undefineall", b"`begin_keywords", b"`pragma protect begin_protected")
    last = (b"`define A \\\n" * 2000, b"`ifdef" * 500, b"`resetall`default_nettype", b"`" * 5000)
    return _put(data, chance.choice(texts + more + last), chance)


def blanks(data: bytes, other: bytes, chance: Random) -> bytes:
    """Adds blanks, tabs, stars and slashes in great number."""
    text = chance.choice((b" ", b"\t", b"\n", b"*", b"/", b"//", b"(*", b" (", b"\\ ", b"#", b"a "))
    return _put(data, text * chance.choice((100, 10_000, 300_000)), chance)


def shuffle(data: bytes, other: bytes, chance: Random) -> bytes:
    """Exchanges tokens."""
    found = list(_TOKEN.finditer(data))
    for _ in range(chance.choice((1, 10))):
        if found:
            match = chance.choice(found)
            data = data[: match.start()] + chance.choice(found)[0] + data[match.end() :]
    return data


MUTATORS: tuple[Mutator, ...] = (
    *(flip, insert, delete, truncate, splice, repeat, nul, encode, unicode, line_ends),
    *(double, nest, drop_end, unbalanced, huge_number, deep, long_name, macros, includes),
    *(loops, directives, blanks, shuffle),
)


def mutant(data: bytes, other: bytes, chance: Random) -> tuple[bytes, str]:
    """Returns (a spoilt file, the names of what was done to it)."""
    done = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        mutator = chance.choice(MUTATORS)
        data = mutator(data, other, chance)[:MOST_BYTES]
        done.append(mutator.__name__)
    return data, "+".join(done)
