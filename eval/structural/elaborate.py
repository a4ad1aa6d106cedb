"""Elaborates a design with pyslang and prints what its instances are, as one JSON object.

A process of its own, as slang may take all memory or crash:
`python -m hdlgraph.eval.structural.elaborate < asked.json`, where the object asked has `root`,
`files`, `incdirs`, `top`, `defines` and `memory_mb`.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hdlgraph.eval.structural.off import off_lines

WAYS = {"In": "load", "Out": "driver", "InOut": "inout", "Ref": "ref"}


def main() -> None:
    """Reads what is asked from stdin and prints the facts."""
    asked = json.load(sys.stdin)
    most = int(asked["memory_mb"]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    out = os.dup(1)
    os.dup2(2, 1)  # slang talks on stdout
    found = elaborate(**{key: asked[key] for key in ("root", "files", "incdirs", "top", "defines")})
    with os.fdopen(out, "w") as stream:
        json.dump(found, stream)


def elaborate(
    root: str, files: list[str], incdirs: list[str], top: str, defines: list[str]
) -> dict[str, Any]:
    """Returns the instances, connections and overrides of a design, and the lines that are off.

    Args:
        root: the folder that the other paths are relative to.
        files: the sources.
        incdirs: folders of included files.
        top: the unit at the top.
        defines: macros, as `NAME` or `NAME=VALUE`.
    """
    from pyslang import driver

    run = driver.Driver()
    run.addStandardArgs()
    words = ["slang", "--single-unit", "--error-limit", "0", "--top", top, "-Wnone"]
    words += ["--ignore-unknown-modules", "--allow-use-before-declare", "--relax-enum-conversions"]
    words += [word for one in incdirs for word in ("-I", str(Path(root, one)))]
    words += [f"-D{one}" for one in defines] + [str(Path(root, one)) for one in files]
    if not (run.parseCommandLine(shlex.join(words)) and run.processOptions()):
        return {"failed": "slang takes no such options"}
    if not run.parseAllSources():
        return {"failed": "the sources cannot be parsed"}
    compiled = run.createCompilation()
    facts = _Facts(compiled.sourceManager, Path(root).resolve())
    for one in compiled.getRoot().topInstances:
        facts.descend(one)
    errors = [d for d in compiled.getAllDiagnostics() if d.isError()]
    first = [f"{d.code} {d.args}"[:200] for d in errors[:5]]
    off = off_lines(compiled, Path(root).resolve())
    return {**facts.to_dict(), "off": off, "errors": len(errors), "first_errors": first}


class _Facts:
    """Collects what stands in each body once, however often the body is repeated."""

    def __init__(self, sources: Any, root: Path) -> None:
        self._sources, self._root = sources, root
        self._paths: dict[Any, str] = {}
        self._done: set[int] = set()
        self._kept: list[Any] = []
        self.bodies: dict[tuple[str, str], None] = {}
        self.instances: dict[tuple[str, ...], None] = {}
        self.connections: dict[tuple[str, ...], None] = {}
        self.overrides: dict[tuple[str, ...], None] = {}
        self.left_out: dict[tuple[str, ...], None] = {}
        """Instances in branches that are not taken, which slang does not look into."""

    def to_dict(self) -> dict[str, Any]:
        names = ("bodies", "instances", "connections", "overrides", "left_out")
        return {name: [list(one) for one in getattr(self, name)] for name in names}

    def _path(self, symbol: Any) -> str:
        # What a macro makes stands where the macro is used.
        buffer = self._sources.getFullyExpandedLoc(symbol.location).buffer
        if buffer not in self._paths:
            full = Path(str(self._sources.getFullPath(buffer))).resolve()
            inside = full.is_relative_to(self._root)
            self._paths[buffer] = str(full.relative_to(self._root)) if inside else str(full)
        return self._paths[buffer]

    def descend(self, top: Any) -> None:
        waiting = [top]
        while waiting:
            instance = waiting.pop()
            body = instance.canonicalBody or instance.body
            where = (self._path(body.definition), body.definition.name)
            key = (where, str(body.hierarchicalPath))
            if hash(key) in self._done:
                continue
            self._done.add(hash(key))
            self.bodies[where] = None
            for inner in _inside(body):
                if _kind(inner) == "UninstantiatedDef":
                    self.left_out[(*where, inner.name)] = None
                else:
                    self._add(where, inner)
                    waiting.append(inner)

    def _add(self, where: tuple[str, str], inner: Any) -> None:
        definition = inner.definition
        name = inner.name or _array_name(inner)
        unit = (self._path(definition), definition.name)
        self.instances[(*where, name, *unit)] = None
        for one in inner.portConnections:
            self._connect(where, name, one)
        for parameter in inner.body.parameters:
            if getattr(parameter, "isOverridden", False) and not _is_local(parameter):
                self.overrides[(*where, name, parameter.name)] = None

    def _connect(self, where: tuple[str, str], name: str, one: Any) -> None:
        port = one.port
        if str(port.kind).endswith("InterfacePort"):
            connected = one.ifaceConn
            if connected is not None and connected[0] is not None:
                modport = port.modport
                way = f"interface.{modport}" if modport else "interface"
                self.connections[(*where, name, port.name, way)] = None
        elif one.expression is not None and port.name:
            if _is_default(one):
                return
            way = WAYS[str(port.direction).rpartition(".")[2]]
            self.connections[(*where, name, port.name, way)] = None


def _is_default(one: Any) -> bool:
    """Returns whether nothing is connected, so that the port has its default."""
    usual = getattr(one.port, "initializer", None)
    if usual is None:
        return False
    ranges = [each.sourceRange.start for each in (one.expression, usual)]
    return bool(ranges[0] == ranges[1])


def _is_local(parameter: Any) -> bool:
    return bool(getattr(parameter, "isLocalParam", False))


def _array_name(inner: Any) -> str:
    return str(inner.arrayName)


def _kind(symbol: Any) -> str:
    return str(symbol.kind).rpartition(".")[2]


def _inside(scope: Any) -> Iterator[Any]:
    """Yields the instances of modules and interfaces in a body, in its generate blocks too."""
    waiting = [scope]
    while waiting:
        for one in waiting.pop():
            kind = _kind(one)
            if kind in ("Instance", "UninstantiatedDef"):
                yield one
            elif kind in ("GenerateBlock", "GenerateBlockArray", "InstanceArray"):
                waiting.append(one)


if __name__ == "__main__":
    main()
