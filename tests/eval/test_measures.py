import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdlgraph.eval.scores import measures as m
from hdlgraph.eval.scores.tables import chance

names = st.sampled_from([f"rtl/{c}.sv" for c in "abcdefghij"])
rankings = st.lists(names, unique=True)
judged = st.frozensets(names, min_size=1, max_size=4)
others = st.frozensets(names, max_size=3)
cutoffs = st.integers(1, 12)
scores = st.lists(st.floats(0, 1), min_size=1, max_size=30)
fast = settings(max_examples=60, deadline=None)


@given(rankings, judged, others, cutoffs)
@fast
def test_orders_between_measures(ranking, relevant, equivalent, k):
    strict = m.recall(ranking, relevant, k)
    assert 0 <= strict <= m.lenient_recall(ranking, relevant, equivalent, k) <= 1
    assert strict <= m.success(ranking, relevant, k)
    assert strict <= m.recall(ranking, relevant, k + 1)
    assert 0 <= m.ndcg(ranking, relevant, k) <= 1 + 1e-12
    assert (m.reciprocal_rank(ranking, relevant) >= 1 / k) == bool(m.success(ranking, relevant, k))


@given(rankings, names, cutoffs)
@fast
def test_one_relevant_file_makes_recall_and_success_equal(ranking, path, k):
    assert m.recall(ranking, [path], k) == m.success(ranking, [path], k)


@given(rankings, judged, cutoffs)
@fast
def test_no_equivalents_makes_lenient_strict(ranking, relevant, k):
    assert m.lenient_recall(ranking, relevant, (), k) == m.recall(ranking, relevant, k)


@given(judged)
@fast
def test_perfect_ranking(relevant):
    ranking = [*sorted(relevant), "z.sv"]
    assert m.ndcg(ranking, relevant) == pytest.approx(1)
    assert m.recall(ranking, relevant, len(relevant)) == 1
    assert m.reciprocal_rank(ranking, relevant) == 1


def test_worked_example():
    ranking = ["a", "b", "c", "d"]
    assert m.recall(ranking, ["b", "d", "x"], 2) == pytest.approx(1 / 3)
    assert m.success(ranking, ["b", "d", "x"], 2) == 1
    assert m.first_rank(ranking, ["c", "d"]) == 3
    assert m.first_rank(ranking, ["x"]) == 0
    assert m.lenient_recall(ranking, ["x"], ["a"], 1) == 1
    assert m.ndcg(ranking, ["b"]) == pytest.approx(1 / math.log2(3))


@given(scores)
@fast
def test_interval_holds_the_mean_and_is_reproducible(values):
    found = m.interval(values)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found == m.interval(values)


def test_interval_of_thirty_percent_of_sixty_is_about_twelve_points():
    found = m.interval([1.0] * 18 + [0.0] * 42)
    assert found.mean == pytest.approx(0.3)
    assert found.high - found.mean == pytest.approx(0.12, abs=0.02)
    assert found.mean - found.low == pytest.approx(0.12, abs=0.02)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
@fast
def test_paired_comparisons_are_symmetric(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    won = m.duel(first, second)
    assert won == (m.duel(second, first).losses, m.duel(second, first).wins, won.ties)
    assert sum(won) == len(pairs)
    assert 0 < m.paired_p(first, second) <= 1
    assert m.paired_p(first, first) == 1
    assert m.paired_p(first, second) == pytest.approx(m.paired_p(second, first), abs=0.03)


def test_paired_p_sees_a_clear_difference_and_doubts_a_small_one():
    assert m.paired_p([1] * 20 + [0] * 40, [0] * 60) < 0.001
    assert m.paired_p([1, 0] * 30, [0, 1] * 30) == 1.0 or m.paired_p([1, 0] * 30, [0, 1] * 30) > 0.5


def test_empty():
    assert m.interval([]) == (0, 0, 0)
    assert m.paired_p([], []) == 1


@pytest.mark.parametrize(
    ("n", "least"), [(1, 1.0), (2, 0.5), (3, 0.25), (5, 0.0625), (8, 0.0078125)]
)
def test_of_few_questions_p_is_not_below_what_signs_can_say(n, least):
    assert m.paired_p([1] * n, [0] * n) == least


def test_p_is_never_printed_as_zero():
    assert chance(0.00001) == "<.001"
    assert chance(0.00001, 4) == "<.0001"
    assert chance(0.034) == ".034"
    assert chance(1.0) == "1.000"


def test_a_folded_hit_counts_for_its_copies_in_the_lenient_figure():
    ranking, copies = ["a", "b"], {"a": ("x", "y"), "b": ("z",)}
    assert m.recall(ranking, ["x"], 1) == 0
    assert m.lenient_recall(ranking, ["x"], (), 1, copies) == 1
    assert m.lenient_recall(ranking, ["x", "y"], (), 1, copies) == 1
    assert m.lenient_recall(ranking, ["x", "z"], (), 1, copies) == 0.5
    assert m.lenient_recall(ranking, ["x"], (), 1) == 0
    assert m.first_rank(ranking, ["z"], copies) == 2
    assert m.first_rank(ranking, ["z"]) == 0
