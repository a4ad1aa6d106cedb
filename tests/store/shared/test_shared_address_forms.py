"""What is no address of a shared index is refused with the form that one has."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdlgraph.errors import UsageError
from hdlgraph.eval.sets.named import named_sets
from hdlgraph.store.shared.address import is_address, read_address


@pytest.mark.parametrize(("given", "remedy"), [("s3://", "s3://BUCKET"), ("file://", "///FOLDER")])
def test_a_scheme_alone_is_no_address(given: str, remedy: str) -> None:
    assert is_address(Path(given))  # no folder is looked for
    with pytest.raises(UsageError, match=remedy):
        read_address(Path(given))


def test_sets_are_named_with_index_and_questions() -> None:
    assert named_sets(["a=i=q.jsonl"]) == {"a": (Path("i"), Path("q.jsonl"))}
    with pytest.raises(UsageError, match="NAME=INDEX=QUESTIONS"):
        named_sets(["a=i"])
