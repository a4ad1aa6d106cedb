"""The terms of a segment: those in which texts stand, and those of nearly the same letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.store.words.segment import write_vocabulary
from hdlgraph.store.words.vocabulary import Vocabulary, keys_of

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
    terms = [b"abc", b"abcdefghi"]
    assert Vocabulary(tmp_path).numbers(terms, keys_of(terms)) == [-1, -1]


PARTS = st.text("ab", min_size=1, max_size=10)


@given(st.sets(PARTS, max_size=20), st.lists(PARTS, max_size=20))
def test_terms_are_found_together_as_by_themselves(
    tmp_path_factory: pytest.TempPathFactory, known: set[str], asked: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("vocabulary")
    write_vocabulary(folder, sorted(known))
    vocabulary, asked = Vocabulary(folder), [*asked, *sorted(known)]
    coded = [term.encode() for term in asked]
    found = vocabulary.numbers(coded, keys_of(coded))
    assert found == [vocabulary.number(term) for term in asked]
    assert [term for term, number in zip(asked, found, strict=True) if number >= 0] == [
        term for term in asked if term in known
    ]
