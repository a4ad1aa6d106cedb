"""Shortens passages before they are shown to a generator.

The compressor by default leaves out the pieces that hold least of the question's words. LLMLingua
(Jiang et al., EMNLP 2023; LLMLingua-2, ACL 2024) is used where it is installed and its model lies
in a folder on this machine; hdlgraph does not bring it along and fetches nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from hdlgraph.errors import UsageError
from hdlgraph.query.documents.pieces import pieces
from hdlgraph.words import content_stems

if TYPE_CHECKING:
    from hdlgraph.model.passage import Passage

KEEP = 0.5
"""Share of the words that is kept."""
Compressor = Callable[[str, "Sequence[Passage]"], "list[Passage]"]
"""Question and passages -> the same passages with shorter texts."""


def extractive(rarity: Callable[[str], float], keep: float = KEEP) -> Compressor:
    """Returns the compressor that leaves whole pieces out.

    Args:
        rarity: gives the weight of a word's stem.
        keep: share of all words that is kept.
    """

    def compress(question: str, passages: Sequence[Passage]) -> list[Passage]:
        asked = {stem: rarity(stem) for stem in content_stems(question)}
        parts = [(n, one) for n, p in enumerate(passages) for one in pieces(p.text)]
        room = keep * sum(len(one.text.split()) for _, one in parts)
        worth = [sum(asked.get(s, 0.0) for s in set(content_stems(one.text))) for _, one in parts]
        kept: set[int] = set()
        for at in sorted(range(len(parts)), key=lambda at: (-worth[at], at)):
            size = len(parts[at][1].text.split())
            if size <= room:
                kept.add(at)
                room -= size
        texts = [
            "\n".join(parts[at][1].text for at in sorted(kept) if parts[at][0] == n)
            for n in range(len(passages))
        ]
        both = zip(passages, texts, strict=True)
        return [msgspec.structs.replace(one, text=text) for one, text in both if text]

    return compress


def llmlingua(model: Path, keep: float = KEEP) -> Compressor:
    """Returns the compressor that asks LLMLingua-2, with its model in a folder.

    Raises:
        UsageError: the library is not installed, or there is no such folder.
    """
    if find_spec("llmlingua") is None:
        raise UsageError(
            "the compressor llmlingua is not installed: `pip install llmlingua` brings it (torch "
            "with it), or leave --compressor out"
        )
    if not (model / "config.json").is_file():
        raise UsageError(f"{model}: no model of LLMLingua; name its folder with config.json")
    from llmlingua import PromptCompressor

    with _own_tokens():
        found: Any = PromptCompressor(model_name=str(model), use_llmlingua2=True, device_map="cpu")

    def compress(question: str, passages: Sequence[Passage]) -> list[Passage]:
        del question  # LLMLingua-2 compresses whatever is asked
        short = (found.compress_prompt([one.text], rate=keep) for one in passages)
        texts = [str(one["compressed_prompt"]) for one in short]
        both = zip(passages, texts, strict=True)
        return [msgspec.structs.replace(one, text=text) for one, text in both]

    return compress


@contextmanager
def _own_tokens() -> Iterator[None]:
    """Gives LLMLingua the table of tokens that is there; it counts with it, and would fetch one.

    Raises:
        UsageError: there is none.
    """
    import tiktoken

    from hdlgraph.llm.tokens import encoder

    own, former = encoder(), tiktoken.encoding_for_model
    if own is None:
        raise UsageError("the compressor llmlingua needs a table of tokens: `hdlgraph doctor` says")
    tiktoken.encoding_for_model = lambda model_name: own
    try:
        yield
    finally:
        tiktoken.encoding_for_model = former
