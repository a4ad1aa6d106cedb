"""An instance is told where its statement begins, a type where its name stands."""

from __future__ import annotations

import pytest

from hdlgraph.query.relations.readings.statement import from_the_start
from hdlgraph.results import Evidence, Hit

TEXT = """module top;
  // a queue
  queue #(
    .Depth(4)
  ) u_queue (
    .clk
  );
  /* regs AUTO_TEMPLATE (); */
  regs #(.Width(8),
    .Depth(2))
  regs (.clk);
  plain plain (.clk);
  other u_other (.clk);
  fifo
    #(.Depth(4))
  fifo  // the only one
  (.clk);
endmodule
"""


@pytest.mark.parametrize(
    ("unit", "name", "line", "begins"),
    [
        ("queue", "u_queue", 5, 3),
        ("regs", "regs", 11, 9),
        ("plain", "plain", 12, 12),
        ("other", "u_other", 13, 13),
        ("fifo", "fifo", 16, 14),
        ("gone", "u_gone", 13, 13),
    ],
)
def test_an_instance_is_told_where_its_statement_begins(
    unit: str, name: str, line: int, begins: int
) -> None:
    text = f"top instantiates {unit} as {name}"
    one = Evidence("relation", "top.sv", line, text, 1.0, (f"{text} (top.sv:{line})",))
    hit = Hit(1, "top.sv", 1, 1.0, evidence=(one,))
    (found,) = from_the_start([hit], lambda _: TEXT)
    assert found.evidence[0].line == begins
    assert found.evidence[0].walk == (f"{text} (top.sv:{begins})",)


def test_without_the_text_the_line_stays() -> None:
    one = Evidence("relation", "top.sv", 5, "top instantiates queue as u_queue", 1.0)
    (found,) = from_the_start([Hit(1, "top.sv", 1, 1.0, evidence=(one,))], lambda _: "")
    assert found.evidence == (one,)


TYPES = """package kinds_pkg;
  typedef enum logic [1:0] {
    Idle,  // where state_e begins
    Busy
  } state_e;
  typedef struct packed {
    struct packed { logic a; } [1:0] state_s;
    logic other_s;
  }
  [1:0]
  other_s;
  `MAKE(made, _s)
  made_s made;
  parameter int Width = 8;
endpackage
"""


@pytest.mark.parametrize(
    ("said", "line", "stands"),
    [
        ("kinds_pkg.state_e", 2, 5),
        ("kinds_pkg.other_s", 6, 11),
        ("kinds_pkg.made_s", 12, 12),  # a macro makes it: the use behind is no declaration
        ("kinds_pkg.Width", 14, 14),
        ("kinds_pkg.gone", 2, 2),
        ("kinds_pkg.beyond", 99, 99),
    ],
)
def test_a_type_is_told_where_its_name_stands(said: str, line: int, stands: int) -> None:
    one = Evidence("relation", "p.sv", line, f"{said} is declared", 1.0, (f"(p.sv:{line})",))
    (found,) = from_the_start([Hit(1, "p.sv", 1, 1.0, evidence=(one,))], lambda _: TYPES)
    assert found.evidence[0].line == stands
    assert found.evidence[0].walk == (f"(p.sv:{stands})",)


CLASSES = """class narrow #(
  parameter int Width = 8,
  type bus_t = logic
) extends monitors_pkg::monitor #(
  .bus_t(bus_t)
);
endclass
class plain extends monitor; endclass
class alone;
  // narrow extends monitor
endclass
"""


@pytest.mark.parametrize(
    ("name", "line", "stands"), [("narrow", 1, 4), ("plain", 8, 8), ("alone", 9, 9)]
)
def test_a_class_is_told_where_its_base_stands(name: str, line: int, stands: int) -> None:
    text = f"{name} extends monitor: monitor"
    one = Evidence("relation", "m.sv", line, text, 1.0, (f"(m.sv:{line})",))
    (found,) = from_the_start([Hit(1, "m.sv", 1, 1.0, evidence=(one,))], lambda _: CLASSES)
    assert found.evidence[0].line == stands
