"""The explanations that baselines read: the texts that hdlgraph itself searches.

An index stores what people are told of a file. Of what rules wrote a search reads a longer text,
with short names spelt out and comments that mislead people out of their place; a baseline that
read the stored text would be compared with less than the search has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdlgraph.store.explanations import OWN

if TYPE_CHECKING:
    from hdlgraph.model import Explanation
    from hdlgraph.project import Project


def searched(project: Project) -> dict[str, Explanation]:
    """Returns the explanation of every file by path, with the texts that a search reads.

    Those by rules are written again from the facts of the index, as the index wrote them; imported
    ones and those of a model are as they are stored.
    """
    from hdlgraph.index.explain.by_rules.evidence.documents import DocumentTexts
    from hdlgraph.index.explain.by_rules.explainer import DeterministicExplainer, explain_all
    from hdlgraph.knowledge.projects import read_chosen
    from hdlgraph.store.design.facts import read_facts

    stored = project.explanations()
    folder = project._generation().folder
    records = read_facts(folder)
    texts = DocumentTexts(project.root, project.settings.files.exclude)
    explainer = DeterministicExplainer.for_records(records, read_chosen(folder), texts)
    given = {path: item for path, item in stored.items() if item.model != OWN}
    written = explain_all(records, explainer, given)
    return {path: written.get(path, item).for_search() for path, item in stored.items()}
