"""What a language model answers when asked for an explanation: its schema, and how it is read."""

from __future__ import annotations

import re
from typing import Any

from hdlgraph.index.explain.by_rules.prose import escape
from hdlgraph.llm.quote import quoted
from hdlgraph.model import Explanation

FIELDS = {"purpose": 90, "behaviour": 320, "interfaces": 150, "parameters": 130, "instances": 150}
"""The texts of an explanation with the most words of each."""
MAX_CONCEPTS = 14
_CONCEPT_WORDS = 9
_ALIASES = {
    "behavior": "behaviour",
    "interface": "interfaces",
    "parameter": "parameters",
    "instance": "instances",
    "concept": "concepts",
}
_MAX_DEPTH = 4
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9`\"'(])")
_MARKUP = re.compile(r"\*\*|^\s*(?:[-*•]|#{1,6}|\d+[.)])\s+", re.M)
_ECHO = ("one or two sentences:", "how it works, in", "what goes in and out, by groups and")
_REFUSAL = re.compile(r"(?:i'?m sorry|i am sorry|sorry,|i cannot|i can't|as an ai)\b", re.I)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in FIELDS},
        "concepts": {"type": "array", "items": {"type": "string"}},
    },
    "required": [*FIELDS, "concepts"],
    "additionalProperties": False,
}
"""What an endpoint that takes JSON schemas is given; strict mode needs all fields required."""


def read_explanation(raw: dict[str, Any], path: str, sha256: str, model: str) -> Explanation:
    """Returns the explanation in an answer; lists and nested objects become text.

    Args:
        raw: the JSON object of the answer, untrusted.
        path: of the file.
        sha256: of its content.
        model: who answered.

    Raises:
        ValueError: a field has no text, the purpose is missing, or the prompt was copied.
    """
    found = {_ALIASES.get(name.lower(), name.lower()): value for name, value in raw.items()}
    if "purpose" not in found and len(raw) == 1:
        inner = next(iter(raw.values()))
        if isinstance(inner, dict):
            return read_explanation(inner, path, sha256, model)
    texts = {name: _field(name, found.get(name), words) for name, words in FIELDS.items()}
    if len(texts["purpose"].split()) < 3:
        raise ValueError('"purpose" is missing or says nothing')
    if any(text.lower().startswith(_ECHO) for text in texts.values()):
        raise ValueError("the fields repeat the instructions instead of describing the file")
    if _REFUSAL.match(texts["purpose"]):
        raise ValueError('"purpose" does not describe the file')
    concepts = _concepts(found.get("concepts"))
    values: dict[str, Any] = dict(texts)
    return Explanation(path=path, sha256=sha256, model=model, concepts=concepts, **values)


def plain(text: str) -> str:
    """Returns text of a model on one line, without what GraphRAG's formats give a meaning."""
    text = _MARKUP.sub("", quoted(text))
    text = escape(text).replace("<|", "< |").replace("|>", "| >")
    return " ".join(text.split()).replace(" later later", " later")


def split_sentences(text: str) -> list[str]:
    """Returns the sentences of a text of one line."""
    return [sentence for sentence in _SENTENCE.split(text) if sentence]


def _field(name: str, value: Any, words: int) -> str:
    text = plain(_text(name, value))
    if text.lower() in ("none", "n/a", "none.", "n/a.", "null", "[]", "{}"):
        return ""
    sentences = list(dict.fromkeys(split_sentences(text)))  # small models repeat themselves
    kept: list[str] = []
    for sentence in sentences:
        words -= len(sentence.split())
        if words < 0:
            break
        kept.append(sentence)
    if not kept and sentences:
        return " ".join(sentences[0].split()[: max(words + len(sentences[0].split()), 1)]) + " ..."
    return " ".join(kept)


def _text(name: str, value: Any, depth: int = 0) -> str:
    """Returns a value as text: lists joined, objects as "name: value".

    Raises:
        ValueError: it is a number or nested too deep.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if depth > _MAX_DEPTH or isinstance(value, bool | int | float):
        raise ValueError(f'"{name}" must be text')
    if isinstance(value, dict):
        pairs = ((str(key), _text(name, item, depth + 1)) for key, item in value.items())
        return "; ".join(f"{key}: {text}" for key, text in pairs if text)
    if isinstance(value, list):
        parts = [_text(name, item, depth + 1).strip() for item in value]
        parts = [part for part in parts if part]
        sentences = all(part[-1] in ".!?" for part in parts)
        return (" " if sentences else "; ").join(parts)
    raise ValueError(f'"{name}" must be text')


def _concepts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = re.split(r"[,;\n]", value)
    if isinstance(value, dict):
        value = list(value)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError('"concepts" must be a list of phrases')
    found: dict[str, str] = {}
    for item in value:
        if isinstance(item, dict):
            item = next((text for text in item.values() if isinstance(text, str)), "")
        if not isinstance(item, str):
            raise ValueError('"concepts" must be a list of phrases')
        phrase = plain(item).strip(" .,;:\"'")
        if phrase and len(phrase.split()) <= _CONCEPT_WORDS:
            found.setdefault(phrase.lower(), phrase)
    return tuple(list(found.values())[:MAX_CONCEPTS])
