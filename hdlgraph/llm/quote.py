"""Text that others wrote, made fit to stand between marks such as <card> and </card> in a prompt.

Verilog uses <, <<< and === itself, so only what looks like one of the prompt's own marks is
changed, and what local servers may read as the end of a turn (<|im_end|>, </s>, [/INST]).
"""

from __future__ import annotations

import re

_GAP = "\u00b7"
_NOT_TEXT = re.compile(
    r"[^\S\n\t ]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060\ufeff]"
)
_TURN = re.compile(
    r"<(?=[|｜][^|｜<>\n]{1,60}[|｜]>|/?s>|<?/?SYS>|(?:start|end)_of_turn>)|\[(?=/?INST\])", re.I
)


def quoted(text: str, *marks: str) -> str:
    """Returns text without control or invisible characters and without the prompt's marks.

    Args:
        text: of a repository, a model or a user.
        marks: names of the marks, such as "card"; `</card>` in the text becomes `<·/card>`.
    """
    plain = _TURN.sub(rf"\g<0>{_GAP}", _NOT_TEXT.sub(" ", text))
    names = "|".join(map(re.escape, marks))
    return re.sub(rf"<(?=\s*/?\s*(?:{names})\b)", f"<{_GAP}", plain, flags=re.I) if marks else plain


def one_line(text: str, limit: int) -> str:
    """Returns text as one line of at most `limit` characters, control characters left out."""
    return " ".join(_NOT_TEXT.sub(" ", text).split())[:limit].rstrip()
