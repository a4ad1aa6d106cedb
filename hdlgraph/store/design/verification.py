"""What the text of verification code says, on disk: classes, what they create and connect, tests.

    verification/code.msgpack    the classes and acts of each file, sorted by path

It is read by the questions about verification alone; a repository without such code has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from hdlgraph.errors import IndexVersionError

FOLDER = "verification"
FILE = "code.msgpack"
REMEDY = "run `hdlgraph index` again"


class Member(NamedTuple):
    """A variable of a class; `type` is as written, with its `#(...)`, `many` whether an array."""

    name: str
    type: str
    line: int
    many: bool = False


class Act(NamedTuple):
    """What one statement of verification code does.

    `owner` is the class around it, "" for none; `routine` the function or task. By `kind`:

    - `create`: `left` becomes an object of the class `right`; `detail` is its name in UVM, of
      `uvm_create_on` the sequencer; `how` is what makes it (`type_id::create`, `uvm_create` ...).
    - `override`: the factory makes `right` where `left` is asked for, `detail` says under which
      path, "" for everywhere; `condition` are those of the branches around it.
    - `named`: `left` becomes an object whose class a text says; `right` has the texts that may be
      its name, with commas between them, `how` is the function that makes it.
    - `connect`: the port `left` is connected to `right`.
    - `start`: the sequence `left` starts on the sequencer `right`; `local` is the type of a local
      variable `left`. A `default_sequence` has the path of its sequencer as `detail`.
    - `set`, `get`: the key `left` of the configuration database with a value of type `right`;
      `detail` is the path that it is for, `local` the value or variable.
    - `run`: `run_test` with the test `left`, "" for none.
    - `group`: the covergroup `left`.
    - `import`, `export`: DPI; `left` is the name in SystemVerilog, `right` that in C.
    """

    kind: str
    line: int
    owner: str
    routine: str
    left: str
    right: str = ""
    detail: str = ""
    how: str = ""
    local: str = ""
    condition: str = ""


class CodeClass(NamedTuple):
    """A class; `extends` is as written, with its `#(...)`, `parameters` have (name, default)."""

    name: str
    line: int
    end_line: int
    extends: str
    parameters: tuple[tuple[str, str], ...] = ()
    members: tuple[Member, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()


class CodeFile(NamedTuple):
    """What one file says; `aliases` are its typedefs of names outside of classes."""

    classes: tuple[CodeClass, ...] = ()
    acts: tuple[Act, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()


class CFunction(NamedTuple):
    """A function of C or C++ that has the name of one that DPI imports or exports.

    `is_body` says whether it stands there with its body, else it is declared.
    """

    name: str
    path: str
    line: int
    is_body: bool


class Program(NamedTuple):
    """A program in another language that exercises a unit.

    `kind`: `verilator` (C++ that includes the class made of the unit), `cocotb` (a Makefile or
    Python file that names it as the top) or `core` (a target of a FuseSoC core).
    """

    kind: str
    unit: str
    path: str
    line: int
    name: str = ""


class ListedTest(NamedTuple):
    """A test of a list; `test` is the UVM test, `sequence` that which it starts, "" for unknown.

    `about` is its description, `more` its options as the list has them: (name, value).
    """

    name: str
    path: str
    line: int
    test: str = ""
    sequence: str = ""
    about: str = ""
    more: tuple[tuple[str, str], ...] = ()


class Goal(NamedTuple):
    """An entry of a test plan: the tests that reach it, its description, and the plan's path.

    It stands from `line` to `last`, 0 for unknown.
    """

    name: str
    line: int
    tests: tuple[str, ...] = ()
    about: str = ""
    path: str = ""
    last: int = 0


class TestList(NamedTuple):
    """The tests of one testbench as a simulation's settings list them.

    `unit` is the design under test, `top` the module of the testbench, `goals` the entries of its
    test plan and of those that this one imports.
    """

    name: str
    path: str
    line: int
    unit: str = ""
    top: str = ""
    core: str = ""
    tests: tuple[ListedTest, ...] = ()
    plan: str = ""
    goals: tuple[Goal, ...] = ()


class Code(NamedTuple):
    """All that the files of a repository say of its verification."""

    files: tuple[tuple[str, CodeFile], ...] = ()
    functions: tuple[CFunction, ...] = ()
    programs: tuple[Program, ...] = ()
    lists: tuple[TestList, ...] = ()


def write_code(generation: Path, code: Code) -> None:
    """Writes it into the folder of a generation; nothing where there is none."""
    if any(code):
        folder = generation / FOLDER
        folder.mkdir(exist_ok=True)  # there where linking is done once more
        (folder / FILE).write_bytes(msgspec.msgpack.encode(code))


def read_code(generation: Path) -> Code:
    """Returns what a generation has, nothing where it has none.

    Raises:
        IndexVersionError: it is damaged.
    """
    path = generation / FOLDER / FILE
    if not (generation / FOLDER).is_dir():
        return Code()
    try:
        found = msgspec.msgpack.decode(path.read_bytes(), type=Code)
        if min(_lines(found), default=0) < 0:
            raise ValueError("a line below 0")
    except (OSError, ValueError, RecursionError) as error:
        raise IndexVersionError(f"{path}: cannot be read ({error}): {REMEDY}") from error
    return found


def _lines(code: Code) -> Iterator[int]:
    for _, file in code.files:
        for one in file.classes:
            yield one.line
            yield one.end_line
            yield from (member.line for member in one.members)
        yield from (act.line for act in file.acts)
    yield from (function.line for function in code.functions)
    yield from (program.line for program in code.programs)
    yield from (tests.line for tests in code.lists)
    for tests in code.lists:
        yield from (test.line for test in tests.tests)
        yield from (goal.line for goal in tests.goals)
