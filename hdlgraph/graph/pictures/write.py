"""The formats of pictures by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hdlgraph.errors import UsageError
from hdlgraph.graph.pictures.dot import write_dot
from hdlgraph.graph.pictures.mermaid import write_mermaid
from hdlgraph.graph.pictures.picture import Picture
from hdlgraph.graph.pictures.svg import write_svg

HTML = "html"
WRITERS: dict[str, Callable[[Picture], Iterator[str]]] = {
    "svg": write_svg,
    "dot": write_dot,
    "mermaid": write_mermaid,
}


def pieces(picture: Picture, fmt: str) -> Iterator[str]:
    """Returns the text of a picture in a format.

    Raises:
        UsageError: the format is unknown.
        HdlgraphError: the picture cannot be laid out.
    """
    writer = WRITERS.get(fmt)
    if writer is None:
        raise UsageError(f"{fmt!r} is no format of pictures: use {', '.join((*WRITERS, HTML))}")
    return writer(picture)
