"""Where the parts stand that a question names: by their instances, ports and parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.project import Project
from hdlgraph.query.relations.design import Design, design_of
from hdlgraph.query.relations.facts.held import HAS, Held


@pytest.fixture(scope="module")
def design(soc_words: Path) -> Design:
    found = design_of(Project.open(soc_words).searcher().index)
    assert found is not None
    return found


def held(design: Design, *names: str) -> Held:
    lasts = {name.lower() for name in names}
    units = [row for name in sorted(lasts) for row in design.called.get(name, ())]
    targets = [fact.row for row in units for fact in design.out(row, "INSTANTIATES")]
    return Held(lasts, [row for row in [*units, *targets] if design.is_unit[row]], design)


def told(design: Design, path: str, *names: str) -> dict[str, float]:
    return dict(zip(HAS, held(design, *names).of(design.file_of(path)), strict=True))


def test_the_file_with_an_instance_holds_it_and_that_of_its_unit_does_not(design: Design) -> None:
    assert told(design, "rtl/uart.sv", "u_tx")["holds part"] == 1.0
    assert told(design, "rtl/uart_tx.sv", "u_tx")["holds part"] == 0.0
    assert held(design, "u_tx").few() == [design.file_of("rtl/uart.sv")]


def test_a_port_is_joined_where_its_unit_stands(design: Design) -> None:
    where = told(design, "rtl/uart.sv", "u_tx", "clk_i")
    assert where["joins end"] == where["joins end of part"] == 1.0
    assert told(design, "rtl/soc_top.sv", "u_tx", "clk_i")["joins end"] == 0.0


def test_a_port_of_no_named_unit_is_no_end(design: Design) -> None:
    assert told(design, "rtl/uart.sv", "clk_i") == dict.fromkeys(HAS, 0.0)
    assert held(design, "nothing_here").few() == []
