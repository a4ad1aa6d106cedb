"""Project: everything hdlgraph can do with one repository; every front end calls only this."""

from __future__ import annotations

from hdlgraph.project.asking import Asking
from hdlgraph.project.health import Health
from hdlgraph.project.pictures import Pictures
from hdlgraph.project.reading import Reading
from hdlgraph.project.sharing import Sharing

__all__ = ["Project"]


class Project(Asking, Pictures, Reading, Sharing, Health):
    """A repository and its index: the one class that the command line and programs use.

    Its methods stand in the modules of this package, by what they are for: `indexing` makes the
    index, `asking` answers questions in words, `overview` those about the whole design, `design`
    answers from the graph, `pictures` draws it, `reading` shows source lines, `sharing` exchanges
    explanations, `health` tells the state of the index. All of them start from `repository`, which
    finds the settings and opens the index.
    """
