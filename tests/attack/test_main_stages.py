"""Texts and names made to take endless time where the main process works on them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hdlgraph.index.explain.by_rules import phrases, prose, protocols
from hdlgraph.index.explain.by_rules.evidence.documents import described
from hdlgraph.index.explain.by_rules.evidence.header import told
from hdlgraph.index.lexical import fields, mine_abbreviations, mine_short_forms, tokens
from hdlgraph.index.parse import cache as facts
from hdlgraph.model import FileRecord, Instance, Port, Unit
from hdlgraph.parsers.text import expressions
from hdlgraph.project import Project
from hdlgraph.query.answer import comments, source_text
from hdlgraph.query.question.aspects import split

pytestmark = pytest.mark.warm

BODY = "module m(input a); endmodule\n"


def sentences(text: str) -> object:
    return prose.sentences(text)


def prefixes(text: str) -> object:
    leaves = ("awvalid", "awready", "awlen", "wlast", "arvalid", "rvalid", "valid", "ready")
    ports = tuple(Port(f"p{n}_{leaf}", "input", "", 1) for n in range(len(text)) for leaf in leaves)
    return protocols.port_groups(ports)


def incoming(text: str) -> object:
    count = len(text)
    units = tuple(Unit("module", "d", n, n) for n in range(count))
    uses = tuple(Instance(f"i{n}", "d", n, n) for n in range(count))
    home = FileRecord("a.v", "", "rtl", "verilog", 0, 0, "", units=units)
    top = Unit("module", "t", 1, 2, instances=uses)
    user = FileRecord("b.v", "", "rtl", "verilog", 0, 0, "", units=(top,))
    return fields.incoming_words([home, user])


def included(text: str) -> object:
    return facts.INCLUDE.findall(text.encode())


def unmarked(text: str) -> object:
    return comments._MARKER.sub("", text)


def documented(text: str) -> object:
    unit = Unit(kind="module", name="a", line=1, end_line=2)
    record = FileRecord("a.v", "", "rtl", "verilog", 1, 1, "ascii", units=(unit,))
    return described([record], [("README.md", text)])


CASES: dict[str, tuple[Callable[[str], object], Callable[[int], str], int]] = {
    "glued names": (phrases.parts, lambda n: "rd" * n, 4_000),
    "names of digits": (phrases.parts, lambda n: "a" + "1" * n, 20_000),
    "suffixes": (phrases.Vocabulary().type_words, lambda n: "_t" * n + "x", 100_000),
    "short forms": (
        lambda text: list(mine_short_forms.mine_definitions([], [("a.md", text)])),
        lambda n: ("x " + "a-" * 30 + "b foo b (AAAAAAAAA)\n") * n,
        100,
    ),
    "unclosed comments": (tokens._COMMENT.findall, lambda n: "/*x" * n, 20_000),
    "unclosed comments in an expression": (expressions.clean, lambda n: "/*x" * n, 2_000),
    "unclosed strings in an expression": (expressions.names, lambda n: '\\"' * n, 4_000),
    "includes": (
        lambda text: facts.INCLUDE.findall(text.encode()),
        lambda n: "`include <" * n,
        5_000,
    ),
    "long forms": (phrases._LONG_SHORT.findall, lambda n: "( " + "a" * n, 50_000),
    "fields of comments": (told, lambda n: "a-" * n, 50_000),
    "marks of comments": (told, lambda n: "# *" * n + "Author:", 50_000),
    "people": (sentences, lambda n: "by Jane D. " * n, 5_000),
    "rows of documents": (documented, lambda n: "| [`a`](" + "x" * n + ") |\n", 20_000),
    "headings of documents": (documented, lambda n: "# " + "a " * n, 20_000),
    "links of documents": (documented, lambda n: "- `a`: b " + "[x](" * n, 20_000),
    "equal signs": (sentences, lambda n: "=a" * n, 5_000),
    "addresses": (sentences, lambda n: "x a@" + "a" * n, 20_000),
    "blanks": (sentences, lambda n: "x" + " " * n + "y", 50_000),
    "prefixes of ports": (prefixes, lambda n: "x" * n, 300),
    "uses of one name": (incoming, lambda n: "x" * n, 3_000),
    "quotes at ask": (comments._TOKEN.findall, lambda n: '\\"' * n, 2_000),
    "markers at ask": (
        lambda t: comments._MARKER.sub("", t),
        lambda n: "// a" + " " * n + "b",
        40_000,
    ),
    "stars at ask": (unmarked, lambda n: "a" + "*" * n + "b", 40_000),
    "words of units": (source_text._UNIT.findall, lambda n: "static\n" * n, 20_000),
}


def seconds(work: Callable[[str], object], text: str) -> float:
    best = 1e9
    for _ in range(2):
        began = time.process_time()
        work(text)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_text_takes_time_in_proportion(name: str) -> None:
    work, make, count = CASES[name]
    work(make(2))  # what is made once
    small, large = seconds(work, make(count)), seconds(work, make(4 * count))
    assert large < 9 * max(small, 0.01)  # 4; the square is 16


def test_questions_of_blanks_are_split_at_once(soc_project: Project) -> None:
    began = time.process_time()
    soc_project.search("a" + " " * 1_000_000 + "fifo and b" + "\t" * 100_000)
    assert time.process_time() - began < 10
    assert split("which fifo is full", {}) is not None


def test_a_repository_of_hostile_texts_is_indexed(tmp_path: Path) -> None:
    texts = {
        "glued": "module " + "rd" * 2_000 + "(input a); endmodule\n",
        "short": "// x " + "a-" * 30 + "b foo b (AAAAAAAAA)\n" + BODY,
        "open": BODY + "/*x" * 10_000,
        "include": "//" + "`include <" * 15_000 + "\n" + BODY,
        "long": "// ( " + "a" * 30_000 + "\n" + BODY,
        "equal": "// " + "=a" * 20_000 + "\n" + BODY,
        "mail": "// x a@" + "a" * 30_000 + "\n" + BODY,
        "digits": "module a" + "1" * 30_000 + "; endmodule\n",
        "good": "// counts the pulses of a wheel\n" + BODY,
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.v").write_text(text)
    began = time.monotonic()
    report = Project(tmp_path).index(embeddings=False, graphrag="never", jobs=1)
    assert report.files == len(texts)
    assert not report.failed
    assert time.monotonic() - began < 60
    assert Project(tmp_path).search("pulses of a wheel").hits[0].path == "good.v"


def test_fragments_alike_are_as_many_as_they_were() -> None:
    """The two first letters find every fragment that could abbreviate a word."""
    words = ("escalation", "debug", "response", "manager", "address", "aggregate", "controller")
    fragments = ("esc", "dbg", "rsp", "mgr", "addr", "agg", "ctrl", "cntl", "resp", "cont")
    for word in words:
        beginnings = {word[0] + one for one in (word[1], *mine_abbreviations._once(word)[1:3])}
        for fragment in fragments:
            if mine_abbreviations.is_abbreviation(fragment, word):
                assert fragment[:2] in beginnings, (fragment, word)
