"""Parts of names as arrays, against the plain way of splitting each name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hdlgraph.query.relations.name_parts import NameParts, run_together
from hdlgraph.store.tables import coded_texts
from hdlgraph.words import split_identifier, stem

NAMES = st.lists(st.text(alphabet="aBcD1_.$ \n", max_size=12), max_size=12)


def plain(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem(part) for part in split_identifier(name)))


@given(NAMES)
def test_parts_are_those_of_each_name_by_itself(names: list[str]) -> None:
    parts = NameParts(*coded_texts(names))
    assert [parts.of(n) for n in range(len(names))] == [plain(name) for name in names]
    known = {part for name in names for part in plain(name)}
    assert parts.known == sorted(known)
    joined = {run_together(plain(name)) for name in names if len(plain(name)) > 1}
    for text in {*known, *joined, "", "z", "ab"}:
        having = [
            n for n, name in enumerate(names)
            if text in plain(name) or (len(plain(name)) > 1 and run_together(plain(name)) == text)
        ]  # fmt: skip
        assert parts.having(text).tolist() == having
        assert (text in parts) == bool(having)


def test_words_run_together_find_names_in_parts() -> None:
    parts = NameParts(*coded_texts(["reg_file", "regfile", "file_reg", "grantsPending"]))
    assert parts.having(stem("regfile")).tolist() == [0, 1]
    assert parts.of(3) == ("grant", "pend")
