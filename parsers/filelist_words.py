"""Splits the text of a filelist into words, in time that grows with its length alone."""

from __future__ import annotations

import re

_START = re.compile(r"/\*|(?<![:\w])//[^\n]*|(?:^|(?<=\s))#[^\n]*")
_LINE = re.compile(r"(?<![:\w])//[^\n]*|(?:^|(?<=\s))#[^\n]*")
_PLAIN = re.compile(r"[^ \t\r\n\"'\\]+")
_IN_QUOTES = re.compile(r"[^\"\\]*")
_BLANKS = " \t\r\n"


def words(text: str) -> list[str]:
    """Returns the words of a filelist, as a shell splits them, without comments.

    A text whose quotes do not close is split at its blanks.
    """
    text = _uncommented(text.replace("\\\r\n", " ").replace("\\\n", " "))
    found = _split(text)
    return text.split() if found is None else found


def _uncommented(text: str) -> str:
    parts: list[str] = []
    at = done = 0
    while match := _START.search(text, at):
        end = match.end()
        if match[0] == "/*":
            end = text.find("*/", end) + 2
            if end < 2:  # `rtl/*` and the like: no comment opens from here on
                break
        parts += (text[done : match.start()], " ")
        at = done = end
    for match in _LINE.finditer(text, done):
        parts += (text[done : match.start()], " ")
        done = match.end()
    return "".join(parts) + text[done:]


def _split(text: str) -> list[str] | None:
    """Returns the words as `shlex.split` gives them, None where it would raise.

    shlex itself copies a word for each of its letters: a filelist of one word would take hours.
    """
    found: list[str] = []
    word: list[str] | None = None
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char in _BLANKS:
            if word is not None:
                found.append("".join(word))
                word = None
            at += 1
            continue
        word = [] if word is None else word
        if char == "\\":
            if at + 1 >= end:
                return None
            word.append(text[at + 1])
            at += 2
        elif char == "'":
            close = text.find("'", at + 1)
            if close < 0:
                return None
            word.append(text[at + 1 : close])
            at = close + 1
        elif char == '"':
            at = _quoted(text, at + 1, word)
            if at < 0:
                return None
        else:
            match = _PLAIN.match(text, at)
            word.append(match[0] if match else char)
            at = match.end() if match else at + 1
    if word is not None:
        found.append("".join(word))
    return found


def _quoted(text: str, at: int, word: list[str]) -> int:
    """Adds what stands before the closing quote; returns the offset behind it, -1 without one."""
    word.append("")
    while True:
        match = _IN_QUOTES.match(text, at)
        at = match.end() if match else at
        word.append(match[0] if match else "")
        if at >= len(text):
            return -1
        if text[at] == '"':
            return at + 1
        if at + 1 >= len(text):
            return -1
        escaped = text[at + 1]
        word.append(escaped if escaped in '"\\' else "\\" + escaped)
        at += 2
