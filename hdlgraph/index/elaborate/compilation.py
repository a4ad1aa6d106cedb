"""Compiles texts with pyslang, in the process of `child`, and collects its messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from hdlgraph.index.elaborate.texts import PLACE
from hdlgraph.store.design.elaborated import Said

TIMESCALE = "1ns/1ps"
"""Of files that say none; without one slang refuses a design in which only some say it."""
MAX_MESSAGES, MAX_CHARS = 200, 300
"""Most errors, and as many warnings, that are kept, and characters of each."""
COMPATIBLE = (
    "IgnoreUnknownModules",
    "AllowHierarchicalConst",
    "AllowUseBeforeDeclare",
    "AllowRecursiveImplicitCall",
    "AllowBareValParamAssignment",
    "AllowSelfDeterminedStreamConcat",
    "AllowMergingAnsiPorts",
    "AllowTopLevelIfacePorts",
    "AllowUnnamedGenerate",
    "AllowVirtualIfaceWithOverride",
    "RelaxEnumConversions",
    "RelaxStringConversions",
)
"""What common simulators accept beyond the standard; unknown modules are reported by the caller."""
LENIENT = (
    "SeqEmptyMatch",
    "IndexOOB",
    "RangeOOB",
    "RangeWidthOOB",
    "ImplicitNamedPortTypeMismatch",
    "SplitDistWeightOp",
    "DPIPureTask",
    "BadFinishNum",
    "NonstandardSysFunc",
    "StaticInitializerMustBeExplicit",
    "DuplicateDefinition",
    "DirectiveInsideDesignElement",
)
"""Errors of slang's that common simulators do not have; they count as warnings."""
_LEVELS = {"Error": "error", "Fatal": "error", "Warning": "warning"}


class Job(msgspec.Struct, frozen=True):
    """What to elaborate: `texts` by path in the order of compilation, `headers` likewise.

    `tops`, `parameters` (NAME=VALUE, of the tops) and `defines` (NAME or NAME=VALUE) are as the
    user gave them. `real` maps the names of texts that stand in for others to their files. What is
    said of the files `modules`, which hold nothing but modules, counts only where one of these is
    in the hierarchy. With `brief` only errors and warnings are wanted.
    """

    texts: tuple[tuple[str, str], ...]
    headers: tuple[tuple[str, str], ...]
    tops: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    real: dict[str, str] = {}
    memory_mb: int = 0
    modules: tuple[str, ...] = ()
    brief: bool = False


class Places:
    """Tells the path and line of slang's locations."""

    def __init__(self, manager: Any, real: dict[str, str]) -> None:
        self.manager, self.real = manager, real
        self._names: dict[Any, str] = {}
        self._sources: dict[Any, str] = {}

    def of(self, location: Any) -> tuple[str, int]:
        """Returns (path, line) of a location; where a macro stands, the place of its use."""
        whole = self.manager.getFullyExpandedLoc(location)
        name = self._names.get(whole.buffer.id)
        if name is None:
            name = self.manager.getRawFileName(whole.buffer).removeprefix(PLACE)
            name = self._names[whole.buffer.id] = self.real.get(name, name)
        return name, self.manager.getLineNumber(whole)

    def text(self, span: Any) -> str:
        """Returns the source text of a range on one line, "" where it is in a macro."""
        start, end = span.start, span.end
        if start.buffer != end.buffer or not self.manager.isFileLoc(start):
            return ""
        source = self._sources.get(start.buffer.id)
        if source is None:
            source = self._sources[start.buffer.id] = self.manager.getSourceText(start.buffer)
        return " ".join(source[start.offset : end.offset].split())


class Compiled:
    """A compiled design: slang's compilation, and the places in it."""

    def __init__(self, job: Job) -> None:
        import pyslang
        from pyslang import ast, syntax

        manager = pyslang.SourceManager()
        manager.setDisableLocalIncludes(True)
        manager.setDisableProximatePaths(True)
        for path, text in job.headers:
            manager.assignText(PLACE + path, text)
        buffers = [manager.assignText(PLACE + path, text) for path, text in job.texts]
        bag = _options(job)
        # All files are one unit of compilation: macros of one may be meant for the next.
        tree = syntax.SyntaxTree.fromBuffers(buffers, manager, bag)
        self.compilation = ast.Compilation(bag)
        self.compilation.addSyntaxTree(tree)
        self.places = Places(manager, job.real)
        self._manager = manager
        self._diagnostics: Any = ()

    def elaborate(self) -> None:
        """Has slang elaborate everything below the tops."""
        self._diagnostics = self.compilation.getAllDiagnostics()

    def messages(
        self, unused: Collection[str]
    ) -> tuple[dict[str, int], dict[str, int], list[Said]]:
        """Returns (counts by severity, by code of errors, the first messages of each severity).

        Args:
            unused: files whose messages do not count.
        """
        engine = _engine(self._manager)
        counts: Counter[str] = Counter()
        codes: Counter[str] = Counter()
        first: list[Said] = []
        for one in self._diagnostics:
            level = _LEVELS.get(str(engine.getSeverity(one.code, one.location)).rpartition(".")[2])
            path, line = self.places.of(one.location)
            if level is None or path in unused:
                continue
            code = str(one.code).removeprefix("DiagCode(").removesuffix(")")
            counts[level] += 1
            codes[code] += level == "error"
            if counts[level] <= MAX_MESSAGES:
                text = engine.formatMessage(one).replace(PLACE, "")[:MAX_CHARS]
                first.append(Said(level, code, path, line, text))
        first.sort(key=lambda said: (said.severity, said.path, said.line, said.code))
        return dict(counts), {c: n for c, n in sorted(codes.items()) if n}, first


def _engine(manager: Any) -> Any:
    """Returns slang's engine of messages, which says how severe they are."""
    import pyslang

    engine = pyslang.DiagnosticEngine(manager)
    for name in LENIENT:
        if (code := getattr(pyslang.Diags, name, None)) is not None:
            engine.setSeverity(code, pyslang.DiagnosticSeverity.Warning)
    return engine


def _options(job: Job) -> Any:
    import pyslang
    from pyslang import ast, parsing

    reading = parsing.PreprocessorOptions()
    reading.maxIncludeDepth = 64
    reading.predefines = list(job.defines)
    lexing = parsing.LexerOptions()
    lexing.maxErrors = 1000
    options = ast.CompilationOptions()
    options.topModules = set(job.tops)
    options.paramOverrides = list(job.parameters)
    # With a limit slang stops its analysis at so many errors without a word.
    options.errorLimit = 0
    options.defaultTimeScale = pyslang.TimeScale.fromString(TIMESCALE)
    flags: Any = ast.CompilationFlags
    options.flags = reduce(or_, (getattr(flags, name) for name in COMPATIBLE))
    return pyslang.Bag([reading, lexing, options])
