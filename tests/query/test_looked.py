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
from hdlgraph.query.lexicon import TermGroup

K1, B = 1.2, 0.5
LINES = st.lists(st.lists(st.sampled_from([*WORDS, ""]), max_size=4), max_size=120)
FILES = st.lists(LINES, min_size=1, max_size=7)
GROUPS = st.lists(
    st.lists(st.sampled_from([*WORDS, "absent"]), min_size=1, max_size=2, unique=True),
    min_size=1,
    max_size=4,
)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Makes every index a large one, of segments of a file or two."""
    monkeypatch.setattr(looked, "ALL", 0)
    monkeypatch.setattr(segments, "LEAST", 1)
    monkeypatch.setattr(segments, "MOST", 2)
    return monkeypatch


@settings(max_examples=60, deadline=None)
@given(FILES, GROUPS, st.integers(1, 7), st.sampled_from([30, 8_000_000]))
def test_what_is_looked_at_has_the_scores_of_a_look_at_all(
    tmp_path_factory: pytest.TempPathFactory,
    bodies: list[list[list[str]]],
    wanted: list[list[str]],
    most: int,
    places: int,
) -> None:
    texts = {
        f"{n}.sv": "\n".join(" ".join(line) for line in body) for n, body in enumerate(bodies)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(looked, "ALL", 0)
        patch.setattr(looked, "MOST", most)
        patch.setattr(segments, "LEAST", 1)
        patch.setattr(segments, "MOST", 2)
        patch.setattr(near, "PLACES", places)
        lexicon = make_lexicon(tmp_path_factory.mktemp("l"), texts)
        groups = [TermGroup(tuple((word, 1 / (at + 1)) for at, word in enumerate(words)))
                  for words in wanted]  # fmt: skip
        score = lexicon.bm25(groups, "post", K1, B)
        found = looked_at(lexicon, Halves(lexicon), groups, score, None)
        assert found is not None
        assert found.files.tolist() == sorted(np.argsort(-score, kind="stable")[:most].tolist())
        every = Windows(lexicon)
        some = SomeWindows(every, found)
        own, all_scores = some.scores(groups, K1, B), every.scores(groups, K1, B)
        assert np.array_equal(own, all_scores[found.halves])
        best = every.highest(all_scores)
        best[np.setdiff1d(np.arange(lexicon.n_files), found.files)] = 0
        assert np.array_equal(some.highest(own), best)
        for number in found.files.tolist():
            assert some.line(own, number) == every.line(all_scores, number)
        question = SimpleNamespace(groups=tuple(groups))
        pairs = phrase_scores(lexicon, question, Marks(), found) > 0
        wanted_pairs = phrase_scores(lexicon, question, Marks()) > 0
        assert np.flatnonzero(pairs).tolist() == [
            one for one in np.flatnonzero(wanted_pairs).tolist() if one in found.files
        ]
