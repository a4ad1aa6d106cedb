"""Making and publishing a shared index: `Project.index` where the index is an address."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hdlgraph.errors import UsageError
from hdlgraph.project.sharing import Sharing
from hdlgraph.project.watching import Watching

if TYPE_CHECKING:
    from hdlgraph.results import Estimate, IndexReport, Round
    from hdlgraph.store.shared.publish import Report


class Publishing(Sharing, Watching):
    """The part of a project that does elsewhere what is written to a shared index.

    A builder keeps an index folder of its own for each repository, in the user's cache folder, and
    publishes what is made there.
    """

    def index(self, **options: Any) -> IndexReport:
        """Brings the index up to date, and publishes it where it is shared; see `Indexing.index`.

        Raises:
            BucketError: the place of the shared index does not answer or refuses: it stays as it
                was, and the next call goes on with what was made.
            ConflictError: another builder published meanwhile.
        """
        if self.shared is None:
            return super().index(**options)
        import msgspec

        from hdlgraph.store.shared.open_bucket import open_bucket
        from hdlgraph.store.shared.publish import begin, publish

        address = self.shared.address
        # Asked before the index is made: who has no permission waits for nothing.
        bucket = open_bucket(address, patient=True)
        former = begin(bucket, address)
        builder = self._builder()
        report = builder.index(**options)
        done = publish(bucket, address, builder.folder, former)
        self.shared.forget()
        notes = (*report.notes, _summary(str(address), done), *done.notes)
        return msgspec.structs.replace(report, notes=notes)

    def estimate(self, **options: Any) -> Estimate:
        """Returns what `index` would ask of a model; see `Indexing.estimate`."""
        if self.shared is not None:
            return self._builder().estimate(**options)
        return super().estimate(**options)

    def check(self, **options: Any) -> dict[str, Any]:
        """Returns whether the index fits the repository; see `Indexing.check`."""
        if self.shared is not None:
            self.shared.follow()
        return super().check(**options)

    def watch(self, **options: Any) -> Iterator[Round]:
        """Yields what each round of indexing did; see `Watching.watch`.

        Raises:
            UsageError: the index is shared: it is published once, not at every change.
        """
        if self.shared is not None:
            raise UsageError(
                f"index {self.shared.address}: is not kept in step with the files of one machine; "
                "watch with an index folder of your own, or publish with `hdlgraph index`"
            )
        return super().watch(**options)

    def import_explanations(self, source: Path) -> dict[str, int]:
        """Imports explanations for the next index; see `Sharing.import_explanations`."""
        if self.shared is not None:
            return self._builder().import_explanations(source)
        return super().import_explanations(source)

    def forget_explanations(
        self, *, model: str = "", paths: Sequence[str] = (), everything: bool = False
    ) -> dict[str, Any]:
        """Removes explanations before the next index; see `Sharing.forget_explanations`."""
        what: dict[str, Any] = {"model": model, "paths": paths, "everything": everything}
        if self.shared is not None:
            return self._builder().forget_explanations(**what)
        return super().forget_explanations(**what)

    def _builder(self) -> Self:
        """Returns the project whose index folder is that of this machine's builder."""
        if self.shared is None:
            return self
        self.shared.place.make()
        return type(self)(self.root, self.shared.place.build(self.root), self._given, self.features)


def _summary(address: str, done: Report) -> str:
    """Returns what publishing did, for people."""
    if not done.sent:
        return f"{address}: generation {done.number} has this index already; nothing was sent"
    gone = f", {done.removed} old generations removed" if done.removed else ""
    return (
        f"{address}: published generation {done.number}, {done.sent} of {done.files} files sent "
        f"({done.sent_bytes / 1e6:,.1f} of {done.size / 1e6:,.1f} MB){gone}"
    )
