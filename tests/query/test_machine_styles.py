"""One machine in each style in which designs write it: the transitions told are those it makes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from _machines import STATES, Tree, a_tree, holds, is_from, next_of, situations, text_of

from hdlgraph.project import Project
from hdlgraph.query.signals.records import Transition

EVERY = frozenset(STATES)
EACH = 12
"""Machines of each style."""
PORTS = "(input c, input r, input x, input y, input z);"
ENUM = "typedef enum logic [2:0] {A, B, C, D} t;"
CLOCKED = "always_ff @(posedge c or negedge r) if (!r) s <= A; else s <= n;"
Line = tuple[str, frozenset[str]]


def plain(lines: str) -> list[Line]:
    return [(line, EVERY) for line in lines.splitlines()]


def renamed(lines: list[Line], *names: tuple[str, str]) -> list[Line]:
    """Returns lines with names, given as patterns, replaced."""
    out = []
    for line, rest in lines:
        for pattern, new in names:
            line = re.sub(rf"(?<![\w.]){pattern}(?!\w)", new, line)
        out.append((line, rest))
    return out


def returned(name: str, body: list[Line]) -> list[Line]:
    """A function of the state that returns the next one; an input is turned at the call."""
    head = plain(f"""module {name} {PORTS}
{ENUM} t s, n;
function automatic t follow(t st, logic x, y, w);""")
    own = renamed(body, ("s", "st"), ("z", "(!w)"), ("n =", "return"))
    tail = f"return st;\nendfunction\nassign n = follow(s, x, y, !z);\n{CLOCKED}\nendmodule"
    return [*head, *own, *plain(tail)]


def early(name: str, body: list[Line]) -> list[Line]:
    """A function of which each path that sets nothing ends in one last return."""
    head = plain(f"""module {name} {PORTS}
{ENUM} t s, n;
function automatic t follow(t st, logic go, logic stop);
if (go && stop)
return B;""")
    own = renamed(body, ("s", "st"), ("x", "go"), ("n =", "return"))
    inner = [(re.sub(r"\by\b", "stop", line), rest) for line, rest in own]
    tail = f"return A;\nendfunction\nassign n = follow(s, x, y);\n{CLOCKED}\nendmodule"
    return [*head, *inner, *plain(tail)]


def by_name(name: str, body: list[Line]) -> list[Line]:
    """A function that assigns its own name, called with arguments by name beside a choice."""
    head = plain(f"""module {name} {PORTS}
localparam A = 0, B = 1, C = 2, D = 3; reg [1:0] s; wire [1:0] n;
function [1:0] follow; input [1:0] st; input x, y, z; begin
follow = st;""")
    own = renamed(body, ("s", "st"), ("n", "follow"))
    call = "assign n = follow(.y(y), .x(x), .st(s), .z(z));"
    return [*head, *own, *plain(f"end endfunction\n{call}\n{CLOCKED}\nendmodule")]


def a_local(name: str, body: list[Line]) -> list[Line]:
    """A function that returns a variable of its own."""
    head = plain(f"""module {name} {PORTS}
{ENUM} t s, n;
function automatic t follow(t st);
t nx;
nx = st;""")
    own = renamed(body, ("s", "st"), ("n", "nx"))
    tail = f"return nx;\nendfunction\nalways_comb n = follow(s);\n{CLOCKED}\nendmodule"
    return [*head, *own, *plain(tail)]


def in_task(name: str, body: list[Line]) -> list[Line]:
    """A task that sets the state itself, by a further task."""
    head = plain(f"""module {name} {PORTS}
{ENUM} t s;
task automatic put(input t value); begin
s <= value;
end endtask
task step; begin""")
    own = [(re.sub(r"n = (.*);", r"put(\1);", line), rest) for line, rest in body]
    tail = """end endtask
