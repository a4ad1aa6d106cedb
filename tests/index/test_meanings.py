"""Short forms with several meanings: the words around them decide, else they stay short."""

from __future__ import annotations

from hdlgraph.index.explain.by_rules.evidence.meanings import MeaningsAround
from hdlgraph.index.explain.by_rules.evidence.of_files import Evidence
from hdlgraph.index.explain.by_rules.explainer import explain_all
from hdlgraph.index.explain.by_rules.phrases import Vocabulary
from hdlgraph.index.explain.by_rules.spelling import AsWritten, Short, label
from hdlgraph.index.explain.neighbourhood import Neighbourhood
from hdlgraph.knowledge.senses import senses
from hdlgraph.model import Comment, FileRecord, Unit


def record(path: str, says: str = "") -> FileRecord:
    stem = path.rpartition("/")[2].partition(".")[0]
    unit = Unit(kind="module", name=stem, line=5, end_line=9)
    comments = (Comment(1, 1, says),) if says else ()
    return FileRecord(path, "", "rtl", "verilog", 1, 1, "ascii", comments=comments, units=(unit,))


CURVE = "Multiplies a point of the elliptic curve by a scalar, as ECDSA needs it."
PARITY = "The syndrome of the Hamming parity tells which bit is to be corrected."


def test_the_nearest_folder_that_tells_decides():
    records = [
        record("crypto/ecc_mul.v", CURVE),
        record("crypto/sub/ecc_add.v"),
        record("memory/ecc_enc.v", PARITY),
    ]
    purposes = {path: item.for_search().purpose for path, item in explain_all(records).items()}
    assert "elliptic curve cryptography" in purposes["crypto/ecc_mul.v"]
    assert "elliptic curve cryptography" in purposes["crypto/sub/ecc_add.v"]
    assert "error-correcting code" in purposes["memory/ecc_enc.v"]


def test_no_meaning_is_better_than_a_wrong_one():
    (item,) = explain_all([record("lib/ecc_top.v", "Some words about nothing.")]).values()
    assert "error" not in item.for_search().to_text()
    assert "Module ECC top" in item.for_search().purpose


def test_both_meanings_in_one_folder_are_none():
    around = MeaningsAround([record("a/x.v", CURVE), record("a/y.v", PARITY)])
    assert dict(around.of("a/x.v"))["ecc"] == ""


def test_what_the_repository_spells_out_goes_before_the_table():
    top = record("a/rob_top.v", "Talks to the Round Object Base (ROB) and back.")
    other = record("a/b.v", "Instructions retire from the reorder buffer when they commit.")
    evidence = Evidence([top, other, record("c/d.v", "The Round Object Base (ROB) again.")])
    around = evidence.vocabulary(evidence.of(top, Neighbourhood()).chosen)
    assert around.words("rob_top") == "round object base top"


def test_every_meaning_of_the_table_has_words_that_tell_of_it():
    for part, meanings in senses().items():
        assert part.isalnum()
        for meaning, around in meanings:
            assert meaning
            assert around


def test_people_read_names_as_they_are_written():
    words = AsWritten()
    assert words.words("fifo_pkg::rd_ptr_q") == "rd_ptr_q"
    assert words.listing(["a_q", "a_q", "pkg::b_t"]) == "a_q, b_t"
    assert words.instance("u_inst") == ""
    assert words.instance("u_fifo") == "u_fifo"


def test_short_forms_of_initials_stay_short_for_people():
    known = Vocabulary()
    assert label("axis_fifo", known) == "AXI stream FIFO"
    assert label("sram_ctrl", known) == "SRAM control"
    assert label("la_aoi222", known) == ""
    assert label("ecc_top", known) == ""


def test_key_phrases_for_people_keep_initials():
    short = Short()
    assert short.words("rd_fifo_ctrl") == "read FIFO control"
    assert short.words("ecc_dec") == "ECC dec"
    assert short.term("first-in first-out queue") == "FIFO"
    assert short.term("round robin") == "round robin"
