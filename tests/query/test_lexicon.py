import hashlib
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.index.lexical.write import build_lexical
from hdlgraph.model import FileRecord
from hdlgraph.query.features import near
from hdlgraph.query.features.near import Marks, near_pairs
from hdlgraph.query.features.windows import Windows
from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.words import terms

WORDS = ["grant", "arb", "bank", "stall", "fifo"]


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def make_lexicon(folder, texts):
    """A lexical index of {path: text} without facts."""
    records = [
        FileRecord(path, sha(text), "rtl", "verilog", len(text), 1, "utf-8")
        for path, text in sorted(texts.items())
    ]
    build_lexical(records, {}, texts.__getitem__, None, folder)
    return Lexicon.load(folder)


TEXTS = {
    "rtl/arbiter.sv": ("// round robin arbiter\nmodule arbiter;\n  assign gnt = req & mask;\n"),
    "rtl/fifo.sv": ("module fifo;\n  // depth must be a power of two\n  logic full;\nendmodule"),
    "tb/tb.sv": "module tb;\n  arbiter u_arb ();\n  fifo u_fifo ();\nendmodule",
}


@pytest.fixture
def lexicon(tmp_path):
    return make_lexicon(tmp_path / "lexical", TEXTS)


def test_bm25_equals_the_formula(lexicon):
    group = TermGroup((("fifo", 1.0),))
    k1, b = 1.5, 0.75
    got = lexicon.bm25([group], "post", k1, b)
    lengths = lexicon.lengths("post")
    for number, path in enumerate(lexicon.paths):
        text = path + "\n" + TEXTS[path]
        tf = terms(text).count("fifo")
        idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
        norm = k1 * (1 - b + b * lengths[number] / lengths.mean())
        assert got[number] == pytest.approx(idf * tf * (k1 + 1) / (tf + norm), rel=1e-5)


def test_lines_are_one_based_and_the_path_is_line_zero(lexicon):
    number = lexicon.paths.index("rtl/fifo.sv")
    assert list(lexicon.lines_of(number, "fifo")) == [0, 1]
    assert list(lexicon.lines_of(number, "power")) == [2]
    assert list(lexicon.lines_of(number, "arbit")) == []


def test_expansions_share_one_saturation(lexicon):
    alone = lexicon.bm25([TermGroup((("arbit", 1.0),))], "post", 1.5, 0.75)
    shared = lexicon.bm25([TermGroup((("arbit", 1.0), ("gnt", 1.0)))], "post", 1.5, 0.75)
    number = lexicon.paths.index("rtl/arbiter.sv")
    assert alone[number] < shared[number]


def test_best_window_finds_the_line(tmp_path):
    filler = "\n".join("wire x;" for _ in range(200))
    lexicon = make_lexicon(tmp_path / "l", {"a.sv": f"{filler}\nassign stall = bank;\n{filler}"})
    windows = Windows(lexicon)
    line = windows.line(windows.scores([TermGroup((("stall", 1.0),))], 1.2, 0.5), 0)
    assert line <= 201 < line + 80


def test_unknown_terms_score_zero(lexicon):
    assert not lexicon.bm25([TermGroup((("zebra", 1.0),))], "post", 1.5, 0.75).any()


def test_rebuild_gives_the_same_bytes(tmp_path):
    texts = {"a.sv": "module a; // grant bank\nendmodule", "b.sv": "module b; a u_a(); endmodule"}
    make_lexicon(tmp_path / "one", texts)
    make_lexicon(tmp_path / "two", texts)
    for file in sorted((tmp_path / "one" / "lexical").iterdir()):
        same = tmp_path / "two" / "lexical" / file.name
        assert file.read_bytes() == same.read_bytes(), file.name


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12), min_size=1, max_size=4),
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True), max_size=6),
    st.sampled_from([1, 30, 8_000_000]),
)
def test_near_pairs_equal_brute_force(tmp_path_factory, bodies, wanted, places):
    texts = {f"{n}.sv": " ".join(body) for n, body in enumerate(bodies)}
    lexicon = make_lexicon(tmp_path_factory.mktemp("l"), texts)
    groups = [TermGroup(tuple((word, 1.0) for word in words)) for words in wanted]
    pairs = [(a, b) for a in range(len(wanted)) for b in range(a + 1, min(a + 3, len(wanted)))]
    at = [[lexicon.positions(term) for term, _ in group.members] for group in groups]
    marks = Marks()
    for _ in range(2):  # the second time with the rows of the first
        near.PLACES = places
        found = near_pairs(lexicon.file_start, at, marks)
        near.PLACES = 8_000_000
        assert [list(files) for _, files in found] == [
            [n for n, path in enumerate(lexicon.paths) if _near(texts[path], wanted[a], wanted[b])]
            for a, b in pairs
        ]


def _near(text: str, left: list[str], right: list[str]) -> bool:
    sequence = text.split()
    return any(
        word in left and set(right) & {*sequence[max(i - 2, 0) : i], *sequence[i + 1 : i + 3]}
        for i, word in enumerate(sequence)
    )
