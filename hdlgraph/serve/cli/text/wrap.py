"""Text that comes in pieces, broken between words where a line would pass the terminal's edge."""

from __future__ import annotations

import re

_PIECES = re.compile(r"\n|[ \t]+|[^ \t\n]+")
FIXED = (" ", "\t", "|", "`")
"""What lines begin with that are never broken: code and tables."""


class Wrapper:
    """Breaks lines of prose at a width; a word is held back until it is known to be whole."""

    def __init__(self, width: int) -> None:
        self.width = max(width, 20)
        self.column = 0
        self.word = self.blank = ""
        self.fixed = False

    def feed(self, text: str) -> str:
        """Returns what of the text so far can be shown; a line break releases all of its line."""
        return "".join(map(self._piece, _PIECES.findall(text)))

    def end(self) -> str:
        """Returns what was held back."""
        out = self._release()
        self.blank = ""
        return out

    def _piece(self, piece: str) -> str:
        if piece == "\n":
            out = self.end() + "\n"
            self.column, self.fixed = 0, False
            return out
        if not self.column and not self.word and piece[0] in FIXED:
            self.fixed = True
        if self.fixed:
            self.column += len(piece)
            return piece
        if piece.isspace():
            out = self._release()
            self.blank = piece
            return out
        self.word += piece
        return ""

    def _release(self) -> str:
        if not self.word:
            return ""
        if self.column and self.column + len(self.blank) + len(self.word) > self.width:
            out, self.column = "\n" + self.word, len(self.word)
        else:
            out = self.blank + self.word
            self.column += len(out)
        self.word = self.blank = ""
        return out