always_ff @(posedge c or negedge r)
if (!r) s <= A; else step;
endmodule"""
    return [*head, *own, *plain(tail)]


def as_output(name: str, body: list[Line]) -> list[Line]:
    """A task that gives the next state out by an argument."""
    head = plain(f"""module {name} {PORTS}
{ENUM} t s, n;
task automatic step(input t from, output t follow); begin""")
    own = renamed(body, ("s", "from"), ("n", "follow"))
    tail = f"end endtask\nalways_comb begin n = s;\nstep(s, n);\nend\n{CLOCKED}\nendmodule"
    return [*head, *own, *plain(tail)]


def in_record(name: str, body: list[Line]) -> list[Line]:
    """Two processes with records, the next value made in a variable."""
    head = plain(f"""module {name} {PORTS}
{ENUM}
typedef struct packed {{ logic [3:0] count; t state; }} all_t; all_t q, d;
always_comb begin : made
all_t v; v = q; v.count = q.count + 4'd1;""")
    own = renamed(body, ("s", "q.state"), ("n", "v.state"))
    tail = """d = v;
end
always_ff @(posedge c or negedge r) if (!r) q <= '{state: A, default: '0}; else q <= d;
endmodule"""
    return [*head, *own, *plain(tail)]


def numbers(name: str, body: list[Line]) -> list[Line]:
    """States without names, in a register whose name does not tell."""
    head = plain(f"""module {name} {PORTS}
reg [1:0] s, n;
{CLOCKED.replace("A", "2'd0")}
always @* begin n = s;""")
    own = renamed(body, *((state, f"2'd{at}") for at, state in enumerate(STATES)))
    return [*head, *own, *plain("end\nendmodule")]


def choice_of(tree: Tree) -> str:
    if tree[0] == "set":
        return value_of(tree[1])
    if tree[0] == "if":
        return f"(({tree[1]}) ? {choice_of(tree[2])} : {choice_of(tree[3])})"  # type: ignore
    arms = [
        (" || ".join(f"s == {label}" for label in labels), choice_of(inner))  # type: ignore
        for labels, inner in tree[1]  # type: ignore[union-attr, misc]
    ]
    rest = choice_of(tree[2]) if tree[2] is not None else "s"  # type: ignore[arg-type]
    return "(" + " : ".join(f"({test}) ? {value}" for test, value in arms) + f" : {rest})"


def value_of(value: object) -> str:
    if isinstance(value, str):
        return value
    test, first, second = value  # type: ignore[misc]
    return f"(({test}) ? {value_of(first)} : {value_of(second)})"


def a_choice(name: str, tree: Tree) -> list[Line]:
    """One assignment with choices in each other."""
    return plain(f"""module {name} {PORTS}
localparam A = 0, B = 1, C = 2, D = 3; reg [1:0] s; wire [1:0] n;
assign n = {choice_of(tree)};
{CLOCKED}
endmodule""")


def hot_lines(body: list[Line], index: Callable[[str], str]) -> list[Line]:
    """Returns the lines of a tree whose values are no choices, in one-hot code."""
    out = []
    for line, rest in body:
        line = re.sub(r"s inside \{(\w), (\w)\}", r"(s == \1 || s == \2)", line)
        line = re.sub(r"s == (\w)|\b(\w) == s", lambda m: f"s[{m[1] or m[2]}]", line)
        line = re.sub(r"s != (\w)", r"!s[\1]", line).replace("case (s)", "unique case (1'b1)")
        if label := re.fullmatch(r"((?:\w, )*\w): begin", line):
            line = ", ".join(f"s[{one}]" for one in label[1].split(", ")) + ": begin"
        line = re.sub(r"n = (\w);", r"n[\1] = 1'b1;", line)
        line = re.sub(r"(?<=\[)[A-D](?=\])", lambda m: index(m[0]), line)
        out.append((line, rest))
    return out


def one_hot(name: str, body: list[Line], index: Callable[[str], str]) -> list[Line]:
    head = plain(f"""module {name} {PORTS}
localparam A = 0, B = 1, C = 2, D = 3; reg [3:0] s, n;
always @(posedge c or negedge r) if (!r) begin s <= 4'b0; s[{index("A")}] <= 1'b1; end
else s <= n;
always @* begin n = 4'b0;""")
    return [*head, *hot_lines(body, index), *plain("end\nendmodule")]


