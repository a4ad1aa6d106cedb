"""The classes of a repository: which definition a type means, what it extends, its variables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from hdlgraph.query.verification.roles import role_of
from hdlgraph.query.verification.types import bound, filled, written
from hdlgraph.store.design.verification import Act, Code, CodeClass, Member

CHAIN = 40
"""Classes that extend each other."""
_STEP = re.compile(r"(\w+)((?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])*)")


class Class(NamedTuple):
    """A class with the values of its parameters; `known` says whether the repository has it."""

    name: str
    path: str
    line: int
    values: tuple[tuple[str, str], ...] = ()
    row: int = -1

    @property
    def known(self) -> bool:
        """Returns whether the repository has the class."""
        return self.row >= 0


class Placed(NamedTuple):
    """What a statement does, with its file and the class, bound to parameters, that it acts in."""

    path: str
    act: Act
    scope: Class


class Library:
    """All classes of a repository, by name, and what the code in them does."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.rows: list[tuple[str, CodeClass]] = []
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._acts: dict[tuple[str, str], list[Act]] = defaultdict(list)
        self._aliases: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self.outside: list[tuple[str, Act]] = []
        self._bound: dict[tuple[str, str], Class] = {}
        self._roles: dict[int, tuple[str, str]] = {}
        for path, file in code.files:
            for one in file.classes:
                self._by_name[one.name].append(len(self.rows))
                self.rows.append((path, one))
            for alias, text in file.aliases:
                self._aliases[alias].append((path, text))
            for act in file.acts:
                if act.owner:
                    self._acts[path, act.owner].append(act)
                else:
                    self.outside.append((path, act))

    @property
    def names(self) -> list[str]:
        """Returns the names of all classes, sorted."""
        return sorted(self._by_name)

    def named(self, name: str) -> list[Class]:
        """Returns the classes of a name with the defaults of their parameters, by path."""
        found = [self._default(row) for row in self._by_name.get(name, ())]
        return sorted(found, key=lambda one: (one.path, one.line))

    def row_of(self, name: str, path: str) -> int:
        """Returns the row of the class of a name in a file, -1 for none."""
        return next((row for row in self._by_name.get(name, ()) if self.rows[row][0] == path), -1)

    def all(self) -> Iterator[Class]:
        """Yields all classes with the defaults of their parameters, by path."""
        return (self._default(row) for row in range(len(self.rows)))

    def _default(self, row: int) -> Class:
        path, one = self.rows[row]
        return Class(one.name, path, one.line, tuple(bound(one.parameters, ()).items()), row)

    def class_at(self, row: int) -> Class:
        """Returns the class of a row with the defaults of its parameters."""
        return self._default(row)

    def real(self, text: str, path: str, scope: Class | None = None) -> str:
        """Returns a type with other names for it replaced by what they stand for."""
        for _ in range(CHAIN):
            name = written(text).name
            alias = "" if name in self._by_name else self._alias(name, path, scope)
            if not alias or alias == text:
                break
            text = alias
        return text

    def meant(self, text: str, path: str, scope: Class | None = None) -> Class:
        """Returns the class that a type means in a file; one that is not known has no path.

        Args:
            text: the type as it is written.
            path: the file in which it stands; of several classes of a name the nearest counts.
            scope: the class around it, whose parameters are put in.
        """
        if scope is not None:
            text = filled(text, self.values(scope))
        key = (text, path)
        found = self._bound.get(key)
        if found is None:
            found = self._bound[key] = self._meant(text, path, scope, 0)
        return found

    def _meant(self, text: str, path: str, scope: Class | None, depth: int) -> Class:
        type_ = written(text)
        rows = self._by_name.get(type_.name)
        if rows:
            row = min(rows, key=lambda one: _distance(self.rows[one][0], path))
            where, one = self.rows[row]
            values = bound(one.parameters, type_.given)
            return Class(one.name, where, one.line, tuple(values.items()), row)
        alias = self._alias(type_.name, path, scope) if depth < CHAIN else ""
        if alias and alias != text:
            return self._meant(alias, path, scope, depth + 1)
        return Class(type_.name, "", 0, type_.given)

    def _alias(self, name: str, path: str, scope: Class | None) -> str:
        if scope is not None:
            for one in self.chain(scope):
                if one.known:
                    for alias, text in self.rows[one.row][1].aliases:
                        if alias == name:
                            return filled(text, dict(one.values))
        found = self._aliases.get(name)
        return min(found, key=lambda one: _distance(one[0], path))[1] if found else ""

    def values(self, one: Class) -> dict[str, str]:
        """Returns the values of the parameters of a class and of those that it extends."""
        found: dict[str, str] = {}
        for link in reversed(self.chain(one)):
            if link.known:
                found |= dict(link.values)
        return found

    def chain(self, one: Class) -> list[Class]:
        """Returns a class and those that it extends; the last may not be in the repository."""
        found = [one]
        while found[-1].known and len(found) < CHAIN:
            last = found[-1]
            path, code = self.rows[last.row]
            if not code.extends:
                break
            text = filled(code.extends, dict(last.values))
            parent = self._meant(text, path, None, 0)
            if any(parent.row == other.row >= 0 for other in found):
                break
            found.append(parent)
        return found

    def role(self, one: Class) -> tuple[str, str]:
        """Returns what a class is for (`agent`, `test` ...), and if `chain` or `name` decides."""
        if one.row in self._roles and one.known:
            return self._roles[one.row]
        chain = [link.name for link in self.chain(one)]
        found = role_of(chain, self._has_groups(one))
        if one.known:
            self._roles[one.row] = found
        return found

    def _has_groups(self, one: Class) -> bool:
        return any(act.kind == "group" for link in self.chain(one) for act in self.acts(link))

    def acts(self, one: Class) -> list[Act]:
        """Returns what the code of a class itself does, by line."""
        return self._acts.get((one.path, one.name), []) if one.known else []

    def placed(self, one: Class, kind: str) -> list[Placed]:
        """Returns what a class and those that it extends do of a kind, the last base first."""
        return [
            Placed(link.path, act, link)
            for link in reversed(self.chain(one))
            for act in self.acts(link)
            if act.kind == kind
        ]

    def member(self, one: Class, name: str) -> tuple[Member, Class] | None:
        """Returns a variable of a class or of those it extends, and the class that has it."""
        for link in self.chain(one):
            if link.known:
                for member in self.rows[link.row][1].members:
                    if member.name == name:
                        return member, link
        return None

    def walk(self, scope: Class, path: str) -> tuple[Class | None, list[str], list[str]]:
        """Follows a path of variables as far as classes of the repository go.

        Returns:
            (the last class of the repository on it, the names up to there, the names behind):
            of `m_agent.monitor.port[i]` the class of `monitor`, [`m_agent`, `monitor`] and
            [`port[i]`].
        """
        steps = [found[0] for found in _STEP.finditer(path)]
        if steps[:1] in (["this"], ["super"]):
            steps = steps[1:]
        at, done = scope, 0
        for step in steps:
            found = self.member(at, step.partition("[")[0])
            if found is None:
                break
            member, holder = found
            next_ = self.meant(member.type, holder.path, holder)
            if not next_.known:
                break
            at, done = next_, done + 1
        return at, steps[:done], steps[done:]

    def type_of(self, scope: Class, path: str) -> Class | None:
        """Returns the class of a variable; None where nothing declares it."""
        at, _, rest = self.walk(scope, path)
        if at is None or len(rest) > 1:
            return None
        if not rest:
            return at
        found = self.member(at, rest[0].partition("[")[0])
        return self.meant(found[0].type, found[1].path, found[1]) if found else None


def _distance(path: str, other: str) -> tuple[int, int, str]:
    """Returns how far a file is from another: fewer folders in common come later."""
    left, right = path.split("/")[:-1], other.split("/")[:-1]
    same = 0
    for one, two in zip(left, right, strict=False):
        if one != two:
            break
        same += 1
    return -same, len(left) - same, path
