"""What is computed for many at once, or kept, is what the plain way gives for each by itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.index.lexical.write import build_lexical
from hdlgraph.model import FileRecord
from hdlgraph.project import Project
from hdlgraph.query.best import highest
from hdlgraph.query.features import verbatim
from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.query.mentions.nearby import ABOVE, BELOW, Nearby
from hdlgraph.query.printed.message_words import HOLE, WORD, MessageWords
from hdlgraph.query.relations.facts import meetings
from hdlgraph.query.relations.joint import inner
from hdlgraph.query.relations.joint.sides import Words
from hdlgraph.query.relations.resolve import Resolver, resolver_of
from hdlgraph.store.lexical import TEXT

WORDS = ["grant", "arb", "bank", "stall", "fifo", "lane"]
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=4), min_size=1, max_size=9)


def lexicon_of(folder: Path, texts: dict[str, str]) -> Lexicon:
    records = [
        FileRecord(path, f"{n:064x}", "rtl", "verilog", len(text), 1, "utf-8")
        for n, (path, text) in enumerate(sorted(texts.items()))
    ]
    build_lexical(records, {}, texts.__getitem__, None, folder)
    return Lexicon.load(folder)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(LINES, min_size=1, max_size=3),
    st.lists(st.dictionaries(st.sampled_from(WORDS), st.sampled_from([0.4, 0.7, 1.0]), min_size=1,
                             max_size=3), max_size=4),
)  # fmt: skip
def test_lines_say_what_each_says_by_itself(tmp_path_factory, bodies, wanted) -> None:
    texts = {f"{n}.sv": "\n".join(map(" ".join, body)) for n, body in enumerate(bodies)}
    lexicon = lexicon_of(tmp_path_factory.mktemp("l"), texts)
    groups = [TermGroup(tuple(words.items())) for words in wanted]
    nearby = Nearby(lexicon, groups)
    weights = [lexicon.group_idf(group, TEXT) for group in groups]
    total = sum(weights) or 1.0
    nearby.read(range(lexicon.n_files))
    for number, path in enumerate(lexicon.paths):
        lines = ["", *texts[path].split("\n")]
        at = [*range(1, len(lines) + 3)]
        own = [_share(lines[n : n + 1], groups, weights, total) for n in at]
        around = [_share(lines[max(n - ABOVE, 0) : n + BELOW + 1], groups, weights, total)
                  for n in at]  # fmt: skip
        assert nearby.own(number, at).tolist() == pytest.approx(own)
        assert nearby.shares(number, at).tolist() == pytest.approx(around)
        assert nearby.most(number) == pytest.approx(max(own))
        said = {line: set(words) for line, words in nearby.wordiest(number, len(lines))}
        there = [{*line.split()} for line in lines]
        plain = {n: {group.term for group in groups if there[n] & dict(group.members).keys()}
                 for n in range(1, len(lines))}  # fmt: skip
        assert said == {n: words for n, words in plain.items() if words}


def _share(lines: list[str], groups: list[TermGroup], weights: list[float], total: float) -> float:
    there = {word for line in lines for word in line.split()}
    return sum(
        weight / total * max((worth for term, worth in group.members if term in there), default=0)
        for group, weight in zip(groups, weights, strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=14), min_size=1, max_size=3),
    st.lists(st.sampled_from([*WORDS, "the"]), min_size=1, max_size=9),
)
def test_runs_are_those_of_a_search_of_each_gap(tmp_path_factory, bodies, asked) -> None:
    texts = {f"{n}.sv": " ".join(body) for n, body in enumerate(bodies)}
    lexicon = lexicon_of(tmp_path_factory.mktemp("l"), texts)
    question = verbatim.spoken(" ".join(asked))
    before: list[verbatim.Ends] = []
    for word in question:
        idf = lexicon.idf(lexicon.document_frequency(word.term) or 0.5)
        found = verbatim._extended(lexicon, word, idf, before)
        plain = _plain_run(lexicon, word, idf, before)
        assert [one.tolist() for one in found] == [one.tolist() for one in plain]
        before = [found, *before[:1]]


def _plain_run(lexicon, word, idf, before) -> verbatim.Ends:
    """Returns the runs that end with a word, each way to go on searched by itself."""
    common = word.is_stop or lexicon.count(word.term) > verbatim.COMMON
    places = (
        verbatim._following(lexicon, word.term, before) if common else lexicon.positions(word.term)
    )
    worth = np.full(len(places), 0.0 if common else idf, np.float32)
    length = np.ones(len(places), np.int32)
    for behind, ends in enumerate(before):
        for gap in range(1, verbatim.GAP + 1):
            skipped = max(behind, min(gap - 1, 1))
            known = {place: n for n, place in enumerate(ends.places.tolist())}
            for at, place in enumerate(places.tolist()):
                from_ = known.get(place - gap)
                if from_ is None:
                    continue
                longer = ends.worth[from_] + idf * (1 - verbatim.SKIPPED * skipped)
                if longer > worth[at]:
                    worth[at], length[at] = longer, ends.length[from_] + 1
    return verbatim.Ends(places, worth, length)


MESSAGES = st.lists(
    st.lists(st.sampled_from([*WORDS, "%0d", "\\n", "a", "\0", "ID:"]), max_size=6).map(" ".join),
    max_size=8,
)


@given(MESSAGES, st.lists(st.sampled_from(WORDS), max_size=5), st.sampled_from([0.0, 0.5, 0.9]))
def test_messages_are_found_as_each_by_itself(texts, wanted, least) -> None:
    idf = {word: 1.0 + n for n, word in enumerate([*WORDS, "a", "id"])}
    found = MessageWords(texts).having(
        dict.fromkeys(wanted), lambda words: [idf[word] for word in words], least
    )
    plain = []
    for at, text in enumerate(texts):
        own = [w.lower() for w in WORD.findall(HOLE.sub(" ", text).replace("\0", " "))]
        had = [word for word in own if word in wanted]
        enough = sum(map(idf.__getitem__, had)) >= least * sum(map(idf.__getitem__, own)) - 1e-6
        if len(had) > 1 and enough:
            plain.append(at)
    assert found.tolist() == plain


@given(
    st.dictionaries(
        st.integers(0, 200),
        st.sampled_from([0.1, 0.1000001, 0.1000004, 0.1000006, 0.5, 0.7]) | st.floats(0, 1),
        max_size=60,
    ),
    st.integers(1, 9),
)
def test_the_highest_begin_as_all_that_are_sorted(values: dict[int, float], count: int) -> None:
    def first(keys: list[int]) -> list[int]:
        return sorted(keys, key=lambda key: (-round(values[key], 6), key))[:count]

    assert first(highest(values, count)) == first(list(values))


@pytest.fixture(scope="module")
def resolver(tmp_path_factory: pytest.TempPathFactory) -> Resolver:
    """Returns the resolver of a design of many units whose parts share nets."""
    root, draw = tmp_path_factory.mktemp("shared"), random.Random(5)
    parts = [f"{one}_{two}" for one, two in pairwise(("tx", "rx", "fifo", "arb", "lane", "dma"))]
    for part in parts:
        ports = "input logic clk_i, input logic [7:0] data_i, output logic [7:0] data_o"
        (root / f"{part}.sv").write_text(f"module {part} ({ports});\nendmodule\n")
    for n in range(6):
        nets = [f"{draw.choice(('raw', 'kept', 'sent'))}_{k}" for k in range(4)]
        made = "\n".join(
            f"  {part} u_{part}_{k} (.clk_i, .data_i({nets[k - 1]}), .data_o({nets[k]}));"
            for k, part in enumerate(draw.choices(parts, k=4))
        )
        head = "input logic clk_i, input logic [7:0] data_i, output logic [7:0] data_o"
        text = f"module hub_{n} ({head});\n  logic [7:0] {', '.join(nets)};\n{made}\nendmodule\n"
        (root / f"hub_{n}.sv").write_text(text)
    Project(root).index(embeddings=False, graphrag="never", jobs=1)
    found = resolver_of(Project(root).searcher().index)
    assert found is not None
    return found


def test_one_name_fits_as_it_does_among_all(resolver: Resolver) -> None:
    for text in ("the fifo of the arbiter", "hub 3", "lane dma", "rx", "nothing of that kind"):
        units, phrase = resolver.tables.units, resolver.phrase(text)
        rows = resolver.design.units
        one = {row: units.score(phrase, row) for row in rows}
        units.scores(phrase, rows)  # what a question asks of some must not change the others
        assert {row: units.score(phrase, row) for row in rows} == one
        every = units.scores(phrase)
        assert one == {row: every.get(row, 0.0) for row in rows}


@pytest.mark.parametrize("found", [inner.wired, inner.routed, inner.tied])
def test_ends_of_nets_are_the_same_when_others_are_forgotten(
    resolver: Resolver, monkeypatch: pytest.MonkeyPatch, found: Callable[..., object]
) -> None:
    design, words = resolver.design, Words("which hub joins the fifo arb with kept data?", resolver)
    first = [*found(design, design.units, words)]
    assert first
    assert [*found(design, design.units[::-1], words)] != []
    monkeypatch.setattr(meetings, "KEPT", 3)
    design._parts.clear()
    assert [*found(design, design.units, words)] == first


def test_what_a_unit_declares_is_what_its_edges_lead_to(resolver: Resolver) -> None:
    design = resolver.design
    for row in design.units:
        every = [design.targets[edge] for edge in design.graph.out_edges(row).tolist()
                 if design.edge_kinds[edge] == "DEFINES"]  # fmt: skip
        for kinds in ({"port", "signal"}, {"instance"}, {"parameter", "macro"}):
            own = [one for one in every if design.kinds[one] in kinds]
            assert design.declared(row, frozenset(kinds)) == own
        assert [fact.row for fact in design.out(row, "DEFINES")] == every
