"""The terms of a segment: those in which texts stand, and those of nearly the same letters."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.store.words.segment import write_vocabulary
from hdlgraph.store.words.vocabulary import Vocabulary

TERMS = sorted(["credit", "credit_count_q", "count_credit", "crdeit", "credit7", "créd", "window"])


@pytest.fixture(params=["now", "earlier"])
def vocabulary(tmp_path: Path, request: pytest.FixtureRequest) -> Vocabulary:
    write_vocabulary(tmp_path, TERMS)
    if request.param == "earlier":  # such an index has no keys
        (tmp_path / "vocab_key.npy").unlink()
    return Vocabulary(tmp_path)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("count", ["count_credit", "credit_count_q"]),
        ("t_c", ["count_credit", "credit_count_q"]),
        ("window", ["window"]),
        ("créd", ["créd"]),
        ("(.", []),
    ],
)
def test_terms_that_have_a_text(vocabulary: Vocabulary, text: str, found: list[str]) -> None:
    assert vocabulary.having(text) == found


def test_terms_of_nearly_the_same_letters_and_the_same_digits(vocabulary: Vocabulary) -> None:
    assert vocabulary.lettered("credit", 1) == ["crdeit", "credit"]
    assert vocabulary.lettered("credti7", 1) == ["credit7"]
    assert vocabulary.lettered("creditcountq", 1) == ["count_credit", "credit_count_q"]
    assert vocabulary.lettered("zzzzzz", 1) == []


def test_no_terms(tmp_path: Path) -> None:
    write_vocabulary(tmp_path, [])
    assert Vocabulary(tmp_path).having("a") == []
    assert Vocabulary(tmp_path).lettered("abc", 2) == []
