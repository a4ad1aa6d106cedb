"""Finds the branches of a file's `ifdefs that slang takes by itself."""

from __future__ import annotations

import re
from collections.abc import Collection

from hdlgraph.parsers.branches.chains import Chains
from hdlgraph.parsers.slang.tree import parse_tree
from hdlgraph.parsers.stubs import Prepared
from hdlgraph.parsers.text.directives import define_spans
from hdlgraph.parsers.text.source import Source

_OTHER = re.compile(r"`(?:undef[ \t]+\w+|undefineall\b|include\b[^\n]*)")
_MARK = "hdlgraph_branch_"
_DEFINED = re.compile(r"`define[ \t]+([A-Za-z_]\w*)")


def taken_branches(path: str, chains: Chains, prepared: Prepared, source: Source) -> set[int]:
    """Returns the branches that slang's preprocessor takes, by their number."""
    own = set(_DEFINED.findall(source.bare))
    # A made-up meaning defines a macro as well as any other one.
    if chains.names().isdisjoint(own.union(prepared.known, prepared.stubs)):
        return _without_defines(chains)
    skeleton = _skeleton(chains, prepared, source)
    return _marked(path, prepared, skeleton)


def _without_defines(chains: Chains) -> set[int]:
    """Returns the branches that are taken where no macro of a condition is defined."""
    taken: set[int] = set()
    for chain in chains.chains:
        if chain.parent >= 0 and chain.parent not in taken:
            continue
        for at in chain.branches:
            if chain.guard or not any(value for _, value in chains.branches[at].own):
                taken.add(at)
                break
    return taken


def _skeleton(chains: Chains, prepared: Prepared, source: Source) -> str:
    """Returns the directives of a file alone, with an empty module in each branch."""
    text = prepared.text[prepared.shift :]
    pieces: list[tuple[int, str]] = []
    for chain in chains.chains:
        pieces += [(begin, text[begin:end]) for begin, end in chain.directives]
    for at, branch in enumerate(chains.branches):
        pieces.append((branch.begin, f"\nmodule {_MARK}{at}; endmodule"))
    spans = define_spans(source)
    spans += [match.span() for match in _OTHER.finditer(source.bare)]
    pieces += [(begin, text[begin:end]) for begin, end in spans]
    pieces.sort(key=lambda piece: piece[0])
    return prepared.text[: prepared.shift] + "\n".join(piece for _, piece in pieces) + "\n"


def _marked(path: str, prepared: Prepared, skeleton: str) -> set[int]:
    from pyslang.syntax import SyntaxKind

    found: set[int] = set()

    def note(node: object) -> None:
        name = node.header.name.valueText  # type: ignore[attr-defined]
        if name.startswith(_MARK):
            found.add(int(name.removeprefix(_MARK)))

    tree, _, _ = parse_tree(path, prepared.headers, skeleton)
    tree.root.visit(lookup_table={SyntaxKind.ModuleDeclaration: note})
    return found


def unread(chains: Chains, taken: Collection[int]) -> bool:
    """Returns whether a branch that may hold facts is not taken."""
    return any(branch.telling and at not in taken for at, branch in enumerate(chains.branches))
