"""The best window of each file, against a count by hand, and terms of several files at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_lexicon import WORDS, make_lexicon

import hdlgraph.query.features.windows
from hdlgraph.query.features.lexical import MAX_TERMS, best_terms, rarest_first
from hdlgraph.query.features.windows import FEW, HALF, Windows
from hdlgraph.query.lexicon import TermGroup
from hdlgraph.query.question.analyse import Expansion, analyse
from hdlgraph.query.result.confidence import coverage
from hdlgraph.words import terms

K1, B = 1.2, 0.5
FILES = st.lists(st.lists(st.sampled_from([*WORDS, ""]), max_size=3 * HALF), min_size=1, max_size=4)
"""Files of one word or none a line."""


def monkeypatch_few(few):
    """Sets from how few halves on the others are left out; hypothesis calls a test many times."""
    hdlgraph.query.features.windows.FEW = few


def by_hand(lexicon, texts, groups):
    """Returns (score, first line) of each file's best window; a half begins every HALF lines.

    A half is as long as there are positions up to the next one's first, a file's gap included.
    """
    (pointers, starts), halves = lexicon.all_lines, []  # (file, words, first position)
    for number, path in enumerate(lexicon.paths):
        lines = [path, *texts[path].split("\n")]
        first = int(pointers[number])
        for n in range(0, int(pointers[number + 1]) - first, HALF):
            words = [word for line in lines[n : n + HALF] for word in terms(line)]
            halves.append((number, words, int(starts[first + n])))
    ends = [*(start for _, _, start in halves[1:]), int(lexicon.file_start[-1])]
    windows = []  # (file, words, length)
    for n, (number, words, start) in enumerate(halves):
        last = n + 1 < len(halves) and halves[n + 1][0] == number
        after = halves[n + 1][1] if last else []
        windows.append((number, words + after, ends[n + last] - start))
    mean = max(np.mean([length for _, _, length in windows]), 1.0)
    out = {}
    for number, words, length in windows:
        norm = K1 * (1 - B + B * length / mean)
        score = 0.0
        for group in groups:
            tf = sum(weight * words.count(term) for term, weight in group.members)
            score += lexicon.group_idf(group, "post") * tf * (K1 + 1) / (tf + norm)
        out.setdefault(number, []).append(score)
    best = [int(np.argmax(np.round(out[n], 5))) for n in range(lexicon.n_files)]
    return [(out[n][place], max(place * HALF, 1)) for n, place in enumerate(best)]


@settings(max_examples=40, deadline=None)
@given(FILES, st.lists(st.sampled_from(["grant", "bank", "fifo"]), min_size=1, max_size=2))
def test_best_windows_equal_a_count_by_hand(tmp_path_factory, bodies, words):
    texts = {f"{n}.sv": "\n".join(body) for n, body in enumerate(bodies)}
    lexicon = make_lexicon(tmp_path_factory.mktemp("l"), texts)
    groups = [TermGroup(((word, 1.0), ("arb", 0.5))) for word in words]
    windows = Windows(lexicon)
    score = windows.scores(groups, K1, B)
    best = windows.highest(score)
    for number, (wanted, first) in enumerate(by_hand(lexicon, texts, groups)):
        assert best[number] == pytest.approx(wanted, rel=1e-4, abs=1e-6)
        if wanted > 0:
            assert windows.line(score, number) == first
    for few in (0, 1e9):  # the halves that have a term alone, or all
        monkeypatch_few(few)
        assert np.array_equal(Windows(lexicon).scores(groups, K1, B), score)
    monkeypatch_few(FEW)


def test_the_terms_of_a_file_are_told_with_their_lines(tmp_path):
    texts = {
        "a.sv": "// grant the bank\nmodule a;\n// stall\nendmodule",
        "b.sv": "module b; // fifo of grants\nendmodule",
        "c.sv": "module c;\nendmodule",
    }
    lexicon = make_lexicon(tmp_path / "l", texts)
    question = analyse("which grant of a stalled bank fills the fifo", lexicon, Expansion())
    offers = rarest_first(lexicon, question)
    found = [best_terms(lexicon, offers, number) for number in range(3)]
    assert dict(found[0]) == {"grant": 1, "bank": 1, "stall": 3}
    assert len(found[0]) <= MAX_TERMS
    assert found[2] == []
    shares = coverage(lexicon, question, [0, 1, 2])
    assert shares[0] > shares[1] > shares[2] == 0
    assert list(shares) == [coverage(lexicon, question, [n])[0] for n in (0, 1, 2)]
