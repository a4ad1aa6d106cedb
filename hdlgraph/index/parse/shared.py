"""Makes the records of many files share equal texts, which a decoder makes anew at each place.

Of the texts in the facts of a repository nine of ten stand somewhere else as well: names of ports
and signals, types, kinds, directions. The records of all files are held by several processes at
once, so this is most of the memory of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import GenericAlias
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec.structs import force_setattr

from hdlgraph.model import FileRecord

Replace = Callable[[Any], Any]
"""Returns what stands in the place of a value, which may be the value itself."""


class Shared:
    """What records hold together: texts, numbers, and tuples of texts."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._numbers: dict[int, int] = {}
        self._same: dict[Any, Callable[[Any, Any], Any]] = {
            str: self._texts.setdefault,
            int: self._numbers.setdefault,
        }
        self._tuples: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._record = self._of_struct(FileRecord)

    def share(self, record: FileRecord) -> FileRecord:
        """Returns the record, which nobody else has seen yet, with shared values in it."""
        self._record(record)
        return record

    def clear(self) -> None:
        """Holds nothing any more, as no further record comes."""
        self._texts.clear()
        self._numbers.clear()
        self._tuples.clear()

    @cache  # noqa: B019  there are few, and `clear` leaves little of one
    def _of(self, kind: Any) -> Replace | None:
        """Returns how values of a type are shared; None where they are not."""
        same = self._same.get(kind)
        if same is not None:
            return lambda value: same(value, value)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return self._of_struct(kind)
        if get_origin(kind) is tuple:
            return self._of_tuple(get_args(kind))
        return None

    def _of_tuple(self, kinds: tuple[Any, ...]) -> Replace | None:
        if kinds[-1] is not Ellipsis:
            return self._of_row(kinds)
        inner = self._of(kinds[0])
        if inner is None:
            return None
        if isinstance(kinds[0], type) and not isinstance(kinds[0], GenericAlias):
            if issubclass(kinds[0], msgspec.Struct):

                def each(found: tuple[Any, ...]) -> tuple[Any, ...]:
                    for one in found:
                        inner(one)
                    return found

                return each
            if kinds[0] is str:
                return self._of_texts()
        return lambda found: tuple(map(inner, found)) if found else found

    def _of_texts(self) -> Replace:
        tuples, text = self._tuples, self._texts.setdefault

        def texts(found: tuple[str, ...]) -> tuple[str, ...]:
            known = tuples.get(found)
            if known is None:
                known = tuple(text(one, one) for one in found)
                tuples[known] = known
            return known

        return texts

    def _of_row(self, kinds: tuple[Any, ...]) -> Replace | None:
        """Returns how tuples of a fixed length are shared, such as a name with its line."""
        inner = [self._of(kind) for kind in kinds]
        if not any(inner):
            return None
        if all(kind is str for kind in kinds):
            return self._of_texts()

        def row(found: tuple[Any, ...]) -> tuple[Any, ...]:
            pairs = zip(inner, found, strict=True)
            return tuple(how(one) if how is not None else one for how, one in pairs)

        return row

    def _of_struct(self, kind: type[msgspec.Struct]) -> Replace:
        """Returns a function that exchanges the fields of a record in place."""
        hints = get_type_hints(kind)
        names = kind.__struct_fields__
        plain = [(name, self._same[hints[name]]) for name in names if hints[name] in self._same]
        others = [
            (name, how)
            for name in names
            if hints[name] not in self._same and (how := self._of(hints[name])) is not None
        ]

        def struct(one: Any) -> Any:
            for name, same in plain:
                value = getattr(one, name)
                if value and (known := same(value, value)) is not value:
                    force_setattr(one, name, known)
            for name, how in others:
                value = getattr(one, name)
                if value and (known := how(value)) is not value:
                    force_setattr(one, name, known)
            return one

        return struct
