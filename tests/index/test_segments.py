"""Words in segments: what an edit leaves is what a first run writes, and reads as one segment."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.index.lexical import leave_out, merge, segments, shift
from hdlgraph.index.lexical.write import build_lexical
from hdlgraph.model import Explanation, FileRecord
from hdlgraph.query.features.windows import Windows
from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.store.cache import Cache
from hdlgraph.store.lexical import StoredLexicon
from hdlgraph.store.words import halves
from hdlgraph.store.words.kept_arrays import KeptArrays
from hdlgraph.store.words.segment import FIELDS, FILES, Segment

WORDS = ["grant", "arb", "bank", "stall", "fifo", "arbiter", "wr_fifo", "two-way", "debug", "dbg"]
NAMES = [f"{folder}/{name}.sv" for folder in "ab" for name in "pqrstuvw"]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "LEAST", 2)
    monkeypatch.setattr(segments, "USUAL", 2)
    monkeypatch.setattr(segments, "MOST", 4)


class Former:
    """The segments of a folder, taken over as a run takes them."""

    def __init__(self, before: Path, now: Path) -> None:
        self.before, self.now, self.taken = before / "lexical", now / "lexical", 0
        self.rows = StoredLexicon(before).segments

    def folder(self, row: segments.SegmentRow) -> Path:
        return self.before / row.folder

    def take(self, row: segments.SegmentRow, to: str) -> bool:
        (self.now / to).mkdir(exist_ok=True)
        for name in FILES:
            os.link(self.before / row.folder / name, self.now / to / name)
        self.taken += 1
        return True


def build(folder: Path, texts: dict[str, str], cache: Cache | None, before: Path | None) -> Former:
    folder.mkdir()
    shas = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in texts.items()}
    records = [
        FileRecord(path, shas[path], "rtl", "verilog", len(text), 1, "utf-8")
        for path, text in sorted(texts.items())
    ]
    former = Former(before, folder) if before else None
    facts = {path: f"{path} {sha}" for path, sha in shas.items()}
    build_lexical(records, {}, texts.__getitem__, cache, folder, facts=facts, former=former)
    return former


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


bodies = st.lists(st.sampled_from(WORDS), max_size=12).map(
    lambda words: "// " + "\n".join(words) + "\nmodule m; assign dbg_x = wr_fifo; endmodule"
)
designs = st.dictionaries(st.sampled_from(NAMES), bodies, min_size=1, max_size=len(NAMES))


@settings(max_examples=25, deadline=None)
@given(first=designs, edits=st.lists(st.dictionaries(st.sampled_from(NAMES), st.none() | bodies)))
def test_after_random_edits_the_bytes_are_those_of_a_first_run(
    tmp_path_factory: pytest.TempPathFactory,
    first: dict[str, str],
    edits: list[dict[str, str | None]],
) -> None:
    edited_as_a_first_run(tmp_path_factory.mktemp("words"), first, edits)


@settings(max_examples=15, deadline=None)
@given(first=designs, edits=st.lists(st.dictionaries(st.sampled_from(NAMES), st.none() | bodies)))
def test_it_does_not_matter_how_many_files_change(
    tmp_path_factory: pytest.TempPathFactory,
    first: dict[str, str],
    edits: list[dict[str, str | None]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shift, "FEW", 0)
        patch.setattr(leave_out, "MANY", 0)
        patch.setattr(merge, "MANY", 0)
        edited_as_a_first_run(tmp_path_factory.mktemp("words"), first, edits)


def edited_as_a_first_run(
    root: Path, first: dict[str, str], edits: list[dict[str, str | None]]
) -> None:
    cache = Cache(root / "cache.sqlite")
    build(root / "gen-0", first, cache, None)
    texts, before = dict(first), root / "gen-0"
    for number, edit in enumerate(edits, 1):
        texts = {path: text for path, text in (texts | edit).items() if text is not None}
        texts = texts or first
        now = root / f"gen-{number}"
        build(now, texts, cache, before)
        build(root / f"fresh-{number}", texts, None, None)
        assert content(now) == content(root / f"fresh-{number}")
        before = now
    cache.close()


@pytest.fixture
def many(tmp_path: Path) -> tuple[dict[str, str], Path]:
    """Enough files for several segments: (path -> text, folder)."""
    texts = {
        path: f"// {' '.join(WORDS[at % 5 : at % 5 + 4])} only_{at}\n\nmodule m{at}; endmodule"
        for at, path in enumerate(NAMES)
    }
    build(tmp_path / "several", texts, None, None)
    return texts, tmp_path


def test_several_segments_read_as_one(
    many: tuple[dict[str, str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, folder = many
    monkeypatch.setattr(segments, "LEAST", 100)
    monkeypatch.setattr(segments, "MOST", 100)
    build(folder / "one", texts, None, None)
    several, one = (Lexicon.load(folder / name) for name in ("several", "one"))
    assert len(StoredLexicon(folder / "several").segments) > 3
    assert len(StoredLexicon(folder / "one").segments) == 1
    assert several.file_start.tolist() == one.file_start.tolist()
    for left, right in zip(several.all_lines, one.all_lines, strict=True):
        assert left.tolist() == right.tolist()
    group = TermGroup((("fifo", 1.0), ("arbit", 0.3), ("unheard", 0.2)))
    for term in (*WORDS, "only", "m3", "unheard", "fif", "fifoo", "", "module"):
        assert (term in several.vocabulary) == (term in one.vocabulary)
        assert several.positions(term).tolist() == one.positions(term).tolist()
        assert several.places(term) == one.places(term)
        for field in FIELDS:
            assert several.document_frequency(term, field) == one.document_frequency(term, field)
            for left, right in zip(
                several.postings(term, field), one.postings(term, field), strict=True
            ):
                assert left.tolist() == right.tolist()
        positions = one.positions(term)
        assert several.count(term) == one.count(term) == len(positions)
        wanted = np.unique(np.concatenate((positions, np.arange(40, dtype=np.uint32))))
        for lexicon in (several, one):
            assert lexicon.among(term, wanted).tolist() == positions.tolist()
        for left, right in zip(several.halves(term), one.halves(term), strict=True):
            assert left.tolist() == right.tolist()
        for files in ([], [3], [0, len(texts) - 1, 5, 5], list(range(len(texts)))):
            some = several.some(files)
            for place, (begin, end) in enumerate(some.spans(term).tolist()):
                own = slice(*one.file_start[files[place] : files[place] + 2].tolist())
                inside = [at for at in positions.tolist() if own.start <= at < own.stop]
                assert bool(some.has(term)[place]) == bool(inside)
                if inside:
                    assert some.positions(term, place, begin, end).tolist() == inside
        for number in range(len(texts)):
            assert several.lines_of(number, term).tolist() == one.lines_of(number, term).tolist()
    terms = [*WORDS, "only", "m3", "unheard", "fif", "fifoo", "", "module", "arbitration"]
    for lexicon in (several, one):
        counts = [lexicon.document_frequency(term) for term in terms]
        assert lexicon.document_frequencies(terms) == counts
        assert max(counts) > 3
    for field in FIELDS:
        left, right = (one.bm25([group], field, 1.2, 0.6) for one in (several, one))
        assert np.array_equal(left, right)


def test_terms_are_found_together_as_one_by_one(many: tuple[dict[str, str], Path]) -> None:
    folder = many[1] / "several"
    terms = sorted({*WORDS, "only", "onlyfew", "arbit", "arbitrarily", "unheard", "", "m3", "ä"})
    together, alone = Lexicon.load(folder), Lexicon.load(folder)
    together.know(terms)
    for term in terms:
        assert together.positions(term).tolist() == alone.positions(term).tolist()


def test_a_term_of_an_explanation_alone_has_no_places(tmp_path: Path) -> None:
    records = [FileRecord(name, "0" * 64, "rtl", "verilog", 9, 1, "utf-8") for name in ("a.sv",)]
    told = {"a.sv": Explanation(path="a.sv", purpose="A zebra crossing.")}
    build_lexical(records, told, lambda _: "module a; endmodule", None, tmp_path)
    lexicon = Lexicon.load(tmp_path)
    assert "zebra" in lexicon.vocabulary
    assert lexicon.among("zebra", np.arange(9, dtype=np.uint32)).tolist() == []
    assert [len(part) for part in lexicon.halves("zebra")] == [0, 0]


def test_an_index_without_halves_is_searched_by_its_positions(
    many: tuple[dict[str, str], Path],
) -> None:
    folder = many[1] / "several"
    group = TermGroup((("fifo", 1.0), ("arbit", 0.3)))
    with_halves = Windows(Lexicon.load(folder)).scores([group], 1.2, 0.5)
    for name in halves.FILES:
        for file in folder.rglob(name):
            file.unlink()
    without = Windows(Lexicon.load(folder)).scores([group], 1.2, 0.5)
    assert with_halves.any()
    assert np.array_equal(with_halves, without)


def test_a_term_that_stands_very_often_keeps_its_count() -> None:
    positions = np.arange(70_000, dtype=np.uint32)
    found = halves.halves_of(np.asarray([0, 70_000]), positions, np.asarray([0], np.uint32))
    assert found.counts.tolist() == [70_000]


def test_arrays_of_the_last_terms_are_kept() -> None:
    kept = KeptArrays(100)
    for term in "abc":
        kept.put(term, (np.zeros(10, np.uint32),))
        assert kept.get("a") is not None
    assert [kept.get(term) is not None for term in "abc"] == [True, False, True]
    kept.put("large", (np.zeros(1_000),))
    assert kept.get("large") is not None
    assert kept.get("c") is None


def test_an_edit_leaves_the_other_segments_as_they_are(
    many: tuple[dict[str, str], Path],
) -> None:
    texts, folder = many
    cache = Cache(folder / "cache.sqlite")
    build(folder / "first", texts, cache, None)
    texts["a/q.sv"] += "// one more word: zebra\n"
    former = build(folder / "second", texts, cache, folder / "first")
    assert former.taken == len(former.rows) - 1
    before, after = (
        {path.stat().st_ino for path in (folder / name).rglob("occ_pos.npy")}
        for name in ("first", "second")
    )
    assert len(before & after) == former.taken
    assert Lexicon.load(folder / "second").lines_of(1, "zebra").tolist() == [3]
    cache.close()


def test_an_index_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    texts = {"a.sv": "module a; // grant bank\nendmodule", "b.sv": "module b; a u_a(); endmodule"}
    build(tmp_path / "now", texts, None, None)
    folder = tmp_path / "now" / "lexical"
    now = Lexicon.load(tmp_path / "now").positions("grant").tolist()
    segment = Segment(folder)
    names = {name: segment.places(name) for name in ("a", "b", "a.sv", "b.sv")}
    for name in ("segments.json", "vocab_ptr.npy", "vocab_key.npy", "places_ptr.npy"):
        (folder / name).unlink()
    (folder / "names.msgpack").write_bytes(msgspec.msgpack.encode(names))
    assert Lexicon.load(tmp_path / "now").places("a") == names["a"] != []
    assert now == Lexicon.load(tmp_path / "now").positions("grant").tolist() != []


@pytest.mark.parametrize(
    "text", ["[", '[["../../x", 2, ""]]', '[["", 1, ""]]', '[["", -1, ""], ["", 3, ""]]', "{}"]
)
def test_a_damaged_list_of_segments_is_refused(tmp_path: Path, text: str) -> None:
    build(tmp_path / "now", {"a.sv": "module a; endmodule", "b.sv": "x"}, None, None)
    (tmp_path / "now" / "lexical" / "segments.json").write_text(text)
    with pytest.raises(ValueError, match=r"segments\.json"):
        StoredLexicon(tmp_path / "now")
