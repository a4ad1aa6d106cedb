"""What a repository means by a short form goes before what the general tables say of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from _texts import indexed

from hdlgraph.knowledge.agree import contradicted
from hdlgraph.project import Project
from hdlgraph.query.question.contractions import contractions

PORT = "// The Packet Memory Port (PMP) hands packets over.\nmodule note(input d); endmodule\n"
FILES = {
    "top.sv": "module top(input d);\n  pmp u_pmp(.d(d));\nendmodule\n",
    "pmp.sv": "module pmp(input d);\n  reg pmp_q;\nendmodule\n",
    "ring.sv": "module ring(input d);\n  reg packet_q, memory_q;\nendmodule\n",
    "guard.sv": "module guard(input d);\n  reg physical_q, protection_q;\nendmodule\n",
}


@pytest.mark.parametrize(
    ("short", "general", "defined", "told"),
    [
        ("pmp", "physical memory protection", ["packet memory port"], True),
        ("pmp", "physical memory protection", ["packet memory port", "Memory Protection"], False),
        ("pmp", "physical memory protection", [], False),
        ("csr", "control register", ["control and status registers"], False),
        ("adc", "analogue-to-digital converter", ["analog to digital converter"], False),
        ("apb", "APB bus", ["Advanced Peripheral Bus"], False),
        ("csr", "control register", ["cold start register"], True),
        ("esc", "escape", ["escalation"], True),
    ],
)
def test_when_a_repository_contradicts(
    short: str, general: str, defined: list[str], told: bool
) -> None:
    assert contradicted(short, general, defined) is told


def test_a_questions_words_become_the_repositorys_own_short_form() -> None:
    own = (("PMP", "packet memory port"),)
    assert contractions("the packet memory port", (), own)["port"] == ("pmp",)
    assert contractions("the packet memory port").get("port") is None
    assert "pmp" in contractions("physical memory protection")["protect"]
    assert "pmp" not in contractions("physical memory protection", (), own).get("protect", ())


def index(root: Path, note: str) -> Project:
    for path, text in FILES.items():
        (root / path).write_text(text)
    return indexed(root, {"note.sv": note})


def test_search_takes_the_repositorys_meaning(tmp_path: Path) -> None:
    plain, own = tmp_path / "plain", tmp_path / "own"
    plain.mkdir()
    own.mkdir()
    without = index(plain, "module note(input d); endmodule\n")
    groups = without.searcher().analyse("physical memory protection").groups
    assert any("pmp" in dict(group.members) for group in groups)
    told = index(own, PORT)
    groups = told.searcher().analyse("physical memory protection").groups
    assert not any("pmp" in dict(group.members) for group in groups)
    groups = told.searcher().analyse("where is the packet memory port").groups
    assert any("pmp" in dict(group.members) for group in groups)
    hits = [hit.path for hit in told.search("physical memory protection").hits]
    assert hits.index("guard.sv") < hits.index("pmp.sv")
