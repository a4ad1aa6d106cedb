"""The state of GraphRAG's tables, whether they are due, and their build when they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.index.graphrag.build import Limits
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.results import StageUsage
from hdlgraph.store.manifest import Manifest

State = dict[str, str | int | float]
REPORTS_VERSION = 1
"""Version of the reports of communities; tables with another one are built anew."""


def absent() -> State:
    """Returns the state of tables that were never built."""
    return {"state": "absent", "behind": 0}


def after(state: State, moved: int) -> State:
    """Returns the state of the tables once `moved` files, or what is said of them, differ."""
    if not moved or state.get("state") not in ("fresh", "stale"):
        return state
    return {**state, "state": "stale", "behind": int(state.get("behind", 0)) + moved}


def has_reports(state: State, wanted: str = "facts") -> bool:
    """Returns whether the tables are fresh and hold the reports that an overview reads.

    Args:
        state: the present state.
        wanted: who writes the reports; those of a model also serve where "facts" are wanted.
    """
    if state.get("state") != "fresh" or state.get("reports_version") != REPORTS_VERSION:
        return False
    return wanted == "facts" or state.get("reports") == wanted


def is_due(request: Request, state: State) -> bool:
    """Returns whether a run of `index` builds the tables.

    `--extract llm` asks for them: the model's graph is nowhere else.
    """
    wanted = request.settings.graphrag
    by_model = request.settings.extract.method == "llm"
    if wanted.enabled == "never" or (wanted.enabled == "on-demand" and not by_model):
        return False
    same = (state.get("data_type"), state.get("extract", "ast")) == (
        wanted.data_type,
        "llm" if by_model else "ast",
    )
    return not (same and state.get("vectors") and has_reports(state, wanted.reports))


def bring_up_to_date(
    request: Request, manifest: Manifest, meter: Meter, usage: list[StageUsage] | None = None
) -> State:
    """Returns the state of the tables after building them where that is due.

    Search does not read them, so a failed build is a state and no error.

    Args:
        request: what this run asks for.
        manifest: the valid index.
        meter: told of the stage.
        usage: what models have taken in this run; the build's calls are added.
    """
    state = manifest.graphrag or absent()
    if not is_due(request, state):
        return state
    spent = usage if usage is not None else []
    try:
        return build(request, manifest, meter, spent, vectors=True)
    except HdlgraphError as error:
        spent += getattr(error, "usage", ())
        return {**_made_of(request), "state": "failed", "why": str(error)}


def build(
    request: Request,
    manifest: Manifest,
    meter: Meter,
    usage: list[StageUsage],
    *,
    vectors: bool,
) -> State:
    """Builds the tables and returns their state.

    Args:
        request: what to build them from and how.
        manifest: the valid index.
        meter: told of the stage.
        usage: what models have taken in this run; the build's calls are added.
        vectors: whether GraphRAG's local search shall have its vectors.

    Raises:
        BuildError: the build failed; the former tables are untouched.
    """
    with meter.stage("graphrag") as tick:
        built = _build(request, manifest, _limits(request, usage), vectors, tick)
    usage += built.pop("usage", ())
    return {**_made_of(request), "state": "fresh", "vectors": int(vectors), **built}


def _made_of(request: Request) -> State:
    """Returns the part of a state that says what the tables are made of."""
    wanted = request.settings.graphrag
    found: State = {
        "behind": 0,
        "data_type": wanted.data_type,
        "reports": wanted.reports,
        "reports_version": REPORTS_VERSION,
    }
    if request.settings.extract.method == "llm":
        found["extract"] = "llm"
    return found


def _limits(request: Request, spent: Sequence[StageUsage]) -> Limits:
    """Returns what is left of a run's limits."""
    cost, tokens = request.max_cost, request.max_tokens
    if cost is not None:
        cost = max(0.0, cost - sum(one.cost or 0.0 for one in spent))
    if tokens is not None:
        tokens = max(0, tokens - sum(one.input_tokens + one.output_tokens for one in spent))
    return Limits(cost, tokens)


def _build(
    request: Request,
    manifest: Manifest,
    limits: Limits,
    vectors: bool,
    tick: Callable[[int], None],
) -> dict[str, Any]:
    from hdlgraph.index.graphrag.build import build_graphrag

    folder = request.folder / f"gen-{manifest.generation}"
    return build_graphrag(
        request.folder,
        folder,
        request.settings,
        root=request.root,
        settings_file=request.settings_file,
        limits=limits,
        vectors=vectors,
        on_answer=tick,
    )


def describe(state: State) -> str:
    """Returns the state as words."""
    name = str(state.get("state", "absent"))
    if name == "absent":
        return "absent (`hdlgraph overview` builds them)"
    if name == "stale":
        behind = f"stale, {state['behind']} changed files behind"
        return f"{behind} (`hdlgraph overview` brings them up to date)"
    if name == "failed":
        return f"failed: {state.get('why', '')}"
    if not state.get("vectors"):
        return "fresh, without the vectors of GraphRAG's local search (--graphrag always adds them)"
    return name
