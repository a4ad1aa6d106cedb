"""Records read row by row out of the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from hdlgraph.store.tables import Table

if TYPE_CHECKING:
    import numpy as np

R = TypeVar("R")


class Rows(Sequence[R], Generic[R]):
    """A read-only sequence of records over columns; each access makes a record."""

    def __init__(self, table: Table, make: Callable[[tuple[Any, ...]], R]) -> None:
        self.table = table
        self._make = make

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> list[R]: ...
    def __getitem__(self, index: int | slice) -> R | list[R]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._make(self.table.row(index))

    def __iter__(self) -> Iterator[R]:
        return map(self._make, zip(*map(self.table.column, self.table.names), strict=True))

    def column(self, name: str) -> Sequence[Any]:
        """Returns one column of the records, of which each value is read when looked at."""
        return self.table.values(name)

    def array(self, name: str) -> np.ndarray:
        """Returns one numeric column of the records; do not change it."""
        return self.table.array(name)
