"""What slang's elaboration of a file says of its units: ports, signals, empty generate loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hdlgraph.eval.structural.ports.corpus import Corpus, steps_between

_DIRECTIONS = {"In": "input", "Out": "output", "InOut": "inout", "Ref": "ref"}


@dataclass(slots=True)
class Truth:
    """What elaboration says of a unit: (name, direction) of ports, names of nets and variables.

    `empty` are the first and last lines of generate loops that make nothing.
    """

    ports: list[tuple[str, str]]
    signals: set[str]
    empty: list[tuple[int, int]] = field(default_factory=list)


def elaborated(
    corpus: Corpus, path: str, defines: Sequence[str]
) -> dict[tuple[str, int], Truth] | None:
    """Returns what elaboration says of the units of a file, by name and line.

    None where slang cannot read the file with these defines.
    """
    import pyslang
    from pyslang import ast, parsing, syntax

    files = [*corpus.needed(path), path]
    manager = pyslang.SourceManager()
    options = parsing.PreprocessorOptions()
    options.predefines = [f"{name}=1" for name in defines]
    folders = {
        (corpus.root / one).parent for file in files for one in (file, *corpus.headers(file))
    }
    folders |= {up for folder in tuple(folders) for up in folder.parents[:3]}
    inside = [folder for folder in folders if corpus.root in (folder, *folder.parents)]
    near = sorted(
        inside, key=lambda one: (steps_between(one.as_posix(), str(corpus.root / path)), str(one))
    )
    options.additionalIncludePaths = [str(folder) for folder in near]
    bag = pyslang.Bag([options])
    compilation = ast.Compilation(bag)
    for number, file in enumerate(files):
        # Macros of files that this one does not include, on its first line to keep its lines.
        before = f"{near[0]}/\x01{number}.svh"
        manager.assignText(before, "".join(f"`define {one}\n" for one in corpus.macros(file)))
        text = (corpus.root / file).read_text(encoding="utf-8", errors="replace")
        text = f'`include "{before}" ' + text
        buffer = manager.assignText(str(corpus.root / file), text)
        tree = syntax.SyntaxTree.fromBuffer(buffer, manager, bag)
        compilation.addSyntaxTree(tree)
    if any(one.isError() for one in tree.diagnostics):
        return None
    found: dict[tuple[str, int], Truth] = {}
    for top in compilation.getRoot().topInstances:
        _walk(top, corpus.root / path, manager, found)
    return found


def _walk(instance: Any, path: Path, manager: Any, found: dict[tuple[str, int], Truth]) -> None:
    from pyslang.ast import SymbolKind

    waiting = [instance]
    while waiting:
        one = waiting.pop()
        at = one.definition.location
        key = (one.definition.name, manager.getLineNumber(at))
        truth = Truth([], set())
        scopes: list[Any] = [one.body]
        while scopes:
            for member in scopes.pop():
                kind = member.kind
                if kind in (SymbolKind.GenerateBlock, SymbolKind.GenerateBlockArray):
                    scopes.append(member)
                    if kind == SymbolKind.GenerateBlockArray and not any(
                        inner.kind == SymbolKind.GenerateBlock for inner in member
                    ):
                        span = member.syntax.sourceRange
                        lines = [manager.getLineNumber(one) for one in (span.start, span.end)]
                        truth.empty.append((lines[0], lines[1]))
                elif kind == SymbolKind.Instance:
                    waiting.append(member)
                elif kind in (SymbolKind.Variable, SymbolKind.Net) and member.name:
                    truth.signals.add(member.name)
        for port in one.body.portList:
            way = str(getattr(port, "direction", "interface")).rpartition(".")[2]
            truth.ports.append((port.name, _DIRECTIONS.get(way, way)))
        truth.signals -= {name for name, _ in truth.ports}
        if manager.getFullPath(at.buffer).resolve() == path.resolve():
            found.setdefault(key, truth)
