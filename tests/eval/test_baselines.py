import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.errors import UsageError
from hdlgraph.eval.systems.baselines import Bm25, MinMaxSum, RankFusion, ranks
from hdlgraph.eval.systems.candidates import Corpus
from hdlgraph.eval.systems.registry import PLAIN, SYSTEMS, check_systems, make_system
from hdlgraph.eval.systems.texts import content_words, stemmed_parts
from hdlgraph.index.embed.surfaces import surfaces_of
from hdlgraph.store.design.facts import read_facts

QUESTION = "Which block sends bytes on the serial line?"


class Fixed:
    def __init__(self, *values):
        self.values = np.array(values, np.float32)

    def scores(self, question):
        return self.values


@pytest.fixture(scope="module")
def corpus(soc_project, tmp_path_factory):
    paths = tuple(sorted(soc_project.manifest().files))
    return Corpus(soc_project, paths, tmp_path_factory.mktemp("vectors"))


def test_ranks_begin_at_one_and_keep_the_order_of_ties():
    assert list(ranks(np.array([0.5, 2.0, 0.5, -1.0]))) == [2, 1, 3, 4]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_ranks_are_a_permutation_that_sorts(values):
    scores = np.array(values)
    found = ranks(scores)
    assert sorted(found) == list(range(1, len(values) + 1))
    assert all(
        scores[a] >= scores[b]
        for a, b in zip(np.argsort(found)[:-1], np.argsort(found)[1:], strict=True)
    )


def test_rank_fusion_by_hand():
    fused = RankFusion(Fixed(3, 2, 1), Fixed(10, 30, 20)).scores("")
    assert fused == pytest.approx([1 / 61 + 1 / 63, 1 / 62 + 1 / 61, 1 / 63 + 1 / 62])


def test_sums_take_weights_and_keep_margins():
    whole, beside = Fixed(0, 5, 10), Fixed(4, 2, 0)
    assert MinMaxSum(whole, beside).scores("") == pytest.approx([1, 1, 1])
    assert MinMaxSum(whole, beside, weights=(1, 0.5)).scores("") == pytest.approx([0.5, 0.75, 1])
    with pytest.raises(ValueError, match="zip"):
        MinMaxSum(whole, beside, weights=(1,)).scores("")


def test_bm25_by_hand_and_with_lengths():
    # Lucene's BM25: idf ln(1 + (N - df + .5) / (df + .5)), tf / (tf + k1 (1 - b + b len / mean)).
    texts = ["fifo fifo depth", "fifo", "arbiter"]
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    norm = 1.5 * (1 - 0.75 + 0.75 * 3 / (5 / 3))
    scores = Bm25(texts, b=0.75).scores("fifo")
    assert scores[0] == pytest.approx(idf * 2 / (2 + norm), rel=1e-5)
    assert scores[2] == 0
    parts = [stemmed_parts(text) for text in texts]
    assert list(Bm25(parts, b=0.75).scores("fifo")) == list(scores)
    flat = Bm25(texts, b=0.0).scores("fifo")
    assert flat[1] == pytest.approx(idf / 2.5, rel=1e-5)


def test_content_words_keep_their_spelling():
    assert content_words("Where does the TL-UL hostAdapter start?") == [
        "TL",
        "UL",
        "hostAdapter",
        "start",
    ]


def test_every_baseline_ranks_every_candidate_once(corpus):
    for name in PLAIN:
        ranked = make_system(name, corpus).rank(QUESTION, 1000)
        assert sorted(ranked) == sorted(corpus.paths), name


def test_fields_and_fusions_are_made_of_the_scorers_that_they_name(corpus):
    words = make_system("bm25", corpus)._scorer.scores(QUESTION)
    said = Bm25(corpus.texts("explanations"), b=0.75).scores(QUESTION)
    dense = make_system("embedding", corpus)._scorer.scores(QUESTION)

    def scaled(values):
        return (values - values.min()) / (values.max() - values.min())

    fields = make_system("bm25-fields", corpus)._scorer.scores(QUESTION)
    assert fields == pytest.approx(scaled(words) + 0.75 * scaled(said), abs=1e-6)
    best = make_system("minmax-fields", corpus)._scorer.scores(QUESTION)
    both = scaled(words) + scaled(said)
    assert best == pytest.approx(scaled(both) + scaled(dense), abs=1e-6)
    fused = make_system("rrf", corpus)._scorer.scores(QUESTION)
    assert fused == pytest.approx(1 / (60 + ranks(words)) + 1 / (60 + ranks(dense)))


def test_texts_are_split_and_embedded_once(corpus):
    assert corpus.parts("code") is corpus.parts("code")
    assert corpus.embedder() is corpus.embedder()
    made = []
    assert corpus.shared("test", make=lambda: made.append(1) or 7) == 7
    assert corpus.shared("test", make=lambda: made.append(1) or 8) == 7
    assert made == [1]


def test_systems_of_several_texts_take_none():
    with pytest.raises(UsageError, match="bm25-fields:code: reads code and explanations"):
        check_systems(["bm25-fields:code"])
    with pytest.raises(UsageError, match="graphrag-local:code: reads the index"):
        check_systems(["graphrag-local:code"])
    check_systems([name for name in SYSTEMS if name != "bm25"])


def test_baselines_read_the_explanations_that_a_search_reads(soc_project, corpus):
    folder, known = soc_project._generation().folder, corpus.explanations()
    stored = msgspec.msgpack.decode((folder / "surfaces" / "surfaces.msgpack").read_bytes())
    assert list(known) == list(soc_project.explanations())
    for number, record in enumerate(read_facts(folder)):
        made = [one.text for one in surfaces_of(number, record, known[record.path])]
        assert made == [text for owner, _, _, text in stored if owner == number]
    assert corpus.texts("explanations") == [known[path].to_text() for path in corpus.paths]
