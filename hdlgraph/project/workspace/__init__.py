"""Several repositories at once: `Workspace`, with those calls of `Project` that all can answer."""

from __future__ import annotations

from hdlgraph.project.workspace.workspace import Workspace

__all__ = ["Workspace"]
