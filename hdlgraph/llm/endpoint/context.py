"""Finds out how many tokens a model can read: its server is asked once per process."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from hdlgraph.llm.endpoint.bounds import Bounds
from hdlgraph.llm.endpoint.endpoint import Endpoint
from hdlgraph.llm.endpoint.wire import decode
from hdlgraph.settings.records import LlmSettings

USUAL = 8192  # tokens, where nobody tells
OLLAMA_USUAL = 4096  # tokens that Ollama reads unless a model or its user says otherwise
ASK_S = 10.0  # most seconds without a byte, of a question about a model
WHOLE_S = 20.0  # most seconds of its whole answer
MOST = 100_000_000  # tokens; a server that tells more tells nothing
_FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length")


def context_tokens(endpoint: Endpoint, llm: LlmSettings, model: str) -> int:
    """Returns the context of a model in tokens: the settings', else the server's, else 8192."""
    return llm.context_tokens or served_context(endpoint, model) or USUAL


@lru_cache(maxsize=64)
def served_context(endpoint: Endpoint, model: str) -> int:
    """Returns the context that the server states for a model, in tokens; 0 when it does not.

    vLLM, llama.cpp, Ollama, LM Studio and several gateways tell; OpenAI and Azure do not.
    """
    entry = next((one for one in offered(endpoint) if one.get("id") == model), None)
    entries = offered(endpoint)
    if entry is None and len(entries) == 1:
        entry = entries[0]  # a server of one model that goes by any name
    if entry is None:
        return 0
    owner = str(entry.get("owned_by", "")).lower()
    if owner == "library":
        return _ollama(endpoint, model)
    meta = entry.get("meta")
    if owner == "llamacpp" or isinstance(meta, dict):
        return _llama_cpp(endpoint, meta if isinstance(meta, dict) else {})
    return next((n for field in _FIELDS if (n := _count(entry.get(field)))), 0)


@lru_cache(maxsize=8)
def offered(endpoint: Endpoint) -> tuple[dict[str, Any], ...]:
    """Returns the models that an endpoint lists, as it describes them; () when it does not.

    Azure lists what could be deployed, not what is: () too.
    """
    if endpoint.provider == "azure":
        return ()
    found = _ask(endpoint, f"{endpoint.base_url}/models")
    entries = found.get("data")
    listed = entries if isinstance(entries, list) else ()
    return tuple(one for one in listed if isinstance(one, dict))


def _llama_cpp(endpoint: Endpoint, meta: dict[str, Any]) -> int:
    """Returns what the server was started with, else what the model was trained for."""
    defaults = _ask(endpoint, f"{_root(endpoint)}/props").get("default_generation_settings")
    started = _count(defaults.get("n_ctx")) if isinstance(defaults, dict) else 0
    return started or _count(meta.get("n_ctx")) or _count(meta.get("n_ctx_train"))


def _ollama(endpoint: Endpoint, model: str) -> int:
    """Returns what Ollama reads of a prompt, which is mostly less than the model could."""
    root = _root(endpoint)
    running = _ask(endpoint, f"{root}/api/ps").get("models")
    for one in running if isinstance(running, list) else ():
        named = isinstance(one, dict) and model in (one.get("name"), one.get("model"))
        if named and (count := _count(one.get("context_length"))):
            return count
    answer = _ask(endpoint, f"{root}/api/show", {"model": model})
    chosen = re.search(r"^num_ctx\s+(\d{1,9})$", str(answer.get("parameters") or ""), re.M)
    if chosen:
        return _count(int(chosen[1]))
    info = answer.get("model_info")
    items = info.items() if isinstance(info, dict) else ()
    lengths = [_count(value) for name, value in items if name.endswith(".context_length")]
    return min(max(lengths, default=0), OLLAMA_USUAL)


def _root(endpoint: Endpoint) -> str:
    return endpoint.base_url.removesuffix("/v1")


def _count(value: object) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 < value <= MOST else 0  # type: ignore[operator, return-value]


def _ask(endpoint: Endpoint, url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Returns the object at an address of the endpoint's own host; {} when there is none."""
    import httpx
    import openai

    options: Any = {"timeout": ASK_S}
    try:
        with endpoint.open(LlmSettings(), Bounds(WHOLE_S)) as client:
            if body is None:
                answer = client.get(url, cast_to=httpx.Response, options=options)
            else:
                answer = client.post(url, cast_to=httpx.Response, body=body, options=options)
        found = decode(answer.content)
    except (openai.OpenAIError, httpx.HTTPError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
