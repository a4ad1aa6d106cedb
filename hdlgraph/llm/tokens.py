"""Counts and clips text in tokens, without a network and without reading anything on import.

The counts are those of OpenAI's o200k_base; other models split text differently, for Verilog by up
to a third more or less.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

    from hdlgraph.llm.call import Call

ENCODING = "o200k_base"
_URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
CHARS_PER_TOKEN = 3.5  # where the tokeniser's table is not installed
MESSAGE_TOKENS = 4  # what the chat format adds to a message, its role included
_PIECE = 20_000  # characters encoded at once: the splitting pattern recurses over long runs


@lru_cache(maxsize=1)
def encoder() -> tiktoken.Encoding | None:
    """Returns the tokeniser, or None where its table is not on this machine.

    tiktoken would fetch a missing or damaged table, so it is only asked once a copy is found and
    its checksum is right.
    """
    folder = _table_folder()
    if folder is None:
        return None
    import tiktoken

    with _environment("TIKTOKEN_CACHE_DIR", str(folder)):
        return tiktoken.get_encoding(ENCODING)


def _table_folder() -> Path | None:
    name = hashlib.sha1(_URL.encode(), usedforsecurity=False).hexdigest()
    places = [Path(p) for v in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR") if (p := os.getenv(v))]
    spec = find_spec("litellm")  # carries the table; its code is not run
    packages = (spec.submodule_search_locations or ()) if spec else ()
    places += [Path(package, "litellm_core_utils", "tokenizers") for package in packages]
    for place in places:
        try:
            data = (place / name).read_bytes()
        except OSError:
            continue
        if hashlib.sha256(data).hexdigest() == _SHA256:
            return place
    return None


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    former = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if former is None:
            del os.environ[name]
        else:
            os.environ[name] = former


def _pieces(text: str) -> Iterator[str]:
    """Yields the text in pieces, cut at line ends where there are any."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            end = text.rfind("\n", start, end) + 1 or end
        yield text[start:end]
        start = end


def count_tokens(text: str) -> int:
    """Returns the tokens of a text; special tokens in it count as ordinary text."""
    table = encoder()
    if table is None:
        return math.ceil(len(text) / CHARS_PER_TOKEN)
    return sum(len(table.encode_ordinary(piece)) for piece in _pieces(text))


def count_messages(call: Call) -> int:
    """Returns the input tokens of a call: messages, their frame, and the schema."""
    messages = call.messages
    total = sum(count_tokens(message["content"]) + MESSAGE_TOKENS for message in messages)
    if call.schema is not None:
        import msgspec

        total += count_tokens(msgspec.json.encode(call.schema).decode())
    return total + MESSAGE_TOKENS


def clip_tokens(text: str, limit: int) -> str:
    """Returns the longest beginning of a text that has at most `limit` tokens.

    A character is never cut; a beginning ends where a token does, so it may be a few letters
    shorter than possible.
    """
    if limit <= 0:
        return ""
    table = encoder()
    if table is None:
        return text[: int(limit * CHARS_PER_TOKEN)]
    left, size = limit, 0
    for piece in _pieces(text):
        tokens = table.encode_ordinary(piece)
        if len(tokens) > left:
            return text[:size] + _clip_piece(piece, tokens, left)
        left -= len(tokens)
        size += len(piece)
    return text


def _clip_piece(piece: str, tokens: list[int], limit: int) -> str:
    table = encoder()
    assert table is not None
    # The cut beginning may split otherwise than the whole did: shorten until it fits.
    for n in range(limit, 0, -1):
        data = table.decode_bytes(tokens[:n])
        cut = piece[: len(data.decode("utf-8", "ignore"))]
        if count_tokens(cut) <= limit:
            return cut
    return ""
