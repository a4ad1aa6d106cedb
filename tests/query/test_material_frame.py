"""What stands around what is shown: directives always, licences and banners never."""

from __future__ import annotations

import pytest

from hdlgraph.llm.tokens import count_tokens
from hdlgraph.query.answer.material.notices import notice_lines
from hdlgraph.query.answer.material.pieces import FilePieces
from hdlgraph.query.answer.material.select import Selector
from hdlgraph.query.answer.material.worth import Worths
from hdlgraph.words import terms

APACHE = """\
Copyright 2031 Some Pottery
Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License."""
BSD = """\
Copyright (c) 2030, Some Pottery. All rights reserved.

Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

 1. Redistributions of source code must retain the above copyright notice,
    this list of conditions and the following disclaimer.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO,
THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR
PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR
CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO,
PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS;
OR BUSINESS INTERRUPTION). HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY,
WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR
OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF
ADVISED OF THE POSSIBILITY OF SUCH DAMAGE."""
SHORT = "Copyright Some Pottery contributors.\nSPDX-License-Identifier: Apache-2.0"
BANNER = "File:   kiln.sv\nAuthor: A. Potter <potter@clay.example>\nDate:   1.2.2031"
SAID = "Fires pots slowly: the kiln glows after a soak."


def styled(text: str, style: str) -> str:
    """Returns text as a comment of a style."""
    lines = text.split("\n")
    if style == "line":
        return "\n".join(f"// {line}" for line in lines)
    if style == "box":
        rule = "/" * 80
        return "\n".join([rule, *(f"//  {line:<74}//" for line in lines), rule])
    if style == "star":
        return "\n".join(["/" + "*" * 70, *(f" * {line}" for line in lines), " " + "*" * 70 + "/"])
    return "\n".join(["/*", *(f"   {line}" for line in lines), "*/"])


@pytest.mark.parametrize("style", ["line", "box", "star", "bare"])
@pytest.mark.parametrize("terms_", [APACHE, BSD, SHORT], ids=["apache", "bsd", "short"])
def test_a_licence_of_any_form_is_in_no_piece(style: str, terms_: str) -> None:
    head = styled(f"{terms_}\n\n{BANNER}\n\n{SAID}", style)
    text = (
        f"{head}\n\nmodule kiln (input a, output b);\n  // Inverts.\n  assign b = ~a;\nendmodule\n"
    )
    file = FilePieces("kiln.sv", text)
    shown = "\n".join(file.lines[n - 1] for p in file.pieces for n in (*p.lines, *p.heads))
    for line in [*terms_.split("\n"), *BANNER.split("\n")]:
        assert not line.strip() or line.strip() not in shown
    assert SAID in shown
    assert "// Inverts." in shown


def test_a_comment_of_code_is_no_notice() -> None:
    lines = [
        "/* Copies the date: the day goes out first. */",
        "assign day = date; // author of the day",
        "// Fail if the write went without an answer.",
    ]
    assert notice_lines(lines) == frozenset()


GATED = """\
module wheel #(parameter TURNS = 1) (input clk, input foot, output spin);
  reg [2:0] pipe;
`ifdef BENCH_MODE
 `ifndef FAST
  integer wobble;
  always @(posedge clk) wobble <= 3;
  assign spin = wobble[0] ? pipe[2] : pipe[1];
 `else
  assign spin = pipe[1];
 `endif
`else
  assign spin = pipe[0];
`endif

  assign unrelated = foot;
endmodule
"""


def taken(text: str, question: str, budget: int = 400) -> set[int]:
    """Returns the lines that are taken of a file for a question."""
    file = FilePieces("a.v", text)
    wanted = {term: (n, 3.0) for n, term in enumerate(dict.fromkeys(terms(question)))}
    selector = Selector(Worths(file, wanted, (), ()), lambda n: count_tokens(file.lines[n - 1]) + 4)
    return selector.take(budget, 0.5).lines


def line_of(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.split("\n"), 1) if part in line)


def test_the_directives_around_a_shown_line_are_shown() -> None:
    lines = taken(GATED, "spin wobble")
    assert line_of(GATED, "assign spin = wobble") in lines
    for directive in ("`ifdef BENCH_MODE", "`ifndef FAST", " `else", " `endif"):
        assert line_of(GATED, directive) in lines


def test_of_an_else_branch_the_condition_is_shown() -> None:
    filler = "\n".join(f"      assign w{n} = a{n} & b{n};\n" for n in range(14))
    text = (
        "module oven #(parameter GAS = 1) (input a, output heat);\n  generate\n"
        f"    if (GAS) begin : g_gas\n{filler}\n    end else begin : g_coal\n"
        f"{filler}\n      assign heat = coal_glow;\n    end\n  endgenerate\nendmodule\n"
    )
    lines = taken(text, "coal glow", 120)
    assert line_of(text, "assign heat") in lines
    assert line_of(text, "if (GAS)") in lines
    assert line_of(text, "else begin : g_coal") in lines


LATHE = """\
`define SLOT_STOP 2
`define SLOT_WAIT 3
`define SLOT_HOLD 4
`define SLOT_GO   1
module lathe (input clk_i, rst_ni, input [7:0] load_i, input trip_i, output halt_o);
  logic [3:0] spins_q, spins_d;
  wire over = load_i > 8'd40;
  wire jam = trip_i & over;
{filler}
  always_comb begin
    spins_d = spins_q;
    if (jam) spins_d = spins_q + 1;
  end
{filler}
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) spins_q <= '0;
    else spins_q <= spins_d;
  end
{filler}
  // Halts the lathe.
  assign halt_o = jam | spins_q == `SLOT_STOP;
endmodule
""".replace("{filler}", "\n".join(f"  assign w{n} = a{n} & b{n};\n" for n in range(25)))


def test_what_defines_the_names_of_the_answer_is_shown_with_it() -> None:
    lines = taken(LATHE, "halt", 260)
    shown = "\n".join(LATHE.split("\n")[n - 1] for n in sorted(lines))
    for line in ("assign halt_o", "wire jam =", "`define SLOT_STOP", "if (jam) spins_d"):
        assert line in shown
    assert "SLOT_GO" not in shown


def test_definitions_keep_the_budget() -> None:
    for budget in (20, 60, 120):
        file = FilePieces("a.v", LATHE)
        wanted = {"halt": (0, 3.0)}
        selector = Selector(Worths(file, wanted, (), ()), lambda n: 10)
        assert 10 * len(selector.take(budget, 0.5).lines) <= budget


def test_of_a_long_instance_only_telling_connections_are_shown() -> None:
    plain = "\n".join(f"    .bolt{n}_i (bolt{n}),\n    .nut{n} (top_nut{n})," for n in range(12))
    text = (
        "module shop (input clk);\n  press u_press (\n    .clk,\n"
        f"{plain}\n    .force_i (3'd4),\n    .plate_i (plate),\n    .lever_i (arm)\n  );\n"
        "endmodule\n"
    )
    shown = "\n".join(text.split("\n")[n - 1] for n in sorted(taken(text, "plate press")))
    for line in ("press u_press (", ".force_i (3'd4)", ".plate_i (plate)", ".lever_i (arm)", ");"):
        assert line in shown
    assert "bolt" not in shown
    assert "nut" not in shown
