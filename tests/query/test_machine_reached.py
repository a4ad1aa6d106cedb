"""States that nothing leads to, and next states that a net of the unit holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.project import Project

HEAD = """(input c, rst, go, wide, input [1:0] load);
  typedef enum logic [2:0] {IDLE, RUN, LAST, LOST, AFTER} kind_t;
  kind_t now, then_, start;
  always_ff @(posedge c) if (rst) now <= IDLE; else now <= then_;
  always_comb begin then_ = now; case (now)
"""
TAIL = """    LAST: then_ = IDLE;
    LOST: then_ = AFTER;
    AFTER: then_ = IDLE;
  endcase end
endmodule
"""
UNITS = {
    "lost": "IDLE: if (go) then_ = RUN;\nRUN: then_ = LAST;\n",
    "by_net": "IDLE: if (go) then_ = start;\nRUN: then_ = LAST;\n",
    "loaded": "IDLE: if (go) then_ = kind_t'(load);\nRUN: then_ = LAST;\n",
    "no_reset": "IDLE: if (go) then_ = RUN;\nRUN: then_ = LAST;\n",
    "by_instance": "IDLE: if (go) then_ = start;\nRUN: then_ = LAST;\n",
    "unknown_bits": "IDLE: if (go) then_ = RUN;\nRUN: then_ = LAST;\ndefault: then_ = 'x;\n",
}
EXTRA = {
    "by_net": "  assign start = wide ? LOST : RUN;\n",
    "by_instance": "  elsewhere other(.o(start));\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    texts = []
    for name, arms in UNITS.items():
        head = HEAD.replace("always_comb", f"{EXTRA.get(name, '')}always_comb")
        if name == "no_reset":
            head = head.replace("if (rst) now <= IDLE; else ", "")
        texts.append(f"module {name}{head}{arms}{TAIL}")
    repo: Path = tmp_path_factory.mktemp("reached")
    return indexed(repo, {"units.sv": "".join(texts)})


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("lost", ("LOST", "AFTER")),
        ("by_net", ()),
        ("loaded", ()),  # what is loaded may be any state
        ("no_reset", ()),  # the first state is not known
        ("by_instance", ()),
        ("unknown_bits", ("LOST", "AFTER")),
    ],
)
def test_states_that_nothing_leads_to(
    project: Project, unit: str, expected: tuple[str, ...]
) -> None:
    (found,) = project.machines(unit)
    assert found.unreached == expected


def test_a_next_state_that_a_net_holds(project: Project) -> None:
    (found,) = project.machines("by_net")
    moves = {(one.source, one.target, one.condition) for one in found.transitions}
    assert ("IDLE", "LOST", "go && wide") in moves
    assert ("IDLE", "RUN", "go && !(wide)") in moves