def without_choices(tree: Tree) -> Tree:
    """Returns a tree whose values are states; what a value chooses is a test."""
    if tree[0] == "set":
        value = tree[1]
        if isinstance(value, str):
            return tree
        test, first, second = value  # type: ignore[misc]
        return ("if", test, without_choices(("set", first)), without_choices(("set", second)))
    if tree[0] == "if":
        return ("if", tree[1], without_choices(tree[2]), without_choices(tree[3]))  # type: ignore
    arms = [(labels, without_choices(inner)) for labels, inner in tree[1]]  # type: ignore
    return ("case", arms, without_choices(tree[2]) if tree[2] else None)  # type: ignore


def in_package(name: str, body: list[Line]) -> list[Line]:
    """A function of a package, called by the package's name or imported."""
    package = f"{name}_pkg"
    head = plain(f"""package {package}; {ENUM}
function automatic logic turned(logic value); return !value; endfunction
function automatic t follow(t st, logic x, y, w);""")
    own = renamed(body, ("s", "st"), ("z", "(!w)"), ("n =", "return"))
    far = name.endswith(("1", "3", "5"))
    tail = f"""return st;
endfunction
endpackage
module {name} {f"import {package}::*;" * (not far)} {PORTS}
{f"{package}::t" if far else "t"} s, n;
assign n = {f"{package}::" * far}follow(s, x, y, !z);
{CLOCKED.replace("A", f"{package}::A" if far else "A")}
endmodule"""
    return [*head, *own, *plain(tail)]


def true_cases(name: str, body: list[Line]) -> list[Line]:
    """`case (1'b1)` whose arms compare the state."""
    head = plain(f"""module {name} {PORTS}
{ENUM} t s, n;
{CLOCKED}
always_comb begin n = s;""")
    own = []
    for text, rest in body:
        line = text.replace("case (s)", "case (1'b1)")
        if label := re.fullmatch(r"((?:\w, )*\w): begin", line):
            line = ", ".join(f"s == {one}" for one in label[1].split(", ")) + ": begin"
        own.append((line, rest))
    return [*head, *own, *plain("end\nendmodule")]


STYLES: dict[str, Callable[[str, list[Line]], list[Line]]] = {
    "returned": returned,
    "early": early,
    "by_name": by_name,
    "a_local": a_local,
    "in_package": in_package,
    "true_cases": true_cases,
    "in_task": in_task,
    "as_output": as_output,
    "in_record": in_record,
    "numbers": numbers,
    "hot_names": lambda name, body: one_hot(name, body, str),
    "hot_bits": lambda name, body: one_hot(name, body, lambda one: str(STATES.index(one))),
}
Drawn = tuple[Project, dict[str, list[Tree]], list[frozenset[str]]]


def tree_of(style: str, number: int) -> Tree:
    tree = a_tree(random.Random(f"{style} {number}"), 3)
    return without_choices(tree) if style.startswith("hot") else tree


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    folder = tmp_path_factory.mktemp("styles") / "all"
    folder.mkdir()
    lines: list[Line] = []
    trees = {style: [tree_of(style, number) for number in range(EACH)] for style in STYLES}
    for style, write in STYLES.items():
        for number, tree in enumerate(trees[style]):
            lines += write(f"{style}_{number}", list(text_of(tree, EVERY)))
    trees["a_choice"] = [a_tree(random.Random(number), 2) for number in range(EACH)]
    for number, tree in enumerate(trees["a_choice"]):
        lines += a_choice(f"a_choice_{number}", tree)
    (folder / "all.sv").write_text("\n".join(text for text, _ in lines) + "\n")
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project, trees, [rest for _, rest in lines]


def by_letter(text: str) -> str:
    """Returns a state or condition of any style with the letters of the states."""
    text = re.sub(r"s\[([A-D])\]", r"s == \1", text)
    text = re.sub(r"s\[(\d)\]", lambda m: f"s == {STATES[int(m[1])]}", text)
    text = re.sub(r"!\s*(s == \w)", r"!(\1)", text)
    text = re.sub(r"^\[?([0-3])\]?$", lambda m: STATES[int(m[1])], text)
    return re.sub(r"2'd(\d)", lambda m: STATES[int(m[1])], text).replace("q.state", "s")


