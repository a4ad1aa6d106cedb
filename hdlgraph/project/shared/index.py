"""A shared index beside the checkout of a reader: which folder is opened, and what moved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hdlgraph.project.shared.checkout import CHECKOUT, as_here, find_checkout
from hdlgraph.store.shared.follow import Follower

if TYPE_CHECKING:
    from hdlgraph.results import Moved
    from hdlgraph.store.manifest import Manifest


class SharedIndex(Follower):
    """A shared index that a project reads.

    Args:
        given: its address.

    Raises:
        UsageError: it is none.
    """

    def __init__(self, given: object) -> None:
        super().__init__(given)
        self._here: tuple[tuple[int, ...], Manifest] | None = None

    def root(self, start: Path | None = None) -> Path:
        """Returns the checkout, see `find_checkout`; where there is none, a folder that is not.

        The index is fetched for it, if nothing of it was fetched before.
        """
        from hdlgraph.store.manifest import read_manifest

        self.follow()
        files = read_manifest(self.place.index).files
        return find_checkout(files, start) or self.place.nowhere

    def state(self) -> tuple[int, ...]:
        """Returns what tells the present manifest from any other; looks for a new one at times."""
        from hdlgraph.store.manifest import state_of

        self.follow()
        return state_of(self.place.index)

    def moved(self, root: Path, manifest: Manifest) -> Moved:
        """Returns which files of the checkout differ from what the index holds of them."""
        from hdlgraph.index.moved import look

        if not root.is_dir():
            return look(root, manifest)
        key = (manifest.generation, len(manifest.files), manifest.checked_ns)
        if self._here is not None and self._here[0] == key:
            found = look(root, self._here[1])
            if not found.any:
                return found
        kept = self.place.checkout(root)
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._here = (key, as_here(root, manifest, kept))
        return look(root, self._here[1])

    def note(self, root: Path, moved: Moved) -> tuple[str, ...]:
        """Returns the notes for people: on what moved, and on a bucket that does not answer."""
        if moved.root_missing:
            text = (
                f"no checkout of the repository in this folder or above it: no lines are shown; "
                f"work inside of one, or name it with {CHECKOUT}"
            )
        elif moves := moved.text():
            text = f"the checkout {root} is not what {self.address} was made from: {moves}"
        else:
            text = ""
        return ((text,) if text else ()) + self.notes

    def checks(self) -> list[dict[str, str]]:
        """Returns the check of `doctor`: whether the bucket answers, and where its files are kept.

        It comes first, as what the others say is of the generation that was fetched.
        """
        self.forget()
        self.follow()
        detail = f"{self.address}, kept in {self.place.index}"
        state, remedy = ("warn", "look at the network and AWS_*") if self.notes else ("ok", "")
        check = {"state": state, "detail": " ".join((detail, *self.notes)), "remedy": remedy}
        return [{"name": "shared index", **check}]

    def remedy(self) -> str:
        """Returns what to do where the checkout differs from the index."""
        return f"check out what {self.address} was made from, or publish the index again"


def shared_of(given: Path | str | None) -> SharedIndex | None:
    """Returns the shared index that an address names, None for a folder.

    Raises:
        UsageError: the address is none of an index.
    """
    from hdlgraph.store.shared.address import is_address

    return SharedIndex(given) if is_address(given) else None
