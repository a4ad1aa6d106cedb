"""The general tables hold vocabulary of all designers, not the names of one project's files."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from hdlgraph.knowledge.abbreviations import EVERYDAY, LAST, abbreviations
from hdlgraph.knowledge.glossary import UVM_BASES, glossary
from hdlgraph.knowledge.projects import all_projects, table
from hdlgraph.knowledge.short_forms import general_forms
from hdlgraph.knowledge.structures import structures
from hdlgraph.knowledge.thesaurus import headwords
from hdlgraph.words import split_identifier

TEXTBOOK = """
    branch predictor; branch unit; bus; commit stage; controller; crop; demux; fifo; lfsr;
    load store queue; load store unit; miss handler; mult; mux; onehot mux; priority
    encoder; replay buffer; rotate; scoreboard; selector; skid; skid buffer; sr latch; store buffer;
    store queue; switch; timer; testbench; test bench; example; fifo controller; layernorm;
    requant; pad ring; padring; sim ctrl; instr queue; formal tb; uart core
"""
"""Parts of hardware that textbooks and course notes call by these words: each names a kind of
block, and unrelated projects have a file of that name. `ctrl`, `instr`, `tb` are `controller`,
`instruction`, `testbench` as everybody shortens them."""

SHORT_FORMS = """
    adc; bht; btb; clint; clz; mmu; pmp; ptw; ras; sram; csr regfile; perf counters; amo alu
"""
"""Standard short forms of computer architecture and of the RISC-V specifications: analogue-to-
digital converter, branch history table and target buffer, core-local interruptor, count leading
zeros, memory management unit, physical memory protection, page table walker, return address stack,
static memory; the file of control and status registers, counters of performance, the arithmetic
unit of atomic memory operations (`AMO` and `ALU` are both of the specification)."""

STANDARDS = """
    axi lite; axilite; aes sbox; aes key expand; sram ctrl; spiflash; spike
"""
"""What a published standard or a tool calls so: ARM's AXI4-Lite; the substitution box and the key
expansion of FIPS 197; a controller of SRAM; a flash memory on SPI; the instruction set simulator
Spike, which is named after a tool that many projects compare with."""

ALLOWED = {
    "".join(split_identifier(term))
    for table in (TEXTBOOK, SHORT_FORMS, STANDARDS)
    for term in table.split(";")
}


def joined(text: str) -> str:
    """Returns a spelling without what separates its parts: `otp_ctrl` and `OTP ctrl` are one."""
    return "".join(split_identifier(text))


def judged() -> dict[str, str]:
    """Returns the stems of the files that a question set judges right -> one such path."""
    data = files("hdlgraph.eval") / "data"
    sets = [f for part in (data, data / "training", data / "held-out") for f in part.iterdir()]
    lines = [
        json.loads(line)
        for file in sets
        if file.name.endswith(".jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    paths = [path for line in lines for path in line.get("relevant", ())]
    assert len(paths) > 600
    return {joined(path.rpartition("/")[2].rpartition(".")[0]): path for path in paths}


def general_spellings() -> dict[str, str]:
    """Returns every spelling of the general tables, joined -> the table it is from."""
    tables = {
        "structures": [spelling for one in structures() for spelling in one.spellings],
        "thesaurus": [word for head, terms in headwords().items() for word in (head, *terms)],
        "abbreviations": [*abbreviations(), *EVERYDAY, *LAST],
        "short forms": list(general_forms()),
        "glossary": [*glossary(), *UVM_BASES],
    }
    return {joined(one): table for table, spellings in tables.items() for one in spellings}


def named_files(allowed: set[str]) -> list[str]:
    """Returns "table: path" of the judged files whose name stands in a general table."""
    general = general_spellings()
    return sorted(
        f"{general[stem]}: {path}"
        for stem, path in judged().items()
        if stem in general and stem not in allowed
    )


def test_no_general_spelling_is_the_name_of_a_judged_file() -> None:
    assert named_files(ALLOWED) == []


def test_the_check_finds_a_name() -> None:
    [found] = named_files(ALLOWED - {"skidbuffer"})
    assert found.endswith("/skid_buffer.sv")


def test_every_allowed_word_is_one_that_the_check_would_find() -> None:
    known = judged().keys() & general_spellings().keys()
    assert ALLOWED - known == set()


@pytest.mark.parametrize("project", all_projects())
def test_no_general_spelling_is_a_name_of_a_project(project: str) -> None:
    names = {joined(name) for line in table(project)["names"] for name in line.split()}
    assert names & general_spellings().keys() == set()
