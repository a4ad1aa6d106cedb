"""What tells whether passages answer: the words, how near they are, and the fit of the rule."""

from __future__ import annotations

from hdlgraph.eval.fit.answerable import Case, fitted, judged
from hdlgraph.query.answer.documents.fits import ALONE, DOUBTED, LEAST, answers


def test_without_a_known_cosine_the_share_of_words_decides() -> None:
    assert answers(0.46, None, ALONE)
    assert not answers(0.44, None, ALONE)
    assert answers(0.38, None, LEAST)


def test_a_near_passage_answers_with_few_words_and_a_far_one_needs_many() -> None:
    assert answers(0.2, 0.65, ALONE)
    assert not answers(0.2, 0.5, ALONE)
    assert answers(0.9, 0.4, ALONE)
    # Where no file of the design fits it takes more.
    assert answers(0.3, 0.58, LEAST)
    assert not answers(0.3, 0.58, DOUBTED)


def test_the_rule_is_fitted_to_both_sides_alike() -> None:
    near = [(0.5 + n / 100, 0.6 + n / 100) for n in range(10)]
    far = [(0.2 + n / 100, 0.45 + n / 100) for n in range(10)]
    found = [Case("a", True, *one) for one in near] + [Case("a", False, *one) for one in far * 5]
    constants = fitted(found)
    assert constants[1] > 0
    assert constants[2] > 0
    assert judged(constants, found) == "answered 1.00, others refused 1.00"
