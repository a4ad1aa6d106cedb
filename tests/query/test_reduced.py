"""Conditions are told without constants and double negations, and mean what the source says."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.query.signals.conditions.reduced import Known, reduced, settled

BITS = Known(is_bit=lambda text: text in ("a", "b", "c", "w[1]"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1'b1 && a", "a"),
        ("a || 1'b0", "a"),
        ("1'b0 && a", "1'b0"),
        ("a || 1'b1", ""),
        ("!(!a)", "a"),
        ("!(!(a || b))", "a || b"),
        ("!(a)", "!a"),
        ("!(w != 2)", "w == 2"),
        ("!(w == 2)", "!(w == 2)"),
        ("(a == 1'b0)", "!a"),
        ("w == 1'b0", "!w"),
        ("!(w == 1'b0)", "w"),
        ("a == 1'b1", "a"),
        ("w == 1'b1", "w == 1'b1"),
        ("w[1] == 1'b1 && !(!(~b))", "w[1] && !b"),
        ("!(~a)", "a"),
        ("!(~w)", "!(~w)"),
        ("a & 1'b1", "a"),
        ("w & 1'b1", "w & 1'b1"),
        ("1'b1 && (a || b) && c", "(a || b) && c"),
        ("(a || b) && !(!c)", "(a || b) && c"),
        ("(1'b1) ? a : b", "a"),
        ("w ? a : b", "w ? a : b"),
        ("f(1'b1 && a)", "f(1'b1 && a)"),
        ("w inside {1'b1, 2}", "w inside {1'b1, 2}"),
        ("2'b11 + 2'b01", "2'b11 + 2'b01"),
        ("(a && b)", "(a && b)"),
        ("`FOO == 1'b0", "!`FOO"),
        ("!!a", "a"),
        ('name == "1\'b1 && a"', 'name == "1\'b1 && a"'),
    ],
)
def test_a_condition_is_reduced(text: str, told: str) -> None:
    assert reduced(text, BITS) == told


def test_a_choice_of_a_known_test_has_one_value() -> None:
    number = Known(number={"FAST": 1, "WIDE": 0}.get)
    assert settled("FAST ? x : y", number) == "x"
    assert settled("(WIDE == 1) ? x : FAST ? y : z", number) == "y"
    assert settled("go ? x : y", number) == "go ? x : y"


def a_condition(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return draw.choice(["a", "b", "w", "1'b0", "1'b1", "~a", "~w", "2'd2"])
    one, other = (a_condition(draw, depth - 1) for _ in range(2))
    sign = draw.choice(["&&", "||", "&", "|", "==", "!=", "!", "~", "?", "<"])
    if sign == "!":
        return f"!({one})"
    if sign == "~":
        return f"~({one})"
    if sign == "?":
        return f"(({one}) ? {one} : ({other}))"
    return f"({one}) {sign} ({other})"


def value_of(text: str, at: dict[str, int]) -> int:
    """Returns the value of a condition; all but `w` is one bit."""
    return Reader(text, at).all()


class Reader:
    """A small reader of its own: numbers are (value, width)."""

    LEVELS = (("||",), ("&&",), ("|",), ("&",), ("==", "!="), ("<",))

    def __init__(self, text: str, at: dict[str, int]) -> None:
        self.tokens = re.findall(r"\d'[bd]\d+|\w+|&&|\|\||[!=]=|\S", text)
        self.known, self.place = at, 0

    def all(self) -> int:
        if not self.tokens:
            return 1
        found = self.choice()
        assert self.place == len(self.tokens)
        return int(found[0] != 0)

    def sign(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def choice(self) -> tuple[int, int]:
        test = self.binary(0)
        if self.sign() != "?":
            return test
        self.place += 1
        first = self.choice()
        self.place += 1
        second = self.choice()
        return (first if test[0] else second)[0], max(first[1], second[1])

    def binary(self, level: int) -> tuple[int, int]:
        if level == len(self.LEVELS):
            return self.single()
        left = self.binary(level + 1)
        while (sign := self.sign()) in self.LEVELS[level]:
            self.place += 1
            right = self.binary(level + 1)
            wide = max(left[1], right[1])
            left = {
                "||": (int(bool(left[0] or right[0])), 1),
                "&&": (int(bool(left[0] and right[0])), 1),
                "|": (left[0] | right[0], wide), "&": (left[0] & right[0], wide),
                "==": (int(left[0] == right[0]), 1), "!=": (int(left[0] != right[0]), 1),
                "<": (int(left[0] < right[0]), 1),
            }[sign]  # fmt: skip
        return left

    def single(self) -> tuple[int, int]:
        token = self.tokens[self.place]
        self.place += 1
        if token == "(":
            found = self.choice()
            self.place += 1
            return found
        if token == "!":
            return int(not self.single()[0]), 1
        if token == "~":
            value, width = self.single()
            return ~value & ((1 << width) - 1), width
        if "'" in token:
            return int(token.partition("'")[2][1:], 10), int(token[0])
        return self.known[token], 2 if token == "w" else 1


def test_random_conditions_mean_what_they_did() -> None:
    draw, changed = random.Random(5), 0
    known = Known(is_bit=lambda text: text in ("a", "b"))
    for _ in range(4000):
        text = a_condition(draw, draw.randint(1, 3))
        told = reduced(text, known)
        changed += told != text
        for a, b, w in itertools.product((0, 1), (0, 1), range(4)):
            at = {"a": a, "b": b, "w": w}
            assert value_of(text, at) == value_of(told, at), (text, told, at)
    assert changed > 1000


DESIGN = """module reducing(input logic a, b, input logic [3:0] w,
input logic c, output logic q, r, s);
always_comb begin
  q = 1'b0;
  if (1'b1 && a) q = b;
  if (!(!(a == 1'b0))) begin if (w == 1'b1) r = a; end else r = b;
  case (1'b1) a: s = 1'b0; b: s = 1'b1; default: s = c; endcase
end
endmodule
module feeding #(parameter CF = 2) (input logic a, output logic q);
if (1) begin : feed
  if (CF > 1) begin : fold assign q = a; end
end
endmodule"""


def test_drivers_are_told_with_reduced_conditions(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"reducing.sv": DESIGN})
    conditions = {
        signal: [one.condition for one in project.drivers("reducing", signal)] for signal in "qr"
    }
    assert conditions == {"q": ["", "a"], "r": ["!a && w == 1'b1", "a"]}
    (driver,) = project.drivers("feeding", "q")  # of a generate that is always there
    assert driver.condition == "CF > 1"


LEAF = """module leaf #(parameter bit FAST = 0, parameter int W = 4, parameter bit MIX = 0,
parameter bit BY = 0)(input clk, a, b, output logic q, r, s, t, u);
always_ff @(posedge clk) begin
  if (FAST && a) q <= b;
  if (W > 8) r <= a; else r <= b;
  if (MIX) t <= a;
  if (!BY) u <= a;
end
assign s = FAST ? a : b;
endmodule
module top(input clk, a, b, output [7:0] o);
localparam int DOUBLE = 2 * 8;
leaf #(.FAST(1), .W(DOUBLE), .MIX(1)) u(.clk, .a, .b, .q(o[0]), .r(o[1]), .s(o[2]));
leaf #(.FAST(1), .W(DOUBLE)) v(.clk, .a, .b, .q(o[3]), .r(o[4]), .s(o[5]));
endmodule
module bound #(parameter bit ON = 0)(input a, output logic y);
always_comb if (!ON) y = a;
endmodule
module set #(parameter int N = 1)(input a, output logic y);
always_comb if (N > 4) y = a;
endmodule
module sets(input a, output y);
set s(a, y);
defparam s.N = 8;
endmodule
bind leaf bound #(.ON(1)) u_bound(.a);
"""


def test_parameters_decide_where_all_instances_have_one_value(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"leaf.sv": LEAF})

    def told(signal: str, unit: str = "leaf") -> list[tuple[str, str, tuple[str, ...]]]:
        return [(one.condition, one.value, one.given) for one in project.drivers(unit, signal)]

    assert told("q") == [("a", "b", ("FAST = 1",))]
    assert told("r") == [("", "a", ("W = 16",)), ("!(W > 8)", "b", ("W = 16",))]
    assert told("s") == [("", "a", ("FAST = 1",))]
    assert [one.others for one in project.drivers("leaf", "s")] == [("a",)]
    assert told("t") == [("MIX", "a", ())]
    assert told("u") == [("", "a", ("BY = 0",))]
    assert told("y", "set") == [("N > 4", "a", ())]
    assert told("y", "bound") == [("!ON", "a", ())]
