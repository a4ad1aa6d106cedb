"""Notices and banners are taken out of comments; what describes the design stays."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.index.explain.by_rules.phrases import Vocabulary
from hdlgraph.parsers.text.inventory import take_inventory
from hdlgraph.parsers.text.licence import without_notices

BSD = """\
Copyright (C) 2024, Somebody Devices, Inc.
All rights reserved.

Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:

 1. Redistributions of source code must retain the above copyright notice,
    this list of conditions and the following disclaimer.

 3. Neither the name of NOBODY nor the names of its
    contributors may be used to endorse or promote products derived from
    this software without specific prior written permission.

PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR
CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL,
OR BUSINESS INTERRUPTION). HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY,
WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR
OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF
ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
"""
OPENCORES = """\
This source file may be used and distributed without
restriction provided that this copyright statement is not
removed from the file and that any derivative work contains
the original copyright notice and the associated disclaimer.

    THIS SOFTWARE IS PROVIDED ``AS IS'' AND WITHOUT ANY
OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
POSSIBILITY OF SUCH DAMAGE.
"""
SHL = """\
This file, and derivatives thereof are licensed under the
Solderpad License, Version 2.0 (the "License").

Use of this file means you agree to the terms and conditions
of the license and are in full compliance with the License.

Unless required by applicable law or agreed to in writing, software
and hardware implementations thereof distributed under the License
is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS
OF ANY KIND, EITHER EXPRESSED OR IMPLIED.
"""
BANNER = """\
**** W A R N I N G: A U T O - G E N E R A T E D C O D E !! ****
PLEASE DO NOT HAND-EDIT THIS FILE.
"""


@pytest.mark.parametrize(
    "notice", [BSD, OPENCORES, SHL, BANNER], ids=["bsd", "opencores", "shl", "banner"]
)
def test_only_the_description_is_left(notice: str) -> None:
    said = "Replays each vector once per fold of the output.\n\nThe write port wins a collision."
    assert without_notices(notice + "\n" + said) == said
    assert without_notices(said + "\n\n" + notice) == said


def test_broken_lines_and_other_names_do_not_hide_a_notice() -> None:
    words = " ".join(BSD.split())
    for width in (40, 66, 100, 10_000):
        text = "\n".join(textwrap.wrap(words, width))
        assert without_notices(text) == ""


@pytest.mark.parametrize(
    "said",
    [
        "Holds the generated clock until the divider has locked.",
        "Distributes the permission bits of each region without any check of its own.",
        "This file is included by the top level; use in source mode only.",
        "The licence plate reader counts in units of 4.",
        "Interrupts are delivered as is.\nThe counter is free to run.",
    ],
)
def test_descriptions_that_sound_alike_stay(said: str) -> None:
    assert without_notices(f"Bridge.\nTwo clocks.\n{said}").endswith(said)


@given(st.lists(st.text("abc def.\n", max_size=30), max_size=8))
def test_text_without_a_telling_word_keeps_its_words(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    assert without_notices(text).split() == text.split()


def test_the_head_of_a_file_is_its_description() -> None:
    head = "".join(f"// {line}\n" for line in BSD.splitlines())
    more = "//\n// Author(s):\n//   Someone, Some Lab, Some University.\n//\n"
    source = head + more + "// Adds.\nmodule adder (input a);\nendmodule\n"
    record = take_inventory("rtl/adder.sv", source.encode()).record
    assert record.header == "Adds."
    assert record.units[0].comment.endswith("Adds.")
    assert "DAMAGE" not in record.header + record.units[0].comment


def test_a_template_is_read_as_what_it_becomes() -> None:
    source = b"module $TOP_NAME$ #(parameter N = $DEPTH$)(input clk, output q);\nendmodule\n"
    record = take_inventory("rtl/fifo_template.v", source).record
    assert [unit.name for unit in record.units] == ["_TOP_NAME_"]
    plain = b'initial $display("$a$b"); wire x = $signed(y);'
    assert take_inventory("rtl/x.v", plain).source.text == plain.decode()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("inst_mux_in", "multiplexer in"),
        ("u_inst", ""),
        ("i_rd_fifo", "read first-in first-out queue"),
        ("encoder_8b10b", "encoder 8b10b"),
    ],
)
def test_what_the_name_of_an_instance_says(name: str, words: str) -> None:
    assert Vocabulary().instance(name) == words
