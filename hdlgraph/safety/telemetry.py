"""Switches off what libraries send or fetch of their own accord, before any of them is loaded.

`import hdlgraph` runs `silence`, so that every way in (the command, `Project`, a worker) has the
switches set for itself and, through the environment, for the processes it starts. What the
environment said before does not count: nothing here can be turned on again from outside.
"""

from __future__ import annotations

import os
import sys

TELEMETRY = {
    # onnxruntime reads it once, while it is imported; later neither the variable nor
    # `disable_telemetry_events()` keeps it from looking its vendor's server up, some ten seconds
    # on, and from writing a device's number and a queue below ~/.cache.
    "ORT_DISABLE_TELEMETRY": "1",
    # Ray, whose head sends what it runs on to its vendor.
    "RAY_USAGE_STATS_ENABLED": "0",
    # huggingface_hub, which tokenizers and litellm bring.
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    # pyarrow sends spans of its work to a collector where this says otlp_http; empty is off.
    "ARROW_TRACING_BACKEND": "",
    # litellm, which graphrag brings, fetches these three; it carries copies.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
}
"""Variables of the environment that are set in every process that imports hdlgraph."""

OWN = {
    # opentelemetry, fastapi and lancedb, where a collector is named in the environment.
    "OTEL_SDK_DISABLED": "true",
    # No model or tokeniser is fetched from a hub.
    "HF_HUB_OFFLINE": "1",
    # litellm would read a .env file of the working directory, which may name any server.
    "LITELLM_MODE": "PRODUCTION",
}
"""Variables that are besides set in processes of our own.

A program that imports hdlgraph may want its own tracing, hub and .env file.
"""

LATE = "onnxruntime" in sys.modules and os.environ.get("ORT_DISABLE_TELEMETRY") != "1"
"""Whether onnxruntime was loaded, with its telemetry on, before hdlgraph was."""


def silence(*, own: bool = False) -> None:
    """Sets the switches in this process and for those it starts.

    Args:
        own: whether this process is hdlgraph's own, and not a program that imports it.
    """
    os.environ.update({**TELEMETRY, **OWN} if own else TELEMETRY)


def switched_off() -> dict[str, bool]:
    """Returns for each variable of TELEMETRY whether it has its value in this process."""
    return {name: os.environ.get(name) == value for name, value in TELEMETRY.items()}
