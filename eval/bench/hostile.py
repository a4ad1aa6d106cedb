"""A repository of hostile files, written at run time: what real trees and fuzzers contain."""

from __future__ import annotations

from pathlib import Path

TERMS = 300_000
DEPTH = 50_000


def write_hostile(folder: Path) -> dict[str, str]:
    """Writes the files below `folder`; returns path -> what is hostile about it, sorted."""
    files = _files()
    for path, (_, data) in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return {path: files[path][0] for path in sorted(files)}


def _files() -> dict[str, tuple[str, bytes]]:
    """Returns path -> what is hostile about the file, and its bytes."""
    return {
        "rtl/good.sv": ("an ordinary module, for comparison", _module("good").encode()),
        "rtl/binary.v": ("binary", bytes(range(256)) * 256),
        "rtl/macro_bomb.v": ("macros that expand to 2^64 tokens", _macro_bomb().encode()),
        "rtl/long_expression.v": (f"an expression of {TERMS:,} terms", _expression().encode()),
        "rtl/deep_parentheses.v": (f"{DEPTH:,} nested parentheses", _nested("(", ")").encode()),
        "rtl/deep_begin.v": ("20,000 nested begin blocks", _begins(20_000).encode()),
        "rtl/utf16.sv": ("UTF-16 with a byte-order mark", _module("wide").encode("utf-16")),
        "rtl/latin1.v": (
            "Latin-1 comments",
            "// Zähler für ±5 µs\n".encode("latin-1") + _module("latin").encode(),
        ),
        "rtl/self_include.sv": (
            "includes itself",
            b'`include "self_include.sv"\n' + _module("again").encode(),
        ),
        "rtl/self_instance.v": (
            "instantiates itself",
            b"module loop_m(input a);\n  loop_m u(.a(a));\nendmodule\n",
        ),
        "rtl/include_ring_a.svh": (
            "two files that include each other",
            b'`include "include_ring_b.svh"\n',
        ),
        "rtl/include_ring_b.svh": (
            "two files that include each other",
            b'`include "include_ring_a.svh"\n',
        ),
        "rtl/outside_include.v": (
            "includes a path outside the repository",
            b'`include "../../../../etc/passwd"\n' + _module("outside").encode(),
        ),
        "rtl/empty.v": ("empty", b""),
        "rtl/nul.v": ("NUL bytes between the words", _module("nul").replace(" ", "\0").encode()),
        "rtl/truncated.sv": ("ends in the middle", _module("cut").encode()[:60]),
        "rtl/one_line.v": ("five megabytes on one line", _one_line().encode()),
        "rtl/open_comment.v": ("a comment that never ends", b"module m; /* " + b"x " * 50_000),
    }


def _module(name: str) -> str:
    return (
        f"// Counts the enabled clocks.\nmodule {name}(input clk, input en, output reg [7:0] n);\n"
        "  always @(posedge clk) if (en) n <= n + 1;\nendmodule\n"
    )


def _macro_bomb() -> str:
    lines = ["`define M0 1'b1 +"]
    lines += [f"`define M{i} `M{i - 1} `M{i - 1}" for i in range(1, 65)]
    return "\n".join(lines) + "\nmodule bomb(output y);\n  assign y = `M64 1'b0;\nendmodule\n"


def _expression() -> str:
    return "module terms(input a, output y);\n  assign y = " + "a + " * TERMS + "a;\nendmodule\n"


def _nested(left: str, right: str) -> str:
    inner = left * DEPTH + "a" + right * DEPTH
    return f"module deep(input a, output y);\n  assign y = {inner};\nendmodule\n"


def _begins(depth: int) -> str:
    return "module blocks;\n  initial " + "begin " * depth + "end " * depth + "\nendmodule\n"


def _one_line() -> str:
    return "module line(input a);" + "".join(f" wire w{i};" for i in range(400_000)) + " endmodule"
