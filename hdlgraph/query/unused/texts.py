"""The sources of a design as text: code without comments and strings, its words, its waivers."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import pairwise

_SKIPPED = re.compile(
    r"`\\?`?\"|\"(?:[^\"\\\n]|\\[\s\S])*\"?|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|\\[^\s\"\\]+(?=\s)"
)
WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINE = re.compile(r"`define(?:[^\\\n]|\\[\s\S])*")
_TAIL, _HEAD = re.compile(r"\w{0,100}$"), re.compile(r"\w{0,100}")
_USED = re.compile(r"`([A-Za-z_]\w*)")
_INCLUDE = re.compile(r"`include\s+\"([^\"\n]{1,400})\"")
_LETTER = re.compile(r"[\w$]")
_MEMBER = re.compile(r"\.\s{0,200}([A-Za-z_]\w*)(\s{0,200}\()?")
FAR = 200
"""Characters around the dot of a path."""
_STATEMENT = re.compile(r"\b(?:begin|end|else)\b")


class Text:
    """The text of one file. `code` has comments and strings blanked, at the same offsets."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.code = _SKIPPED.sub(_blanked, text)

    @cached_property
    def starts(self) -> list[int]:
        """Returns the offset at which each line begins."""
        return [0, *(one.end() for one in re.finditer("\n", self.text))]

    @cached_property
    def words(self) -> frozenset[str]:
        """Returns all words of the code."""
        return frozenset(WORD.findall(self.code))

    @cached_property
    def plain_words(self) -> frozenset[str]:
        """Returns the words of the code outside of the definitions of macros."""
        if "`define" not in self.code:
            return self.words
        return frozenset(WORD.findall(_DEFINE.sub("", self.code)))

    @cached_property
    def macros(self) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
        """Returns the macros that it defines: name, words of the body, macros in the body."""
        if "`define" not in self.code:
            return ()
        found = []
        for one in _DEFINE.finditer(self.code):
            words = WORD.findall(one[0])
            if len(words) > 1:
                used = frozenset(_USED.findall(one[0], len("`define")))
                found.append((words[1], frozenset(words[2:]), used))
        return tuple(found)

    @cached_property
    def reached(self) -> dict[str, list[tuple[int, bool]]]:
        """Returns the names behind the dot of a path, with offsets and whether it is called.

        The name of a port in a connection has nothing before its dot, and is none of these.
        """
        found: dict[str, list[tuple[int, bool]]] = {}
        for one in _MEMBER.finditer(self.code):
            before = self.code[max(0, one.start() - FAR) : one.start()].rstrip()[-1:]
            if before and (before in ")]" or _LETTER.match(before)):
                found.setdefault(one[1], []).append((one.start(), bool(one[2])))
        return found

    @cached_property
    def includes(self) -> frozenset[str]:
        """Returns the names of the files that it includes, without folders."""
        if "`include" not in self.text:
            return frozenset()
        return frozenset(one[1].rpartition("/")[2] for one in _INCLUDE.finditer(self.text))

    def line(self, offset: int) -> int:
        """Returns the line, from 1, of an offset."""
        return bisect_right(self.starts, offset)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Returns the offsets of lines; all behind the first where `last` is before it."""
        starts = self.starts
        begin = starts[min(max(first, 1), len(starts)) - 1]
        end = starts[last] if first <= last < len(starts) else len(self.code)
        return begin, end

    def find(self, word: str, begin: int, end: int) -> Iterator[int]:
        """Yields the offsets of a whole word in the code."""
        at = self.code.find(word, begin, end)
        while at >= 0:
            after = at + len(word)
            before = self.code[at - 1 : at]
            if not _LETTER.match(before) and not _LETTER.match(self.code[after : after + 1]):
                yield at
            at = self.code.find(word, after, end)

    def statement(self, offset: int) -> str:
        """Returns the code of a statement up to an offset, at most 4,000 characters of it."""
        start = max(0, offset - 4000)
        part = self.code[max(start, self.code.rfind(";", start, offset) + 1) : offset]
        found = 0
        for one in _STATEMENT.finditer(part):
            found = one.end()
        return part[found:]


def _blanked(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "\\":  # an escaped name
        return found
    if found[0] == "`":
        return " " * len(found)
    if "\n" in found:
        return "\n".join(" " * len(part) for part in found.split("\n"))
    return (
        '"' + " " * (len(found) - 2) + '"'
        if found[0] == '"' and len(found) > 1
        else " " * len(found)
    )


class Texts:
    """The texts of all files, each read once.

    Args:
        paths: of all files of the index.
        read: gives the text of a path, "" where it cannot be read.
    """

    def __init__(self, paths: Iterable[str], read: Callable[[str], str]) -> None:
        self.paths = sorted(paths)
        self._read = read
        self._held: dict[str, Text] = {}
        self._included: dict[str, frozenset[str]] = {}

    def of(self, path: str) -> Text:
        """Returns the text of a path."""
        found = self._held.get(path)
        if found is None:
            found = self._held[path] = Text(path, self._read(path))
        return found

    @cached_property
    def macros(self) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
        """Returns the words, and the macros, in the bodies of all definitions of each macro."""
        found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        for path in self.paths:
            for name, words, used in self.of(path).macros:
                known = found.get(name, (frozenset[str](), frozenset[str]()))
                found[name] = known[0] | words, known[1] | used
        return found

    @cached_property
    def _pasted(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns how the names begin, and how they end, that macros put together of parts."""
        begins, ends = set(), set()
        for path in self.paths:
            code = self.of(path).code
            parts = code.split("``") if "``" in code else []
            for left, right in pairwise(parts):
                tail, head = _TAIL.search(left[-100:]), _HEAD.match(right)
                begins.add(tail[0] if tail and len(tail[0]) < len(left) else "")
                ends.add(head[0] if head and len(head[0]) < len(right) else "")
        return tuple(sorted(begins - {""})), tuple(sorted(ends - {""}))

    def may_be_pasted(self, name: str, path: str) -> bool:
        """Returns whether a macro may put a name together of parts and a word of a file."""
        begins, ends = self._pasted
        is_begun, is_ended = name.startswith(begins), name.endswith(ends)
        if not (is_begun or is_ended):
            return False
        words = self.of(path).words
        rests = [name[len(one) :] for one in begins if name.startswith(one)]
        rests += [name[: -len(one)] for one in ends if name.endswith(one)]
        return any(rest in words for rest in rests) or (is_begun and is_ended)

    def expanded(self, names: Iterable[str]) -> frozenset[str]:
        """Returns the words that macros of some names stand for, through other macros too."""
        waiting = [one for one in dict.fromkeys(names) if one in self.macros]
        seen = set(waiting)
        found: set[str] = set()
        while waiting:
            words, used = self.macros[waiting.pop()]
            found |= words
            new = [one for one in sorted(used) if one in self.macros and one not in seen]
            seen.update(new)
            waiting += new
        return frozenset(found)

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """Returns the paths by the name of the file."""
        found: dict[str, list[str]] = {}
        for path in self.paths:
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    @cached_property
    def includers(self) -> dict[str, frozenset[str]]:
        """Returns for each name of a file the paths that include one of that name."""
        found: dict[str, set[str]] = {}
        for path in self.paths:
            for name in self.of(path).includes:
                found.setdefault(name, set()).add(path)
        return {name: frozenset(paths) for name, paths in found.items()}

    def included(self, path: str) -> tuple[str, ...]:
        """Returns the files that a file includes, also through others, at most 100."""
        found: dict[str, None] = {}
        waiting = [path]
        while waiting and len(found) < 100:
            for name in sorted(self.of(waiting.pop()).includes):
                for one in self.by_name.get(name, ()):
                    if one not in found and one != path:
                        found[one] = None
                        waiting.append(one)
        return tuple(found)

    def included_words(self, path: str) -> frozenset[str]:
        """Returns the words of the files that a file includes, without those of macros."""
        found = self._included.get(path)
        if found is None:
            words = (self.of(one).plain_words for one in self.included(path))
            found = self._included[path] = frozenset().union(*words)
        return found

    @cached_property
    def _by_word(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for path in self.paths:
            for word in self.of(path).words:
                found.setdefault(word, []).append(path)
        return found

    def with_word(self, word: str) -> list[str]:
        """Returns the paths of the files whose code has a word."""
        return self._by_word.get(word, [])
