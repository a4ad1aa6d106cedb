"""Knowledge-graph retrieval for Verilog and SystemVerilog repositories."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hdlgraph.safety.telemetry import silence as _silence

if TYPE_CHECKING:
    from hdlgraph.errors import HdlgraphError
    from hdlgraph.project import Project
    from hdlgraph.results import Answer, Hit, IndexReport, SearchResult
    from hdlgraph.settings.records import Settings

_silence()  # before anything else is imported: libraries look when they are loaded

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "HdlgraphError",
    "Hit",
    "IndexReport",
    "Project",
    "SearchResult",
    "Settings",
    "__version__",
]

_HOME = {
    "Answer": "results",
    "Hit": "results",
    "IndexReport": "results",
    "SearchResult": "results",
    "HdlgraphError": "errors",
    "Project": "project",
    "Settings": "settings.records",
}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used, so that `import hdlgraph` stays instant."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