def told(one: Transition) -> Transition:
    source, target, condition = map(by_letter, (one.source, one.target, one.condition))
    return Transition(source, target, condition, one.line)


@pytest.mark.parametrize("style", [*STYLES, "a_choice"])
def test_transitions_are_those_of_a_simulation(drawn: Drawn, style: str) -> None:
    project, trees, rest = drawn
    compared = 0
    for number, tree in enumerate(trees[style]):
        for machine in project.machines(f"{style}_{number}"):
            if style == "in_package" and any(
                one.source == "default" for one in machine.transitions
            ):
                continue  # the line of the default is in the package
            compared += 1
            assert machine.register == ("q.state" if style == "in_record" else "s")
            states = [by_letter(state) for state, _ in machine.states]
            assert by_letter(machine.reset) == "A" * ("A" in states)
            found = [told(one) for one in machine.transitions]
            for at in situations():
                true = next_of(tree, at)
                if style == "early":
                    true = "B" if at["x"] and at["y"] else true or "A"
                moves = {
                    one.target
                    for one in found
                    if is_from(one, at["s"], rest) and holds(one.condition or "True", at)
                }
                assert moves == ({true} if true else set()), (style, number, at)
    assert compared > EACH // 3


METHODS = f"""module stepping {PORTS}
{ENUM} t s;
always_ff @(posedge c or negedge r)
if (!r) s <= s.first(); else if (x) s <= s.next(); else if (y) s <= s.prev;
endmodule
module stepping_far {PORTS}
{ENUM} t s, n;
{CLOCKED}
always_comb begin n = s; case (s)
A: if (x) n = s.next();
B: n = y ? s.prev() : s.next(2);
C: n = s.last();
D: n = s.first;
endcase end
endmodule
module bits {PORTS}
localparam [2:0] A = 3'b001, B = 3'b010, C = 3'b100;
reg [2:0] s, n;
{CLOCKED}
always @* begin n = s; case (1'b1)
s[0]: if (x) n = B;
s[1]: if (y) n = C;
s[2]: n = A;
endcase end
endmodule
module bits_by_name {PORTS}
typedef enum int {{A, B, C}} at;
typedef enum logic [2:0] {{S_A = 3'b1 << A, S_B = 3'b1 << B, S_C = 3'b1 << C}} t;
t s, n;
always_ff @(posedge c or negedge r) if (!r) s <= S_A; else s <= n;
always_comb begin n = s; case (1'b1)
s[A]: if (x) n = S_B;
s[B]: if (y) n = S_C;
s[C]: n = S_A;
endcase end
endmodule"""


def moves_of(project: Project, unit: str) -> list[tuple[str, str, str]]:
    (machine,) = project.machines(unit)
    return sorted((one.source, one.target, one.condition) for one in machine.transitions)


def test_methods_of_enumerations_and_numbered_bits_are_moves(tmp_path: Path) -> None:
    (tmp_path / "all.sv").write_text(METHODS + "\n")
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    (machine,) = project.machines("stepping")
    assert (machine.register, machine.next, machine.reset) == ("s", "", "A")
    assert moves_of(project, "stepping") == sorted(
        [(one, after, "x") for one, after in zip("ABCD", "BCDA", strict=True)]
        + [(one, after, "!(x) && y") for one, after in zip("ABCD", "DABC", strict=True)]
    )
    assert moves_of(project, "stepping_far") == [
        ("A", "B", "x"), ("B", "A", "y"), ("B", "D", "!(y)"), ("C", "D", ""), ("D", "A", ""),
    ]  # fmt: skip
    assert moves_of(project, "bits") == [("A", "B", "x"), ("B", "C", "y"), ("C", "A", "")]
    assert moves_of(project, "bits_by_name") == [
        ("S_A", "S_B", "x"), ("S_B", "S_C", "y"), ("S_C", "S_A", ""),
    ]  # fmt: skip
