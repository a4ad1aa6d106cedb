"""The settings of the language model."""

from __future__ import annotations

from dataclasses import dataclass

from hdlgraph.settings.field import setting


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """The language model: none unless named here; keys come from the environment only."""

    provider: str = setting(
        "none",
        "none: nothing leaves this machine; openai: OpenAI or any compatible server (vLLM, "
        "Ollama, llama.cpp); azure: Azure OpenAI",
        choices=("none", "openai", "azure"),
    )
    base_url: str = setting(
        "",
        "address of the endpoint, such as http://127.0.0.1:8000/v1; empty takes "
        "OPENAI_BASE_URL, then api.openai.com (azure: AZURE_OPENAI_ENDPOINT)",
    )
    key_env: str = setting(
        "",
        "environment variable that holds the key; empty takes OPENAI_API_KEY (azure: "
        "AZURE_OPENAI_API_KEY); a local server may need none",
    )
    api_version: str = setting("2024-10-21", "version of the Azure API")
    build_model: str = setting(
        "gpt-4.1-mini", "small model that explains files and extracts concepts (azure: deployment)"
    )
    query_model: str = setting("gpt-4.1", "larger model that answers questions (azure: deployment)")
    structured: str = setting(
        "auto",
        "how JSON is asked for: schema, json (an object of no declared shape) or text; auto takes "
        "the first that the endpoint accepts",
        choices=("auto", "schema", "json", "text"),
    )
    temperature: float = setting(0.0, "randomness of the build model", minimum=0, maximum=2)
    context_tokens: int = setting(
        0, "context of the models in tokens; 0 takes what the endpoint tells, else 8192", minimum=0
    )
    output_tokens: int = setting(1200, "most tokens of one answer", minimum=64)
    concurrency: int = setting(16, "calls under way at once", minimum=1, maximum=512)
    requests_per_minute: int = setting(0, "rate limit of the endpoint; 0 is none", minimum=0)
    tokens_per_minute: int = setting(0, "rate limit of the endpoint; 0 is none", minimum=0)
    timeout_s: float = setting(
        120.0,
        "seconds without a byte before a call is repeated; a whole answer may take five times "
        "that, or a quarter of a second for each of its tokens where that is longer",
        minimum=1,
    )
    retries: int = setting(8, "how often a failed call is repeated", minimum=0, maximum=50)
    build_input_price: float | None = setting(
        None, "USD per million input tokens of the build model; null is not known", minimum=0
    )
    build_output_price: float | None = setting(
        None, "USD per million output tokens of the build model; null is not known", minimum=0
    )
    query_input_price: float | None = setting(
        None, "USD per million input tokens of the query model; null is not known", minimum=0
    )
    query_output_price: float | None = setting(
        None, "USD per million output tokens of the query model; null is not known", minimum=0
    )
