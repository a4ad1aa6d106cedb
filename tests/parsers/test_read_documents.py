"""Documents of every format are read into sections with their places; broken ones say why."""

from __future__ import annotations

import json

import pytest
from _papers import bomb, docx_file, pdf, pptx_file

from hdlgraph.parsers.documents.formats import FORMATS, format_of, read_document
from hdlgraph.parsers.documents.records import SECTION_CHARS, Document, DocumentError
from hdlgraph.parsers.registry import document_format


def read(path: str, data: bytes | str) -> Document:
    raw = data if isinstance(data, bytes) else data.encode()
    return read_document(path, raw, len(raw))


def test_markdown_has_a_section_for_each_heading_with_its_lines() -> None:
    text = (
        "---\ntitle: The manual\n---\nBefore.\n\n# One `a`\n\ntext\n\n"
        "```\n# no heading\n```\n## Two {#two}\nmore\n\nThree\n-----\nend\n## Two\nlast"
    )
    found = read("a.md", text)
    assert found.title == "The manual"
    lines = text.split("\n")
    told = [(s.title, s.crumbs, s.line, s.end_line, s.anchor) for s in found.sections]
    assert told == [
        ("", (), 4, 4, ""),
        ("One a", (), 6, 12, "one-a"),
        ("Two", ("One a",), 13, 14, "two"),
        ("Three", ("One a",), 16, 18, "three"),
        ("Two", ("One a",), 19, 20, "two"),
    ]
    for section in found.sections:
        assert section.text.split("\n")[-1] == lines[section.end_line - 1]


def test_restructuredtext_knows_levels_by_the_marks_and_includes_nothing() -> None:
    text = (
        "====\nPump\n====\n\nIntro.\n\nModes\n-----\n\n.. include:: /etc/passwd\n\n"
        ".. raw:: html\n   :file: /etc/passwd\n\nTwo of them.\n\n"
        ".. unknown:: x\n\nEnd\n-----\n\nDone.\n"
    )
    found = read("a.rst", text)
    assert [(s.title, s.crumbs, s.line) for s in found.sections] == [
        ("Pump", (), 1),
        ("Modes", ("Pump",), 7),
        ("End", ("Pump",), 19),
    ]
    assert "root:" not in str(found)
    assert "Two of them." in found.sections[1].text


def test_html_is_read_without_its_scripts() -> None:
    found = read(
        "a.html",
        "<html><head><title>T</title><style>b{}</style></head><body><script>steal()</script>\n"
        "<!-- hidden --><h1 id='top'>Pump</h1><p>It <b>pumps</b>.</p>\n<h2>Modes</h2>"
        "<table><tr><th>mode</th><td>slow</td></tr></table></body></html>",
    )
    assert found.title == "T"
    assert [(s.title, s.crumbs, s.line, s.anchor) for s in found.sections] == [
        ("Pump", (), 2, "top"),
        ("Modes", ("Pump",), 3, "modes"),
    ]
    assert found.sections[0].text == "It pumps."
    assert "mode | slow" in found.sections[1].text
    assert "steal" not in str(found)
    assert "hidden" not in str(found)


def test_pdf_has_a_section_for_each_page_and_bookmark() -> None:
    data = pdf(
        ["Power\nUse 3 volts.", "still power\nClocks\nTwo clocks.", ""],
        [("Power", 0), ("Clocks", 1)],
    )
    found = read("a.pdf", data)
    assert [(s.title, s.page, s.anchor) for s in found.sections] == [
        ("Power", 1, "page=1"),
        ("Power", 2, "page=2"),
        ("Clocks", 2, "page=2"),
    ]
    assert "Two clocks." in found.sections[2].text
    assert (found.pages, found.empty) == (3, 1)
    assert found.problems == ("1 of 3 pages (3) hold no text (scanned pages are pictures)",)


def test_docx_and_pptx_have_their_headings_tables_and_notes() -> None:
    found = read("a.docx", docx_file())
    assert [(s.title, s.crumbs) for s in found.sections] == [
        ("Pump controller", ()),
        ("Modes", ("Pump controller",)),
    ]
    assert "slow | 10" in found.sections[1].text
    slides = read("a.pptx", pptx_file())
    assert [(s.title, s.page) for s in slides.sections] == [("Calibration", 1)]
    assert "Trim the oscillator first.\nIt takes an hour." in slides.sections[0].text
    assert slides.problems == ("1 of 2 slides hold no text",)


def test_tables_keep_the_names_of_their_columns() -> None:
    rows = "\n".join(f"{n},value {n}" for n in range(45))
    found = read("a.csv", f"offset,meaning\n{rows}\n")
    assert [(s.line, s.end_line) for s in found.sections] == [(2, 21), (22, 41), (42, 46)]
    assert found.sections[0].text.startswith("offset: 0; meaning: value 0\n")
    assert read("a.tsv", "a\tb\n1\t2\n").sections[0].text == "a: 1; b: 2"
    assert read("a.csv", "a;b\n1;2\n").sections[0].text == "a: 1; b: 2"


