"""Of a large index some files are looked at closely: what is found there is what all would give."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_lexicon import WORDS, make_lexicon

from hdlgraph.index.lexical import segments
from hdlgraph.project import Project
from hdlgraph.query.features import looked, near
from hdlgraph.query.features.lexical import phrase_scores
from hdlgraph.query.features.looked import Halves, looked_at
from hdlgraph.query.features.near import Marks
from hdlgraph.query.features.windows import SomeWindows, Windows
from hdlgraph.query.lexicon import Lexicon, TermGroup
from hdlgraph.store.words import halves

K1, B = 1.2, 0.5
LINES = st.lists(st.lists(st.sampled_from([*WORDS, ""]), max_size=4), max_size=120)
FILES = st.lists(LINES, min_size=1, max_size=7)
GROUPS = st.lists(
    st.lists(st.sampled_from([*WORDS, "absent"]), min_size=1, max_size=2, unique=True),
    min_size=1,
    max_size=4,
)


@settings(max_examples=25, deadline=None)
@given(FILES, GROUPS, st.integers(1, 7), st.sampled_from([1, 2, 9]), st.sampled_from([30, 10**7]))
def test_what_is_looked_at_has_the_scores_of_a_look_at_all(
    tmp_path_factory: pytest.TempPathFactory,
    bodies: list[list[list[str]]],
    wanted: list[list[str]],
    most: int,
    sample: int,
    places: int,
) -> None:
    texts = {f"{n}.sv": "\n".join(" ".join(line) for line in body) for n, body in enumerate(bodies)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(looked, "ALL", 0)
        patch.setattr(looked, "MOST", most)
        patch.setattr(looked, "SAMPLE", sample)
        patch.setattr(segments, "LEAST", 1)
        patch.setattr(segments, "MOST", 2)
        patch.setattr(near, "PLACES", places)
        lexicon = make_lexicon(tmp_path_factory.mktemp("l"), texts)
        groups = [TermGroup(tuple((word, 1 / (at + 1)) for at, word in enumerate(words)))
                  for words in wanted]  # fmt: skip
        score = lexicon.bm25(groups, "post", K1, B)
        found = looked_at(lexicon, Halves(lexicon), groups, score, None)
        assert found is not None
        first = sorted(np.argsort(-score, kind="stable")[:most].tolist())
        assert found.files[found.best].tolist() == first
        every = Windows(lexicon)
        some = SomeWindows(every, found)
        own, all_scores = some.scores(groups, K1, B), every.scores(groups, K1, B)
        assert np.array_equal(own, all_scores[found.halves])
        best = every.highest(all_scores)
        best[np.setdiff1d(np.arange(lexicon.n_files), first)] = 0
        assert np.array_equal(some.highest(own), best)
        for number in found.files.tolist():
            assert some.line(own, number) == every.line(all_scores, number)
        question = SimpleNamespace(groups=tuple(groups))
        pairs, wanted_pairs = (
            phrase_scores(lexicon, question, Marks(), one) for one in (found, None)
        )
        wanted_pairs[np.setdiff1d(np.arange(lexicon.n_files), first)] = 0
        if len(found.files) == lexicon.n_files:  # nothing is estimated
            assert np.array_equal(pairs, wanted_pairs)
        assert np.array_equal(pairs > 0, wanted_pairs > 0)


QUESTIONS = (
    "which unit decides between several requests?",
    "where is the fifo full?",
    "what drives the interrupt of the uart",
    "testbench of the bus bridge",
    "who instantiates the arbiter",
)


def _searched(root: Path, question: str) -> list[tuple[str, float, list[str]]]:
    hits = Project(root).search(question, k=20, rerank=False).hits
    return [(hit.path, hit.score, [one.kind for one in hit.evidence]) for hit in hits]


def test_the_same_files_come_first_where_some_are_looked_at(
    soc_words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = {question: _searched(soc_words, question) for question in QUESTIONS}
    monkeypatch.setattr(looked, "ALL", 0)
    for question in QUESTIONS:  # all files among the best ones: nothing changes
        assert _searched(soc_words, question) == every[question]
    monkeypatch.setattr(looked, "MOST", 6)
    for question in QUESTIONS:
        some, wanted = _searched(soc_words, question), every[question]
        assert [path for path, *_ in some[:3]] == [path for path, *_ in wanted[:3]]
        assert sum("passage" in kinds for *_, kinds in some) <= 6
    passages = [kinds.count("passage") for *_, kinds in _searched(soc_words, QUESTIONS[0])]
    assert 0 < sum(passages) < sum(kinds.count("passage") for *_, kinds in every[QUESTIONS[0]])


def test_an_index_without_halves_is_looked_at_by_its_positions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looked, "ALL", 0)
    monkeypatch.setattr(looked, "MOST", 2)
    line = "grant the bank; stall fifo"
    texts = {f"{n}.sv": "\n".join([line] * n * 25) for n in range(1, 6)}
    with_halves = make_lexicon(tmp_path, texts)
    groups = [TermGroup((("grant", 1.0), ("fifo", 0.5))), TermGroup((("bank", 1.0),))]
    score = np.arange(5, dtype=np.float32)
    wanted = looked_at(with_halves, Halves(with_halves), groups, score, None)
    for name in halves.FILES:
        for file in tmp_path.rglob(name):
            file.unlink()
    without = Lexicon.load(tmp_path)
    found = looked_at(without, Halves(without), groups, score, None)
    assert wanted is not None
    assert found is not None
    assert len(wanted.stands.places) > 100
    for left, right in zip(wanted.stands, found.stands, strict=True):
        assert left.tolist() == right.tolist()


def test_of_some_candidates_the_best_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looked, "ALL", 0)
    monkeypatch.setattr(looked, "MOST", 2)
    lexicon = make_lexicon(tmp_path, {f"{n}.sv": "grant" for n in range(6)})
    group = [TermGroup((("grant", 1.0),))]
    score = np.asarray([5, 1, 3, 3, 3, 9], np.float32)
    found = looked_at(lexicon, Halves(lexicon), group, score, np.asarray([1, 2, 3, 4]))
    assert found is not None
    assert found.files[found.best].tolist() == [2, 3]  # of equal ones the first
