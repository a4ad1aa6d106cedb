"""Each transition told can be taken, and all that can be taken are told."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pytest
from _machines import STATES, Tree, a_tree, holds, is_from, next_of, situations, text_of
from _texts import indexed

from hdlgraph.project import Project
from hdlgraph.query.signals.machines.conditions import OTHER, given, read

MACHINES = 60


def unit_of(number: int, tree: Tree) -> list[tuple[str, frozenset[str]]]:
    """Returns the lines of a unit, each with the states that no case around it names."""
    head = f"""module m{number}(input c, input r, input x, input y, input z);
typedef enum logic [2:0] {{A, B, C, D}} t; t s, n;
always_ff @(posedge c or negedge r) if (!r) s <= A; else s <= n;
always_comb begin n = s;"""
    every = frozenset(STATES)
    lines = [(one, every) for one in head.splitlines()]
    return [*lines, *text_of(tree, every), ("end", every), ("endmodule", every)]


Drawn = tuple[Project, list[Tree], list[frozenset[str]]]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    folder = tmp_path_factory.mktemp("drawn") / "all"
    folder.mkdir()
    trees = [a_tree(random.Random(number), 3) for number in range(MACHINES)]
    lines = [line for number, tree in enumerate(trees) for line in unit_of(number, tree)]
    (folder / "all.sv").write_text("\n".join(text for text, _ in lines) + "\n")
    project = Project(folder)
    project.index(graphrag="never", embeddings=False, jobs=1)
    return project, trees, [rest for _, rest in lines]


def test_transitions_are_those_of_a_simulation(drawn: Drawn) -> None:
    project, trees, rest = drawn
    compared = 0
    for number, tree in enumerate(trees):
        for machine in project.machines(f"m{number}"):
            compared += machine.register == "s"
            for at in situations():
                true = next_of(tree, at)
                told = {
                    one.target
                    for one in machine.transitions
                    if is_from(one, at["s"], rest) and holds(one.condition or "True", at)
                }
                assert told == ({true} if true else set()), (number, at)
    assert compared > MACHINES // 2


def test_no_transition_is_told_that_can_never_be_taken(drawn: Drawn) -> None:
    project, trees, rest = drawn
    seen = 0
    for number, tree in enumerate(trees):
        taken = {(at["s"], next_of(tree, at)) for at in situations()}
        for machine in project.machines(f"m{number}"):
            for one in machine.transitions:
                sources = [state for state in STATES if is_from(one, state, rest)]
                possible = {(state, one.target) for state in sources} & taken
                # the same input tested twice is no business of the state
                inputs = re.findall(r"\b[xyz]\b", one.condition)
                if one.source in STATES and len(inputs) == len(set(inputs)):
                    seen += 1
                    assert possible, (number, one)
                if one.source in STATES:
                    assert not re.search(r"\bs\b", one.condition), (number, one)
    assert seen > MACHINES


def test_what_is_left_of_a_condition_in_a_state() -> None:
    known = frozenset({"IDLE", "RUN"})

    def left(text: str, state: str) -> bool | str:
        found = given(read(text, "q", known), state, known)
        return found if isinstance(found, bool) else found.text

    assert left("q == p::IDLE && (go || !(q == RUN))", "IDLE") is True
    assert left("q == IDLE && go", "IDLE") == "go"
    assert left("q == IDLE && go", "RUN") is False
    assert left("(full | (q == IDLE)) && go", "RUN") == "full && go"
    assert left("q != IDLE", OTHER) is True
    assert left("q == LATER", "IDLE") == "q == LATER"
    assert left("(q == IDLE) ? a : b", "IDLE") == "(q == IDLE) ? a : b"
    assert left("|q && other == IDLE", "IDLE") == "|q && other == IDLE"
    assert left("((q == IDLE", "IDLE") == "((q == IDLE"


CLOCKED = """module clocked(input c, input rn, input go, input stop);
typedef enum logic {IDLE, BUSY} t; t s;
always_ff @(posedge c or negedge rn)
  if (!rn) s <= IDLE;
  else case (s)
    IDLE: if (go) s <= BUSY;
    BUSY: if (stop) s <= IDLE;
    default: s <= IDLE;
  endcase
endmodule
"""
CHANGED = """module changed(input c, input rn, input go);
typedef enum logic [1:0] {IDLE, BUSY, LATE} t; t s, n; logic last;
always_ff @(posedge c or negedge rn) if (!rn) s <= IDLE; else s <= n;
always_comb begin n = s; last = go;
  case (s)
    IDLE: n = BUSY;
    BUSY: if (!(last && go)) begin last = 1'b1; if (last && go) n = LATE; end
    LATE: n = IDLE;
  endcase
end
endmodule
"""


def machines_of(folder: Path, text: str, unit: str) -> list[tuple[str, str, str]]:
    project = indexed(folder, {"one.sv": text})
    (machine,) = project.machines(unit)
    return [(one.source, one.target, one.condition) for one in machine.transitions]


def test_that_the_process_is_not_in_reset_is_no_condition(tmp_path: Path) -> None:
    moves = machines_of(tmp_path, CLOCKED, "clocked")
    assert moves == [("IDLE", "BUSY", "go"), ("BUSY", "IDLE", "stop"), ("default", "IDLE", "")]


def test_a_test_of_what_the_process_changes_may_come_out_otherwise(tmp_path: Path) -> None:
    assert "LATE" in [target for _, target, _ in machines_of(tmp_path, CHANGED, "changed")]


def test_a_case_of_many_arms_takes_little_longer_than_its_arms(tmp_path: Path) -> None:
    """Four times the arms take four times as long, not sixteen times."""
    for count in (500, 2000):
        arms = "\n".join(f"{{S{n}, 1'b1}}: n = S{(n + 1) % count};" for n in range(count))
        names = ", ".join(f"S{n}" for n in range(count))
        (tmp_path / f"many{count}.sv").write_text(
            f"module many{count}(input c, input r, input x);\n"
            f"typedef enum logic [11:0] {{{names}}} t; t s, n;\n"
            "always_ff @(posedge c or negedge r) if (!r) s <= S0; else s <= n;\n"
            f"always_comb begin n = s; case ({{s, x}})\n{arms}\nendcase end\nendmodule\n"
        )
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    project.machines("many500")  # what the first call reads of the index

    def seconds(count: int) -> float:
        """The least of three: other work on the machine only adds."""
        took = []
        for _ in range(3):
            begun = time.process_time()
            (machine,) = project.machines(f"many{count}")
            took.append(time.process_time() - begun)
        assert len(machine.transitions) == count
        assert {(one.source, one.condition) for one in machine.transitions[300:302]} == {
            ("S300", "x == 1'b1"), ("S301", "x == 1'b1"),
        }  # fmt: skip
        return min(took)

    assert seconds(2000) < 10 * seconds(500) + 0.1  # the square is 16
