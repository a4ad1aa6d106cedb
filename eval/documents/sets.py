"""Question sets over documents: which there are, how their index is made, what is measured.

A set is one that hdlgraph ships, ORD-QA out of a user's own clone, or a file of questions with the
index of its documents. Recall is of the passages that are judged right, and ROUGE and BLEU compare
an answer with the one that a set holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hdlgraph.errors import UsageError

if TYPE_CHECKING:
    from hdlgraph.project import Project

STYLES = Path(__file__).parents[1] / "data" / "styles"
ORD_QA = "ord-qa"


class ListedSet(NamedTuple):
    """A set by its name; `needs` is the option that it cannot do without, "" for none."""

    name: str
    about: str
    needs: str = ""


SETS = (
    ListedSet("q2a", "12 questions on three short manuals, each with its answer"),
    ListedSet("cmds", "12 tasks, each with the command that does it"),
    ListedSet("abbr", "12 abbreviations, each with its long form"),
    ListedSet(
        ORD_QA,
        "90 questions over the manual of OpenROAD, 161 judged passages (lesliepy99/RAG-EDA)",
        "--clone",
    ),
)


@dataclass(frozen=True)
class Place:
    """Where a set is and where its index goes.

    Attributes:
        work: folder for what is made: converted documents, indexes.
        clone: the user's clone of RAG-EDA, for ORD-QA.
        index: an index that is used as it is; None makes one.
        settings: of the user; None takes those found.
        embeddings: whether an index that is made has vectors.
    """

    work: Path
    clone: Path | None = None
    index: Path | None = None
    settings: Path | None = None
    embeddings: bool = True


def listing() -> list[dict[str, str]]:
    """Returns all sets by name."""
    return [one._asdict() for one in SETS]


def opened(name: str, place: Place) -> tuple[Project, Path]:
    """Returns the project of a set, indexed, and its file of questions.

    Args:
        name: of a set, or the path of a file of questions.
        place: where it is and where its index goes.

    Raises:
        UsageError: the set is unknown, or lacks its clone or its index.
        QuestionsError: the clone is not the one that is expected.
    """
    from hdlgraph.project import Project

    known = {one.name for one in SETS}
    if name not in known:
        return _own(name, place)
    if name == ORD_QA:
        return _ord_qa(place)
    questions = STYLES / f"{name}.jsonl"
    if place.index is not None:
        return Project.open(place.index, place.settings), questions
    folder = _made(place.work / "styles")
    project = Project(STYLES / "documents", folder / "index", place.settings)
    project.index(documents=True, embeddings=place.embeddings, graphrag="never")
    return project, questions


def _own(name: str, place: Place) -> tuple[Project, Path]:
    from hdlgraph.project import Project

    path = Path(name)
    if not path.is_file():
        names = ", ".join(one.name for one in SETS)
        raise UsageError(f"set {name}: unknown and no file; known are {names}")
    return Project.open(place.index, place.settings), path


def _ord_qa(place: Place) -> tuple[Project, Path]:
    from hdlgraph.eval.documents.ord_qa import convert
    from hdlgraph.project import Project

    if place.clone is None:
        raise UsageError(
            "ord-qa: its data has no licence, so hdlgraph does not ship it; clone "
            "github.com/lesliepy99/RAG-EDA at commit dc7ff02 and name the folder with --clone"
        )
    if not place.clone.is_dir():
        raise UsageError(f"--clone {place.clone}: no such folder")
    folder = _made(place.work / ORD_QA)
    convert(place.clone, folder)
    if place.index is not None:
        return Project.open(place.index, place.settings), folder / "questions.jsonl"
    design = _made(folder / "design")  # without any: the documents stand alone
    project = Project(design, folder / "index", place.settings)
    project.index(docs=[folder / "documents"], embeddings=place.embeddings, graphrag="never")
    return project, folder / "questions.jsonl"


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made ({error.strerror}); name another") from error
    return folder
