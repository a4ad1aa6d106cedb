"""Runs an elaboration: plans it, has a process of its own do it, and compares with the graph."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from hdlgraph.errors import HdlgraphError, UsageError
from hdlgraph.index.elaborate.child import OUT_OF_MEMORY
from hdlgraph.index.elaborate.compilation import Job
from hdlgraph.index.elaborate.design import Design
from hdlgraph.index.elaborate.differences import differences
from hdlgraph.index.elaborate.plan import Asked, Plan, Planner, key_of
from hdlgraph.safety import child_process
from hdlgraph.store.design.elaborated import Configuration, Elaborated


class TopMissingError(UsageError):
    """The elaborator has no such top, although the design graph does."""


MODULE = "hdlgraph.index.elaborate.child"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the process that elaborates may take: memory in MiB, wall clock in seconds."""

    memory_mb: int = 2048
    deadline_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Context:
    """The repository that is elaborated: its root, graph, roles of files, and program digest."""

    root: Path
    design: Design
    roles: Mapping[str, str]
    program: str


GIVEN = "<unnamed_buffer"
"""How the elaborator calls the text of a parameter that it was given instead of a file."""


def run_elaboration(
    context: Context,
    name: str,
    asked: Asked,
    limits: Limits,
    former: Configuration | None = None,
) -> Configuration:
    """Returns what an elaboration found; `former` where it would find the same.

    Definitions near those that use them are taken first; where that leaves errors, those near the
    top are tried too, and the elaboration with fewer errors counts.

    Args:
        context: the repository.
        name: of the configuration.
        asked: tops and options.
        limits: of the process that elaborates.
        former: the configuration of that name that is kept.

    Raises:
        UsageError: a parameter that no top has, or a value that cannot be read.
        HdlgraphError: it took too much memory or time, or the process was ended.
    """
    planner = Planner(context.root, context.design, context.roles)
    plans = [planner.plan(asked, limits.memory_mb, near_top=False)]
    other = planner.plan(asked, limits.memory_mb, near_top=True)
    if other.digest != plans[0].digest:
        plans.append(other)
    key = key_of(plans, context.program)
    if former is not None and former.key == key:
        return former
    best = better(context.root, plans, limits)
    result = elaborate_apart(context.root, plans[best].job, limits)
    _check_tops(plans[best].job, result)
    _check_parameters(asked, result)
    return _configuration(context, name, asked, key, plans[best], result, near_top=best > 0)


def better(root: Path, plans: Sequence[Plan], limits: Limits) -> int:
    """Returns the position of the first plan with the fewest errors; each is elaborated apart."""
    errors: list[int] = []
    for plan in plans if len(plans) > 1 else ():
        brief = msgspec.structs.replace(plan.job, brief=True)
        errors.append(elaborate_apart(root, brief, limits).errors)
        if not errors[-1]:
            break
    return errors.index(min(errors)) if errors else 0


def elaborate_apart(root: Path, job: Job, limits: Limits) -> Elaborated:
    """Returns what a process of its own finds.

    Args:
        root: the repository, in which no module is looked for.
        job: what it is given.
        limits: of its memory and time.

    Raises:
        HdlgraphError: it did not end in time, took too much memory, or crashed.
    """
    tops = ", ".join(job.tops)
    process = child_process.start(
        MODULE,
        root=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        out, _ = process.communicate(msgspec.msgpack.encode(job), timeout=limits.deadline_s)
    except subprocess.TimeoutExpired as error:
        raise HdlgraphError(
            f"elaborating {tops}: took more than {limits.deadline_s:g} s and was ended; name a "
            "smaller unit with --top, or raise elaborate.deadline_s in settings.yaml"
        ) from error
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode == 0:
        try:
            return msgspec.msgpack.decode(out, type=Elaborated)
        except msgspec.MsgspecError:
            pass
    raise HdlgraphError(_why(process.returncode, tops, limits))


def _why(code: int, tops: str, limits: Limits) -> str:
    if code == OUT_OF_MEMORY:
        return (
            f"elaborating {tops}: needs more than {limits.memory_mb} MiB of memory; name a smaller "
            "unit with --top, or raise elaborate.memory_mb in settings.yaml"
        )
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return (
        f"elaborating {tops}: its process was ended by {how}; nothing of the index is lost, and a "
        "smaller unit may go, see --top"
    )


def _check_tops(job: Job, result: Elaborated) -> None:
    there = {name for name, _ in result.tops}
    for name in job.tops:
        if name not in there:
            raise TopMissingError(
                f"--top {name}: its sources do not give a module of that name that can be a top; "
                "where an `ifdef leaves it out, define what it wants with -D, and set parameters "
                "without a default with -P"
            )


def _check_parameters(asked: Asked, result: Elaborated) -> None:
    known: dict[str, None] = {}
    for _, body in result.tops:
        known |= {one.name: None for one in result.bodies[body].parameters if not one.local}
    for text in asked.parameters:
        name = text.partition("=")[0]
        if name not in known:
            tops = ", ".join(top for top, _ in result.tops)
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise UsageError(f"-P {text}: {tops} has no parameter {name!r} to set; {has}")
    for message in result.said if asked.parameters else ():
        if message.severity == "error" and message.path.startswith(GIVEN):
            given = ", ".join(f"-P {text}" for text in asked.parameters)
            raise UsageError(f"{given}: {message.text}; write a number or another constant value")


def _configuration(
    context: Context,
    name: str,
    asked: Asked,
    key: str,
    plan: Plan,
    result: Elaborated,
    *,
    near_top: bool,
) -> Configuration:
    """Returns the record of a finished elaboration, with what was missing and what differs."""
    design = context.design
    empty = {child.unit for body in result.bodies for child in body.children if child.body < 0}
    absent = {key: place for key, place in plan.found.absent.items() if key[0] != "macro"}
    missing = sorted(
        (kind, what, place)
        for (kind, what), place in absent.items()
        if kind != "module" or what in empty
    )
    return Configuration(
        name=name,
        key=key,
        tops=tuple(design.graph.nodes.column("id")[row] for row in asked.tops),
        parameters=asked.parameters,
        defines=asked.defines,
        files=plan.files,
        sources=plan.sources,
        stand_ins=plan.stand_ins,
        missing=tuple(missing),
        differences=differences(design, plan.found, result),
        near_top=near_top,
        result=result,
    )
