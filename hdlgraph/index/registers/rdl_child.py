"""The process that reads one SystemRDL file: its text on stdin, its registers on stdout.

The compiler may take long or much memory on hostile input, and a preprocessor of its own runs Perl
and reads other files. So this process has limits, is ended by its parent after a deadline, and can
open no file and start no process once it has begun. What the preprocessor would act on never gets
here (see `hdlgraph.index.registers.rdl`).
"""

from __future__ import annotations

import builtins
import io
import os
import resource
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from hdlgraph.store.design.registers import Field, Register, RegisterBlock

NAME = os.devnull
"""What the compiler takes for the path of the text: it asks for the state of that file."""
MEMORY = 1 << 30
"""Bytes of address space."""
MOST, TEXT = 20_000, 200
"""Registers of one file, and characters of a description that are kept."""


def main() -> None:
    """Answers with (blocks, why there are none); the argument is the limit in seconds."""
    seconds = int(sys.argv[1])
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    text = sys.stdin.buffer.read().decode("utf-8", errors="replace")
    import systemrdl
    import systemrdl.messages
    from systemrdl.compiler import RDLCompiler
    from systemrdl.messages import RDLCompileError

    builtins.open = lambda path, *_, **__: _held(path, text)  # type: ignore[assignment]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    heard = _listener(systemrdl)
    try:
        found = read(RDLCompiler(message_printer=heard))
        answer: tuple[list[RegisterBlock], str] = (found, "")
    except RDLCompileError as error:
        answer = ([], heard.first_error or str(error))
    except (MemoryError, RecursionError):
        answer = ([], "takes too much memory")
    except Exception as error:  # one file of a stranger in a library of others: told by the parent
        answer = ([], f"{type(error).__name__}: {error}")
    out.write(msgspec.msgpack.encode(answer))
    out.flush()
    os._exit(0)


def _held(path: Any, text: str) -> io.StringIO:
    if path != NAME:
        raise OSError(f"{path}: this process opens no file")
    return io.StringIO(text, newline="")


def _listener(systemrdl: Any) -> Any:
    class Listener(systemrdl.messages.MessagePrinter):  # type: ignore[misc]
        """Keeps the first error."""

        first_error = ""

        def print_message(self, severity: Any, text: str, src_ref: Any) -> None:
            if severity.name in ("ERROR", "FATAL") and not self.first_error:
                line = getattr(src_ref, "line", None)
                self.first_error = f"line {line}: {text}" if line else text

    return Listener()


def read(compiler: Any) -> list[RegisterBlock]:
    """Returns the last address map of the file, none where it has none."""
    compiler.compile_file(NAME)
    maps = [one for one in compiler.root.comp_defs.values() if type(one).__name__ == "Addrmap"]
    if not maps:
        return []
    top = compiler.elaborate().top
    registers: list[Register] = []
    for node in top.descendants(unroll=False):
        kind = type(node).__name__
        if kind in ("RegNode", "MemNode"):
            registers.append(_register(node, top, kind == "MemNode"))
        if len(registers) > MOST:
            raise ValueError(f"more than {MOST} registers")
    line = _line(top.inst.def_src_ref)
    return [RegisterBlock(top.inst_name, "systemrdl", "", line, tuple(registers))]


def _register(node: Any, top: Any, window: bool) -> Register:
    name = node.get_rel_path(top, empty_array_suffix="", array_suffix="")
    fields = () if window else tuple(_fields(node))
    count, outer = 1, node
    while outer is not None and outer is not top:
        for size in (outer.array_dimensions or ()) if outer.is_array else ():
            count *= size
        outer = outer.parent
    kind = "window" if window else "array" if count > 1 else "register"
    return Register(
        name, kind, node.raw_absolute_address, count, node.size, "",
        _line(node.inst_src_ref), _short(node), fields,
    )  # fmt: skip


def _fields(node: Any) -> Iterator[Field]:
    for one in node.fields():
        acts = (one.get_property("onread"), one.get_property("onwrite"))
        access = " ".join([one.get_property("sw").name, *(act.name for act in acts if act)])
        reset = one.get_property("reset")
        yield Field(
            one.inst_name, one.low, one.width, access, one.get_property("hw").name,
            hex(reset) if isinstance(reset, int) else "", _line(one.inst_src_ref), _short(one),
        )  # fmt: skip


def _line(place: Any) -> int:
    line = getattr(place, "line", None)
    return line if isinstance(line, int) else 0


def _short(node: Any) -> str:
    text = node.get_property("desc") or ""
    return " ".join(str(text)[: 4 * TEXT].split())[:TEXT].partition(". ")[0]


if __name__ == "__main__":
    main()
