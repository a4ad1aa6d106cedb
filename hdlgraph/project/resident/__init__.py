"""A project that a server keeps open, and the processes that search beside it."""

from __future__ import annotations

from hdlgraph.project.resident.resident import ALONE, KEPT, LOOKED, WARM_UP, Resident

__all__ = ["ALONE", "KEPT", "LOOKED", "WARM_UP", "Resident"]
