from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hdlgraph.query.answer.cite import SLACK, Checker, Paths, ShownPlaces
from hdlgraph.query.answer.reply import Reply
from hdlgraph.query.answer.sanitise import neutral, parted, printable

ODD = "ip/a b/odd name.v"
KNOWN = ("rtl/alu.sv", "rtl/fifo.sv", "tb/fifo.sv", "rtl/top.sv", ODD, "x.v")


def shown() -> ShownPlaces:
    places = ShownPlaces()
    places.add("rtl/alu.sv", 10, 20, 100)
    places.add("rtl/alu.sv", 50, 50, 100)
    places.add("rtl/fifo.sv", 1, 30, 30)
    places.add(ODD, 5, 6, 9)
    return places


def checked(text: str) -> tuple[str, list[tuple[str, int, int]], int]:
    checker = Checker(shown(), KNOWN)
    out = checker.check(text)
    return out, [(c.path, c.line, c.end_line) for c in checker.citations], checker.removed


ALU = ("rtl/alu.sv", 12, 12)


@pytest.mark.parametrize(
    ("text", "wanted", "places", "removed"),
    [
        ("Adds [rtl/alu.sv:12].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds [rtl/alu.sv:12-14].", "Adds [rtl/alu.sv:12-14].", [("rtl/alu.sv", 12, 14)], 0),
        ("Adds [alu.sv:12].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds [ALU.SV:12].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds [./rtl/alu.sv:12].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds [chip/rtl/alu.sv:12].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds [alu:12].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds [`rtl/alu.sv`:12].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds [`rtl/alu.sv:12`].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds (rtl/alu.sv:12).", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds (see rtl/alu.sv, line 12).", "Adds (see rtl/alu.sv, line 12).", [], 0),
        ("Adds [rtl/alu.sv: line 12].", "Adds [rtl/alu.sv:12].", [ALU], 0),
        ("Adds [rtl/alu.sv:L12-L14].", "Adds [rtl/alu.sv:12-14].", [("rtl/alu.sv", 12, 14)], 0),
        (
            "Two [rtl/alu.sv:12; fifo.sv:3, 5-6].",
            "Two [rtl/alu.sv:12; rtl/fifo.sv:3; rtl/fifo.sv:5-6].",
            [ALU, ("rtl/fifo.sv", 3, 3), ("rtl/fifo.sv", 5, 6)],
            0,
        ),
        ("Half [rtl/alu.sv:12; rtl/top.sv:1].", "Half [rtl/alu.sv:12].", [ALU], 1),
        ("Known, not shown [rtl/top.sv:1].", "Known, not shown.", [], 1),
        ("Not known [rtl/mul.sv:12].", "Not known.", [], 1),
        ("A file alone [rtl/mul.sv].", "A file alone.", [], 1),
        ("A file alone [rtl/alu.sv].", "A file alone [rtl/alu.sv].", [], 0),
        ("Past the end [rtl/fifo.sv:31].", "Past the end.", [], 1),
        ("Elsewhere [rtl/alu.sv:40].", "Elsewhere.", [], 1),
        ("Beside [rtl/alu.sv:22].", "Beside [rtl/alu.sv:22].", [("rtl/alu.sv", 22, 22)], 0),
        ("Wide [rtl/alu.sv:15-99].", "Wide [rtl/alu.sv:15-22].", [("rtl/alu.sv", 15, 22)], 0),
        ("Back [rtl/alu.sv:14-12].", "Back [rtl/alu.sv:12-14].", [("rtl/alu.sv", 12, 14)], 0),
        (f"Blanks [{ODD}:5].", f"Blanks [{ODD}:5].", [(ODD, 5, 5)], 0),
        ("Bare rtl/alu.sv:12 here.", "Bare rtl/alu.sv:12 here.", [ALU], 0),
        ("Bare rtl/alu.sv:44 here.", "Bare rtl/alu.sv here.", [], 1),
        ("Takes data_i[7:0] and q[W-1:0].", "Takes data_i[7:0] and q[W-1:0].", [], 0),
        ("logic [alu_w:0] is no place.", "logic [alu_w:0] is no place.", [], 0),
        ("s[alu:12] is code.", "s[alu:12] is code.", [], 0),
        ("[0] [1:2] [] [;] [:] [a:b]", "[0] [1:2] [] [;] [:] [a:b]", [], 0),
        ("[[rtl/alu.sv:12]]", "[rtl/alu.sv:12]", [ALU], 0),
        ("Zero [rtl/alu.sv:0].", "Zero [rtl/alu.sv].", [], 0),
    ],
)  # fmt: skip
def test_citations_are_kept_corrected_or_removed(text, wanted, places, removed):
    assert checked(text) == (wanted, places, removed)


def test_a_name_of_two_files_means_the_one_that_was_shown():
    assert Paths(KNOWN, ["rtl/fifo.sv"]).find("fifo.sv") == "rtl/fifo.sv"
    assert Paths(KNOWN).find("fifo.sv") == ""
    assert Paths(KNOWN).find("tb/fifo.sv") == "tb/fifo.sv"


def test_a_place_repeated_is_listed_once():
    _, places, _ = checked("[rtl/alu.sv:12] and [rtl/alu.sv:12] and rtl/alu.sv:12")
    assert places == [ALU]


SHARDS = (
    *("[", "]", "(", ")", "![", "](", "]:", ";", ",", ":", "-", " ", "\n", "`", "```\n", "<", ">"),
    *("rtl/alu.sv", "alu", "fifo.sv", "rtl/top.sv", "nope.sv", "odd name.v", "http://e/?q=", "!"),
    *("12", "12-19", "999999999", "0", ". ", "<img src=", "and", "see", "www.e.de", "http:/"),
    *("\u202e", "\x1b[31m", "\ud800", "\x00", "[rtl/alu.sv:12]", "[rtl/top.sv:3]"),
)
HOSTILE = st.lists(st.one_of(st.text(max_size=12), st.sampled_from(SHARDS)), max_size=40)


def supported(places: ShownPlaces, path: str, line: int, end_line: int) -> bool:
    near = {
        n
        for first, last in places.ranges.get(path, ())
        for n in range(first - SLACK, last + SLACK + 1)
        if 1 <= n <= places.lengths[path]
    }
    return line <= end_line and {line, end_line} <= near


LINKS = re.compile(r"!\[|\]\(|<[A-Za-z/!?]|https?:/|(?m:^\s{0,3}\[[^\]\n]+\]:)")


@settings(max_examples=400, deadline=None)
@given(HOSTILE)
@example(["[", "rtl/alu.sv", ":", "12", "-", "999999999", "]"])
@example(["!", "[rtl/top.sv:3]", "[x", "](", "http://e/?q=", ")"])
def test_any_reply_is_plain_and_cites_only_what_was_shown(parts):
    """Whatever the model writes, in whatever pieces."""
    places = shown()
    reply = Reply(places, KNOWN)
    out = "".join([*map(reply.feed, parts), reply.finish()])
    assert out == reply.text
    for one in reply.citations:
        assert one.path in KNOWN
        assert supported(places, one.path, one.line, one.end_line)
    assert not LINKS.search(out), out
    bad = [ch for ch in out if ch not in "\n\t" and unicodedata.category(ch) in ("Cc", "Cf", "Cs")]
    assert bad == []
    for path, line, end in re.findall(r"(?<![\w/.])(rtl/\w+\.sv):(\d+)(?:-(\d+))?", out):
        assert supported(places, path, int(line), int(end or line)), out


@settings(max_examples=200, deadline=None)
@given(HOSTILE, st.integers(1, 7))
def test_the_pieces_do_not_matter(parts, size):
    text = "".join(parts)
    whole, pieces = Reply(shown(), KNOWN), Reply(shown(), KNOWN)
    first = whole.feed(text) + whole.finish()
    second = "".join(pieces.feed(text[n : n + size]) for n in range(0, len(text), size))
    second += pieces.finish()
    assert first == second
    assert whole.citations == pieces.citations
    assert (whole.removed, whole.uncited) == (pieces.removed, pieces.uncited)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_neutral_text_stays_neutral(text):
    plain, _ = neutral(printable(text))
    assert parted(plain) == plain
    assert not re.search(r"!\[|\]\(", plain)


def test_verilog_in_an_answer_is_left_alone():
    code = "assign y = (a <= b) ? x[7:0] : {2{z}}; q <<< 2; if (!en) r <= '0;"
    assert neutral(code) == (code, 0)
