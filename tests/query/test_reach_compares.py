"""Addresses that a single compare or a case label decodes, and hosts of units of one name."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.errors import UsageError
from hdlgraph.project import Project

DECODER = """package map_pkg;
  localparam logic [31:0] LAMP_ADDR = 32'h3000_0000;
endpackage
module single import map_pkg::*; (
  input logic [31:0] data_addr_i, input logic [1:0] state_i,
  output logic print_o, exit_o, lamp_o, uart_o, far_o
);
  always_comb begin
    print_o = 1'b0; exit_o = 1'b0; uart_o = 1'b0; far_o = 1'b0;
    if (data_addr_i == 32'h1000_0000) print_o = 1'b1;
    else if ((data_addr_i == 32'h2000_0000) || (data_addr_i === 32'h2000_0004)) exit_o = 1'b1;
    case (data_addr_i[31:16])
      16'h4000, 16'h4002: uart_o = 1'b1;
      16'h4001: begin
        case (state_i) 2'd1: far_o = 1'b1; default: ; endcase
      end
      map_pkg::LAMP_ADDR: far_o = 1'b0;
      default: uart_o = (state_i == 2'd1) ? 16'h7777 : 1'b0;
    endcase
  end
  assign lamp_o = data_addr_i == LAMP_ADDR;
  held: assert property (@(posedge print_o) lamp_o |-> data_addr_i == 32'h5000_0000);
  property no_entry;
    @(posedge print_o) data_addr_i == 32'h5000_0000;
  endproperty
  assign far_o = data_addr_i[11:0] == 12'h345;
endmodule
"""


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("compares")
    return indexed(folder, {"single.sv": DECODER})


@pytest.mark.parametrize(
    ("address", "line", "size"),
    [
        ("0x10000000", 10, None),
        ("0x20000000", 11, None),
        ("0x20000004", 11, None),
        ("0x30000000", 21, None),
        ("0x4000fffc", 13, 1 << 16),
        ("0x40020000", 13, 1 << 16),
        ("0x40010000", 14, 1 << 16),
    ],
)
def test_an_address_is_decoded_by_one_number(
    single: Project, address: str, line: int, size: int | None
) -> None:
    (one,) = single.reach(address)["answers"]
    assert (one["line"], one["size"], one["sure"]) == (line, size, size is not None)
    assert [decoder["name"] for decoder in one["decoders"]] == ["single"]
    assert [host["name"] for host in one["hosts"]] == ["single.data_addr_i"]


@pytest.mark.parametrize(
    "address", ["0x10000004", "0x345", "0x77770000", "0x50000000", "0x40030000", "0x10000"]
)
def test_other_numbers_decode_nothing(single: Project, address: str) -> None:
    assert single.reach(address)["answers"] == []


def test_a_name_without_a_region_is_told_beside_the_regions(single: Project) -> None:
    with pytest.raises(UsageError, match=r"'lamb': none of the \d known regions.*mean lamp"):
        single.reach("lamb")


BUS = """module bus(input logic [31:0] addr_i, output logic hit_o);
  assign hit_o = %s;
endmodule
"""
TOP = """module host_%s(output logic [31:0] addr_o); assign addr_o = '0; endmodule
module top_%s;
  logic [31:0] addr; logic hit;
  host_%s u_host(.addr_o(addr));
  bus u_bus(.addr_i(addr), .hit_o(hit));
endmodule
"""


def test_the_hosts_of_a_unit_are_those_of_its_own_namesake(tmp_path: Path) -> None:
    tests = (("example/one", "32'h6000_0000"), ("rtl/debug/two", "32'h7000_0000"))
    for place, number in tests:
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "bus.sv").write_text(BUS % f"addr_i == {number}")
        name = place.rpartition("/")[2]
        (tmp_path / place / "top.sv").write_text(TOP % (name, name, name))
    project = Project(tmp_path)
    project.index(graphrag="never", embeddings=False, jobs=1)
    for address, host in (("0x60000000", "host_one"), ("0x70000000", "host_two")):
        (one,) = project.reach(address)["answers"]
        assert [found["unit"] for found in one["hosts"]] == [host]


RANGES = """package config_pkg;
  localparam logic [63:0] TIMER_BASE = 64'h02000000;
  localparam logic [63:0] TIMER_RANGE = 64'h0000FFFF;
  localparam logic TIMER_SUPPORTED = 1;
  localparam logic [63:0] CARD_BASE = 64'h00013000;
  localparam logic [63:0] CARD_RANGE = 64'h0000007F;
  localparam logic CARD_SUPPORTED = 1'b0;
endpackage
module user import config_pkg::*; (input [63:0] addr_i, output hit);
  assign hit = (addr_i & ~TIMER_RANGE) == TIMER_BASE && TIMER_SUPPORTED && CARD_SUPPORTED;
endmodule
"""


def test_a_range_bounds_a_base_and_a_switch_may_leave_it_out(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"map.sv": RANGES})
    assert project.reach("0x02010000")["answers"] == []
    (found,) = [one for one in project.reach("0x0200fff8")["answers"] if one["instance"] == "timer"]
    assert found["size"] == 0x10000
    (card,) = project.reach("0x00013010")["answers"]
    assert card["how"] == "constant CARD_BASE, left out as CARD_SUPPORTED is 0"
    assert project.reach("0x00013080")["answers"] == []


BITS = """module master(input [17:0] word_addr, input valid, output glb, mcif, output [1:0] low);
  wire [31:0] byte_addr;
  assign byte_addr = {14'h0, word_addr, 2'b0};
  wire select_glb, select_mcif;
  wire [17:0] addr_mask;
  assign addr_mask = {{16 - 10{1'b1}},{12{1'b0}}};
  assign select_glb = ((byte_addr[17:0] & addr_mask) == 32'h00000000);
  assign select_mcif = ((byte_addr[17:0] & {{6{1'b1}},{12{1'b0}}}) == 32'h00002000);
  assign glb = valid & select_glb;
  assign mcif = valid & select_mcif;
endmodule
"""


def test_bits_of_an_address_under_a_mask_of_repeated_bits(tmp_path: Path) -> None:
    project = indexed(tmp_path, {"master.v": BITS})
    (found,) = project.reach("0x2abc")["answers"]
    assert (found["instance"], found["base"], found["size"]) == ("mcif", 0x2000, 0x1000)
    (found,) = project.reach("0x10")["answers"]
    assert (found["instance"], found["base"], found["size"]) == ("glb", 0, 0x1000)
