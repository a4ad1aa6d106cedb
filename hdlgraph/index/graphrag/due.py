"""Whether GraphRAG's tables are fresh, and their build in a process of its own when not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hdlgraph.errors import HdlgraphError
from hdlgraph.index.graphrag.build import Limits
from hdlgraph.index.progress import Meter
from hdlgraph.index.request import Request
from hdlgraph.results import StageUsage
from hdlgraph.store.manifest import Manifest

FEW = 20
"""`auto` leaves the tables as they are until more files than this have changed since."""

State = dict[str, str | int | float]


def absent() -> State:
    """Returns the state of tables that were never built."""
    return {"state": "absent", "behind": 0}


def after(state: State, moved: int) -> State:
    """Returns the state of the tables once `moved` files, or what is said of them, differ."""
    if not moved or state.get("state") not in ("fresh", "stale"):
        return state
    return {**state, "state": "stale", "behind": int(state.get("behind", 0)) + moved}


def is_due(when: str, state: State, data_type: str, method: str = "ast") -> bool:
    """Returns whether to build now.

    Args:
        when: "auto", "always" or "never".
        state: the present state.
        data_type: what the documents should hold.
        method: "llm" where the model alone draws the graph, else "ast".
    """
    if when == "never":
        return False
    wanted = data_type, method
    other = (state.get("data_type", data_type), state.get("extract", "ast")) != wanted
    if when == "always":
        return other or state["state"] != "fresh"
    return other or state["state"] == "absent" or int(state.get("behind", 0)) > FEW


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
    wanted = request.settings.graphrag
    state = manifest.graphrag or absent()
    method = "llm" if request.settings.extract.method == "llm" else "ast"
    if not is_due(wanted.enabled, state, wanted.data_type, method):
        return state
    spent = usage if usage is not None else []
    present: State = {"behind": 0, "data_type": wanted.data_type}
    if method == "llm":
        present["extract"] = method
    try:
        with meter.stage("graphrag") as tick:
            built = _build(request, manifest, _limits(request, spent), tick)
    except HdlgraphError as error:
        spent += getattr(error, "usage", ())
        return {**present, "state": "failed", "why": str(error)}
    spent += built.pop("usage", ())
    return {**present, "state": "fresh", **built}


def _limits(request: Request, spent: Sequence[StageUsage]) -> Limits:
    """Returns what is left of a run's limits."""
    cost, tokens = request.max_cost, request.max_tokens
    if cost is not None:
        cost = max(0.0, cost - sum(one.cost or 0.0 for one in spent))
    if tokens is not None:
        tokens = max(0, tokens - sum(one.input_tokens + one.output_tokens for one in spent))
    return Limits(cost, tokens)


def _build(
    request: Request, manifest: Manifest, limits: Limits, tick: Callable[[int], None]
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
        on_answer=tick,
    )


def describe(state: State) -> str:
    """Returns the state as words."""
    name = str(state.get("state", "absent"))
    if name == "stale":
        return f"stale, {state['behind']} changed files behind (hdlgraph index --graphrag always)"
    if name == "failed":
        return f"failed: {state.get('why', '')}"
    return name
