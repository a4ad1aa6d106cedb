"""Whether GraphRAG's tables are fresh, and their build in a process of its own when not."""

from __future__ import annotations

from hdlgraph.errors import HdlgraphError
from hdlgraph.index.changes import Changes
from hdlgraph.index.manifest import Manifest
from hdlgraph.index.meter import Meter
from hdlgraph.index.request import Request

FEW = 20
"""`auto` leaves the tables as they are until more files than this have changed since."""

State = dict[str, str | int | float]


def absent() -> State:
    """Returns the state of tables that were never built."""
    return {"state": "absent", "behind": 0}


def after(state: State, changes: Changes) -> State:
    """Returns the state of the tables once the files have changed under them."""
    if not changes.size or state.get("state") not in ("fresh", "stale"):
        return state
    return {**state, "state": "stale", "behind": int(state.get("behind", 0)) + changes.size}


def is_due(when: str, state: State, data_type: str) -> bool:
    """Returns whether to build now.

    Args:
        when: "auto", "always" or "never".
        state: the present state.
        data_type: what the documents should hold.
    """
    if when == "never":
        return False
    other = state.get("data_type", data_type) != data_type
    if when == "always":
        return other or state["state"] != "fresh"
    return other or state["state"] == "absent" or int(state.get("behind", 0)) > FEW


def bring_up_to_date(request: Request, manifest: Manifest, meter: Meter) -> State:
    """Returns the state of the tables after building them where that is due.

    Search does not read them, so a failed build is a state and no error.
    """
    wanted = request.settings.graphrag
    state = manifest.graphrag or absent()
    if not is_due(wanted.enabled, state, wanted.data_type):
        return state
    try:
        with meter.stage("graphrag"):
            counts = _build(request, manifest)
    except HdlgraphError as error:
        return {"state": "failed", "behind": 0, "data_type": wanted.data_type, "why": str(error)}
    return {"state": "fresh", "behind": 0, "data_type": wanted.data_type, **counts}


def _build(request: Request, manifest: Manifest) -> State:
    from hdlgraph.index.build import build_graphrag

    folder = request.folder / f"gen-{manifest.generation}"
    return build_graphrag(
        request.folder,
        folder,
        request.settings,
        root=request.root,
        settings_file=request.settings_file,
    )


def describe(state: State) -> str:
    """Returns the state as words."""
    name = str(state.get("state", "absent"))
    if name == "stale":
        return f"stale, {state['behind']} changed files behind (hdlgraph index --graphrag always)"
    if name == "failed":
        return f"failed: {state.get('why', '')}"
    return name
