"""Runs PyVerilog on a preprocessed text: what it sees there, or why it sees nothing.

Its parser knows no directives, so it gets text that pyslang preprocessed, with small repairs
for constructs it rejects. One error means no tree.
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
from hdlgraph.parsers.pyverilog.repair import keeps_words, repair
from hdlgraph.parsers.pyverilog.tables import as_module, grammar_hash, stored
from hdlgraph.parsers.pyverilog.tokens import RULES, plain_first, rules_hash
from hdlgraph.parsers.pyverilog.view import ViewUnit, units_of
from hdlgraph.parsers.text.inventory import language_of

_CONCURRENT = re.compile(r"assert(?<!\wassert)\s+property\b")
_FOREIGN_SIGNS = ("::", "'{")
_FOREIGN_WORDS = (
    "import", "typedef", "modport", "covergroup", "endpackage", "endinterface", "endclass",
    "endprogram", "endproperty", "endclocking",
)  # fmt: skip
"""What PyVerilog's grammar has no rule for; a file of plain Verilog has none of it."""
_FOREIGN = re.compile("|".join(rf"{word}\b(?<!\w{word})" for word in _FOREIGN_WORDS))
_FOREIGN_SAID = "SystemVerilog once its macros are expanded"
_ALL_PORTS = re.compile(r"[(,]\s*\.\*")


@dataclass(frozen=True, slots=True)
class View:
    """What PyVerilog sees of a text: its modules, or in `silent` why it sees nothing.

    `plain`: the text holds no word of SystemVerilog.
    """

    units: tuple[ViewUnit, ...] = ()
    silent: str = ""
    plain: bool = False


class _LateError(Exception):
    pass


def read_view(text: str, seconds: float = limits.WITNESS_SECONDS) -> View:
    """Returns PyVerilog's view of a preprocessed text.

    Args:
        text: Verilog without directives.
        seconds: processor time after which it is given up.
    """
    is_formal = "|->" in text or "|=>" in text or bool(_CONCURRENT.search(text))
    if keeps_words(text) and _is_foreign(text):
        return View(silent=_FOREIGN_SAID)
    try:
        with _deadline(seconds):  # a hostile text takes minutes to repair
            text = repair(text)
    except _LateError:
        return View(silent=f"no tree after {seconds:g} s")
    if _is_foreign(text):
        # Said before the parser is made, which takes longer than many files.
        return View(silent=_FOREIGN_SAID)
    is_plain = not is_formal and language_of(text, "") == "verilog"
    parser = _parser()
    parser.lexer.reset_lineno()
    try:
        with _deadline(seconds):
            tree = parser.parse(text)
            units = tuple(units_of(tree))
    except _LateError:
        return View(silent=f"no tree after {seconds:g} s", plain=is_plain)
    except Exception as error:  # its grammar raises many kinds; silence is recorded
        words = " ".join(str(error).split()) or type(error).__name__
        return View(silent=words[:160], plain=is_plain)
    return View(units=units, plain=is_plain)


def _is_foreign(text: str) -> bool:
    return (
        any(sign in text for sign in _FOREIGN_SIGNS)
        or (any(word in text for word in _FOREIGN_WORDS) and bool(_FOREIGN.search(text)))
        or (".*" in text and bool(_ALL_PORTS.search(text)))
    )


@cache
def _parser() -> Any:
    """Returns the one parser, with stored tables where they fit its grammar."""
    return built(use_stored=True)


def built(use_stored: bool) -> Any:
    """Returns a new parser; without stored tables, or where they do not fit, a second later."""
    from ply.yacc import NullLogger, yacc
    from pyverilog.vparser.lexer import VerilogLexer
    from pyverilog.vparser.parser import VerilogParser

    class Parser(VerilogParser):  # type: ignore[misc]
        """PyVerilog's parser without the table files it drops into the working folder."""

        def __init__(self) -> None:
            self.lexer = VerilogLexer(error_func=self._lexer_error_func)
            self.lexer.build()
            if rules_hash(self.lexer.lexer) == RULES:
                self.lexer.token = plain_first(self.lexer)
            self.tokens = self.lexer.tokens
            given: dict[str, Any] = {}
            if use_stored and (found := stored()).grammar == grammar_hash(self):
                given = {"tabmodule": as_module(found), "optimize": True}  # checked here
            self.parser = yacc(
                module=self,
                method="LALR",
                debug=False,
                write_tables=False,
                errorlog=NullLogger(),
                **given,
            )

    return Parser()


REPEAT_S = 0.1
"""Seconds of processor time after which the end of the deadline is told again."""


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raises `_LateError` inside after so much processor time: a busy machine changes nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    inside = True

    def late(*_: object) -> None:
        if inside:
            raise _LateError

    former = signal.signal(signal.SIGVTALRM, late)
    # Again and again: one raised in a destructor or in a callback of C would be lost.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, REPEAT_S)
    try:
        yield
    finally:
        inside = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, former)
