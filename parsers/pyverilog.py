"""PyVerilog as an independent witness on Verilog-2001 content: units, ports, instances.

Its parser knows no directives, so it gets text that pyslang preprocessed, with small repairs
for constructs it rejects. One error means no tree; the witness is then silent.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from hdlgraph.parsers import limits
from hdlgraph.parsers.text.inventory import language_of

_GATES = frozenset(
    "and nand or nor xor xnor buf not bufif0 bufif1 notif0 notif1 nmos pmos cmos rnmos rpmos "
    "rcmos tran tranif0 tranif1 rtran rtranif0 rtranif1 pullup pulldown".split()
)
_ATTRIBUTE = re.compile(r"\(\*(?!\s*\))[\s\S]*?\*\)")
_SPACED_LITERAL = re.compile(r"(\d)\s+('[sS]?[bodhBODH])\s*(?=[0-9a-fA-FxXzZ?_])")
_LITERAL_GAP = re.compile(r"('[sS]?[bodhBODH])\s+(?=[0-9a-fA-FxXzZ?_])")
_FORMAL = re.compile(
    r"\b(?:\w+\s*:\s*)?(?:assert|assume|cover|restrict)\s*(?:property\s*)?"
    r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)\s*;"
)
_SPECIFY = re.compile(r"\bspecify\b[\s\S]*?\bendspecify\b")
_DEFPARAM = re.compile(r"\bdefparam\b[^;]*;")
_TIME_UNIT = re.compile(r"\btime(?:unit|precision)\b[^;]*;")
_BARE_PARAMETER = re.compile(r"#\s*\(\s*(?=[A-Za-z_]\w*\s*=(?!=))(?!parameter\b|localparam\b)")
_SPLIT_CALL = re.compile(r"\$(\w+)\$(?=\w)")
_REPEAT = re.compile(r"\brepeat\b(?=\s*\()")
_EVENT = re.compile(r"\bevent\s+[\w\s,]+;|->\s*\w+\s*;")
_CONCURRENT = re.compile(r"\bassert\s+property\b|\|->|\|=>")
_EMPTY_STATEMENT = re.compile(r"(?<=;)\s*;")


@dataclass(frozen=True, slots=True)
class WitnessUnit:
    """A module as PyVerilog sees it; `instances` are (unit, name)."""

    name: str
    ports: tuple[str, ...]
    instances: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Witness:
    """What PyVerilog sees of a text, or why it sees nothing."""

    units: tuple[WitnessUnit, ...] = ()
    silent: str = ""


class _LateError(Exception):
    pass


def read_witness(text: str, seconds: float = limits.WITNESS_SECONDS) -> Witness:
    """Returns PyVerilog's view of preprocessed Verilog-2001 text."""
    is_formal = _CONCURRENT.search(text) is not None
    text = repair(text)
    if is_formal or language_of(text, "") != "verilog":
        # Said before the parser's tables are built, which takes longer than many files.
        return Witness(silent="SystemVerilog once its macros are expanded")
    parser = _parser()
    parser.lexer.reset_lineno()
    try:
        with _deadline(seconds):
            tree = parser.parse(text)
            units = tuple(_units(tree))
    except _LateError:
        return Witness(silent=f"no tree after {seconds:g} s")
    except Exception as error:  # its grammar raises many kinds; silence is recorded
        words = " ".join(str(error).split()) or type(error).__name__
        return Witness(silent=words[:160])
    return Witness(units=units)


def repair(text: str) -> str:
    """Returns text without what PyVerilog's grammar rejects although it is legal."""
    text = text.replace("\r\n", "\n")
    text = _ATTRIBUTE.sub(" ", text)
    text = _SPACED_LITERAL.sub(r"\1\2", text)
    text = _LITERAL_GAP.sub(r"\1", text)
    text = _SPECIFY.sub(" ", text)
    text = _TIME_UNIT.sub(" ", text)
    text = _FORMAL.sub(";", text)
    text = _DEFPARAM.sub(" ", text)
    text = _BARE_PARAMETER.sub("#(parameter ", text)
    text = _SPLIT_CALL.sub(r"$\1_", text)
    # Statements are not compared; any loop stands for any other.
    text = _REPEAT.sub("while", text)
    text = _EVENT.sub(" ", text)
    return _EMPTY_STATEMENT.sub("", text)


@cache
def _parser() -> Any:
    """Returns the one parser: its tables take most of a second to build."""
    from ply.yacc import NullLogger, yacc
    from pyverilog.vparser.lexer import VerilogLexer
    from pyverilog.vparser.parser import VerilogParser

    class Parser(VerilogParser):  # type: ignore[misc]
        """PyVerilog's parser without the table files it drops into the working folder."""

        def __init__(self) -> None:
            self.lexer = VerilogLexer(error_func=self._lexer_error_func)
            self.lexer.build()
            self.tokens = self.lexer.tokens
            self.parser = yacc(
                module=self, method="LALR", debug=False, write_tables=False, errorlog=NullLogger()
            )

    return Parser()


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise _LateError

    former = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def _units(tree: Any) -> Iterator[WitnessUnit]:
    for definition in tree.description.definitions:
        if type(definition).__name__ != "ModuleDef":
            continue
        ports = definition.portlist.ports if definition.portlist else ()
        instances: set[tuple[str, str]] = set()
        stack = list(definition.items or ())
        while stack:
            node = stack.pop()
            kind = type(node).__name__
            if kind == "InstanceList":
                if node.module not in _GATES:
                    instances.update((node.module, item.name) for item in node.instances)
            elif kind not in ("Always", "Assign", "Initial", "Decl", "Function", "Task"):
                stack.extend(node.children())
        yield WitnessUnit(
            name=definition.name,
            ports=tuple(name for port in ports if (name := _port_name(port))),
            instances=frozenset(instances),
        )


def _port_name(port: Any) -> str:
    first = getattr(port, "first", port)
    return getattr(first, "name", "") or ""
