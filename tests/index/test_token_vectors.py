"""Token vectors: stable, bounded, and scored as the formula says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.errors import WeightsMissingError
from hdlgraph.index.embed import embedder, token_vectors
from hdlgraph.index.embed.token_vectors import DIM, load_token_encoder, write_passages
from hdlgraph.query.features.token_vectors import Passages
from hdlgraph.store.cache import Cache
from hdlgraph.store.token_vectors import SCALE, StoredTokenVectors, write_token_vectors

TEXTS = [
    "Arbiter that grants one of several requesters in turn.",
    "Receives serial characters and checks their parity.",
    "",
    "x",
    "word " * 3000,
    "Überlauf 计数器 \x00\ud800",
]


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder()


def test_a_passage_does_not_depend_on_its_neighbours(encoder):
    together = encoder.passages(TEXTS)
    alone = [encoder.passages([text])[0] for text in TEXTS]
    for mine, other in zip(together, alone, strict=True):
        assert np.array_equal(mine, other)
    assert encoder.passages([]) == []


def test_vectors_have_length_one_and_lose_little_as_int8(encoder):
    rows = encoder.question("who grants the bus in turn?")
    assert rows.dtype == np.float32
    assert rows.shape[1] == DIM
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    stored = encoder.passages(TEXTS[:1])[0]
    lengths = np.linalg.norm(stored.astype(np.float32) / SCALE, axis=1)
    np.testing.assert_allclose(lengths, 1.0, atol=0.05)


def test_long_texts_are_cut(encoder):
    assert len(encoder.passages([TEXTS[4]])[0]) == token_vectors.PASSAGE_TOKENS
    assert len(encoder.question("word " * 3000)) <= token_vectors.QUESTION_TOKENS


def test_a_question_finds_its_passage(tmp_path: Path, encoder):
    write_passages(TEXTS[:3], encoder, None, tmp_path)
    tokens = Passages(StoredTokenVectors(tmp_path), np.asarray([0, 1, 2], np.int32))
    score, row = tokens.score(encoder.question("Which block takes turns?"), np.arange(3))
    assert int(np.argmax(score)) == 0
    assert row.tolist() == [0, 1, -1]
    assert score[2] == 0.0


def test_known_passages_are_not_encoded_again(tmp_path: Path, encoder):
    cache = Cache(tmp_path / "cache.sqlite")
    assert write_passages(TEXTS, encoder, cache, tmp_path) == 5
    first = (tmp_path / "token_vectors.npy").read_bytes()
    assert write_passages(TEXTS[::-1], encoder, cache, tmp_path) == 0
    assert write_passages(TEXTS, encoder, cache, tmp_path) == 0
    assert (tmp_path / "token_vectors.npy").read_bytes() == first
    cache.close()


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 4), max_size=4), min_size=1, max_size=5),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
)
def test_scores_are_those_of_the_formula(tmp_path_factory, files, n_question, random):
    """files: for each file the number of tokens of each of its passages."""
    folder = tmp_path_factory.mktemp("tokens")
    lengths = [length for passages in files for length in passages]
    owner = [number for number, passages in enumerate(files) for _ in passages]
    rows = [[random.randint(-127, 127) for _ in range(3)] for _ in range(sum(lengths))]
    tokens = np.asarray(rows, np.int8).reshape(-1, 3)
    write_token_vectors(folder, np.split(tokens, np.cumsum(lengths)[:-1]) if lengths else [], 3)
    question = np.asarray([[random.random() for _ in range(3)] for _ in range(n_question)])
    wanted = np.asarray(sorted(random.sample(range(len(files)), random.randint(0, len(files)))))
    score, best = Passages(StoredTokenVectors(folder), np.asarray(owner, np.int32)).score(
        question.astype(np.float32), wanted.astype(np.int64)
    )
    starts = np.cumsum([0, *lengths])
    for place, number in enumerate(wanted):
        mine = [r for r, o in enumerate(owner) if o == number and lengths[r]]
        if not mine:
            assert score[place] == 0.0
            assert best[place] == -1
            continue
        near = [tokens[starts[r] : starts[r + 1]] @ question.T / SCALE for r in mine]
        expected = np.concatenate(near).max(axis=0).sum()
        assert score[place] == pytest.approx(expected, rel=1e-4, abs=1e-4)
        singles = [part.max(axis=0).sum() for part in near]
        chosen = singles[mine.index(int(best[place]))]
        assert chosen == pytest.approx(max(singles), rel=1e-4, abs=1e-4)


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    folder = tmp_path / "colbert"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"other")
    monkeypatch.setattr(embedder, "weights_folder", lambda name: folder)
    with pytest.raises(WeightsMissingError, match="sha256"):
        load_token_encoder()
