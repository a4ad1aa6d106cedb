"""Asks question sets of several repositories: hdlgraph beside the strongest plain method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.eval.protocols.run import evaluate
from hdlgraph.eval.scores.kinds import KS, OWN, KindsReport, kinds_report
from hdlgraph.eval.scores.report import EvalReport
from hdlgraph.eval.sets.catalogue import COMPOSITES, PACKAGES
from hdlgraph.eval.sets.corpora import cache_folder, materialise
from hdlgraph.eval.sets.questions import read_questions
from hdlgraph.eval.systems.registry import check_systems
from hdlgraph.project import Project

AGAINST = "minmax-fields"
"""The strongest plain method."""
DATA = Path(__file__).parents[1] / "data" / "kinds" / "asked"
"""The sets that are asked by default."""

Progress = Callable[[str, int, int], None]


def kinds(
    questions: Sequence[Path] = (),
    indexes: Mapping[str, Path] | None = None,
    *,
    folder: Path | None = None,
    against: str = AGAINST,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> KindsReport:
    """Returns what hdlgraph and a plain method reach on sets, by repository and kind.

    Args:
        questions: JSONL files, one repository each; those of `eval/data/kinds/asked` by default.
        indexes: index folders by the stem of the questions' file.
        folder: a folder with an index folder of each other set, called by its stem.
        against: the plain method's name.
        cache: where corpora of the catalogue, their indexes and vectors are kept that no index
            is named for; None takes the user's cache folder.
        progress: called as progress(stage or system, done, total).

    Raises:
        UsageError: an index that no set asks about, a set without an index that is none of the
            catalogue, an unknown system.
        QuestionsError: bad lines of a set.
        HdlgraphError: a corpus or an index cannot be made.
    """
    check_systems([against, OWN])
    files = list(questions) or sorted(DATA.glob("*.jsonl"))
    for file in files:
        read_questions(file)  # what is wrong is told before a corpus is fetched and indexed
    known, home = dict(indexes or {}), cache or cache_folder()
    idle = sorted(known.keys() - {file.stem for file in files})
    if idle:
        raise UsageError(f"index of {idle[0]}: no set {idle[0]}.jsonl is asked; name it too")
    for file in files:
        if folder is not None and (folder / file.stem).is_dir():
            known.setdefault(file.stem, folder / file.stem)
        if file.stem not in known and file.stem not in {*PACKAGES, *COMPOSITES}:
            raise UsageError(
                f"{file}: no index for it; give --index {file.stem}=DIR, the index folder of the "
                "repository that it asks about"
            )
    names = _names(files)
    reports: dict[str, EvalReport] = {}
    for file, name in zip(files, names, strict=True):
        project = _project(file.stem, known.get(file.stem), home, progress)
        reports[name] = evaluate(
            project, file, (against, OWN), KS, cache=home / "vectors", progress=progress, name=name
        )
    return kinds_report(reports, against)


def _names(files: Sequence[Path]) -> list[str]:
    """Returns what each set is called: its stem, with its folder where two have the same.

    Raises:
        UsageError: a file is named twice.
    """
    stems = [file.stem for file in files]
    names = [f"{file.parent.name}/{file.stem}" if stems.count(file.stem) > 1 else file.stem
             for file in files]  # fmt: skip
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise UsageError(f"questions {twice}: named twice")
    return names


def _project(name: str, folder: Path | None, home: Path, progress: Progress | None) -> Project:
    """Returns the project of an index folder, or of a corpus of the catalogue, indexed."""
    if folder is not None:
        return Project.open(folder)
    place = home / "eval" / name
    project = Project(materialise(name, home), place)
    report = project.index(progress=progress, graphrag="never")
    if report.failed:
        raise HdlgraphError(f"index {place}: {report.failed[0]}; a benchmark needs every file")
    return project
