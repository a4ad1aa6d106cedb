"""Records of several repositories: hits with their repository, and what was asked of which."""

from __future__ import annotations

from typing import Any

import msgspec

from hdlgraph.model import Location
from hdlgraph.model.passage import Passage
from hdlgraph.results import Hit, Moved


class Place(msgspec.Struct, frozen=True):
    """A place in one of several repositories; `line` is 0 where none is meant."""

    repository: str
    path: str
    line: int = 0

    @property
    def location(self) -> str:
        """Returns it as people read it: `repository:path:line`."""
        return f"{self.repository}:{Location(self.path, self.line) if self.line else self.path}"


class WorkspaceHit(Hit, frozen=True, kw_only=True):
    """A ranked file of one of several repositories.

    `probability` is how likely it is the right one; `also` are files of other repositories with
    the same content, which were folded into it.
    """

    repository: str
    probability: float = 0.0
    also: tuple[Place, ...] = ()

    @property
    def place(self) -> Place:
        """Returns where its best line is."""
        return Place(self.repository, self.path, self.line)


class WorkspacePassage(Passage, frozen=True, kw_only=True):
    """A passage of a document of one of several repositories."""

    repository: str


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """One repository of a workspace, as far as a question reached it.

    `confidence` is that of its own search, `share` how likely the right file is one of its hits;
    `error` says in one line why it was not asked, "" where it was.
    """

    name: str
    label: str = ""
    index: str = ""
    root: str = ""
    files: int = 0
    confidence: float | None = None
    share: float = 0.0
    error: str = ""


class WorkspaceResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a search of several repositories returns.

    `confidence` is the probability that the right file is among the first five hits. `stale` says
    of each repository that moved which files did.
    """

    question: str
    hits: tuple[WorkspaceHit, ...]
    repositories: tuple[Member, ...]
    hops: int = 0
    total_files: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    confidence: float | None = None
    likely: str = ""
    stale: dict[str, Moved] = {}
    passages: tuple[WorkspacePassage, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        stale = {name: moved.to_dict() for name, moved in self.stale.items()}
        return {"schema": 1, **msgspec.to_builtins(self), "stale": stale}


class WorkspaceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer from the repositories that the question is most likely about.

    Every place in `text` begins with its repository.
    """

    question: str
    text: str
    result: WorkspaceResult
    citations: tuple[dict[str, Any], ...] = ()
    answered: tuple[str, ...] = ()
    model: str = ""
    found: bool = True
    weak: str = ""
    removed: int = 0
    uncited: int = 0
    notes: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Returns the documented JSON object (`schema` 1)."""
        search = self.result.to_dict()
        own = msgspec.to_builtins(self)
        del own["text"], own["result"]
        return {
            **own,
            "schema": 1,
            "answer": self.text,
            "notes": [*self.notes, *search["notes"]],
            "hits": search["hits"],
            "repositories": search["repositories"],
            "stale": search["stale"],
        }