def test_json_is_read_by_its_keys_or_its_records() -> None:
    plain = read("a.json", json.dumps({"clock": {"rate": 5}, "pins": ["a", "b"]}))
    assert [(s.title, s.text) for s in plain.sections] == [
        ("clock", "clock.rate: 5"),
        ("pins", "pins.0: a\npins.1: b"),
    ]
    listed = read("a.json", json.dumps([{"title": "T", "text": "words", "id": 7}]))
    assert [(s.title, s.text, s.anchor) for s in listed.sections] == [("T", "words", "7")]


def test_a_thread_is_one_section_with_the_accepted_answer() -> None:
    answers = [{"text": "No idea."}, {"text": "Hold the button.", "accepted": True}]
    line = json.dumps({"id": "q1", "question": "How to reset?", "answers": answers})
    found = read("a.jsonl", f"{line}\n{{broken\n{{}}\n")
    assert [(s.title, s.text, s.line, s.anchor) for s in found.sections] == [
        ("How to reset?", "How to reset?\n\nHold the button.", 1, "q1")
    ]
    assert len(found.problems) == 2
    assert found.problems[0].startswith("line 2: is no JSON")


def test_a_conversation_without_a_question_of_its_own_is_a_section() -> None:
    turns = [
        {"role": "user", "content": "How do I drain\nthe tank?"},
        {"role": "assistant", "content": "Open the red tap."},
    ]
    found = read("a.jsonl", json.dumps({"messages": turns}) + '\n{"messages": [1, {}]}\n')
    assert [(s.title, s.text, s.line) for s in found.sections] == [
        ("How do I drain the tank?", "How do I drain\nthe tank?\n\nOpen the red tap.", 1)
    ]
    assert found.problems == ("line 2: has neither a text nor a question",)


def test_plain_text_is_cut_between_paragraphs() -> None:
    text = "\n\n".join(f"paragraph {n} " + "word " * 60 for n in range(12))
    found = read("a.txt", text)
    assert len(found.sections) == 3
    assert [s.line for s in found.sections] == [1, 11, 21]
    assert "".join(s.text for s in found.sections).split() == text.split()


def test_a_long_section_is_cut_and_loses_nothing() -> None:
    lines = [f"line {n} " + "x" * 60 for n in range(400)]
    found = read("a.md", "# Long\n\n" + "\n".join(lines))
    assert len(found.sections) > 2
    assert all(len(s.text) <= SECTION_CHARS for s in found.sections)
    assert [line for s in found.sections for line in s.text.split("\n")] == lines
    assert [s.line for s in found.sections[1:]] == [s.end_line + 1 for s in found.sections[:-1]]


@pytest.mark.parametrize(
    ("path", "data", "why"),
    [
        ("a.pdf", b"%PDF-1.4 nothing", "is broken"),
        ("a.docx", b"no archive", "is broken: no archive"),
        ("a.docx", bomb(), "a ZIP bomb"),
        ("a.pptx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "is encrypted"),
        ("a.docx", docx_file()[:3000], "is broken"),
        ("a.json", b"{", "is no JSON"),
        ("a.json", b"[" * 100_000, "is no JSON"),
        ("a.md", bytes(range(32)) * 50, "is no text"),
        ("a.bin", b"", "no known format"),
    ],
)
def test_what_cannot_be_read_says_why(path: str, data: bytes, why: str) -> None:
    with pytest.raises(DocumentError, match=why):
        read(path, data)


def test_an_encrypted_pdf_says_so() -> None:
    data = pdf(["secret"]).replace(
        b"/Root 1 0 R",
        b"/Root 1 0 R /ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 "
        b"/O <" + b"11" * 32 + b"> /U <" + b"22" * 32 + b"> >>",
    )
    with pytest.raises(DocumentError, match="is encrypted"):
        read("a.pdf", data)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_text_of_other_encodings_is_read(encoding: str) -> None:
    found = read("a.md", "# Größe\n\nüber\n".encode(encoding))
    assert found.sections[0].title == "Größe"


def test_of_a_text_too_long_the_beginning_is_read_and_told() -> None:
    found = read_document("a.csv", b"a,b\n1,2\n", 200_000_000)
    assert found.problems == ("has 200000000 bytes; only the first 8 are read",)
    with pytest.raises(DocumentError, match="more than"):
        read_document("a.pdf", b"%PDF", 300_000_000)


def test_formats_are_told_by_suffix() -> None:
    assert format_of("a/B.PDF").name == "pdf"  # type: ignore[union-attr]
    assert format_of("README") is None
    assert document_format("rtl/a.sv") is None
    suffixes = [suffix for one in FORMATS for suffix in one.suffixes]
    assert len(suffixes) == len(set(suffixes))
