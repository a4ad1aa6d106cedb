"""The records that travel between the stages; frozen, without input or output of their own."""

from hdlgraph.model.explanation import Explanation
from hdlgraph.model.file import Comment, Diagnostic, FileRecord, Macro, Message, Role
from hdlgraph.model.graph import Edge, Location, Node, Unresolved
from hdlgraph.model.kinds import UNIT_KINDS, EdgeKind, Entity, NodeKind, Relation
from hdlgraph.model.layers import BIT, Layer, bits_of, layers_of
from hdlgraph.model.unit import (
    Assertion,
    Bind,
    Connection,
    Fact,
    Instance,
    Modport,
    Parameter,
    Port,
    Process,
    Routine,
    Scope,
    Sighting,
    Signal,
    Type,
    Unit,
)

__all__ = [
    "BIT",
    "UNIT_KINDS",
    "Assertion",
    "Bind",
    "Comment",
    "Connection",
    "Diagnostic",
    "Edge",
    "EdgeKind",
    "Entity",
    "Explanation",
    "Fact",
    "FileRecord",
    "Instance",
    "Layer",
    "Location",
    "Macro",
    "Message",
    "Modport",
    "Node",
    "NodeKind",
    "Parameter",
    "Port",
    "Process",
    "Relation",
    "Role",
    "Routine",
    "Scope",
    "Sighting",
    "Signal",
    "Type",
    "Unit",
    "Unresolved",
    "bits_of",
    "layers_of",
]
