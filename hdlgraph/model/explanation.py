"""The explanation of one file in words, as the explanation files (JSON Lines) hold it."""

from __future__ import annotations

import msgspec


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """What one file is for, in words: the record of the explanation files (JSONL).

    `model` says who wrote it: "deterministic" for the built-in explainer.
    """

    path: str
    purpose: str
    behaviour: str = ""
    interfaces: str = ""
    parameters: str = ""
    instances: str = ""
    concepts: tuple[str, ...] = ()
    sha256: str = ""
    model: str = "deterministic"

    def to_text(self) -> str:
        """Returns the explanation as paragraphs, path first (GraphRAG's document text)."""
        parts = [self.path, self.purpose, self.behaviour]
        for label, text in (
            ("Interfaces", self.interfaces),
            ("Parameters", self.parameters),
            ("Instances", self.instances),
            ("Concepts", ", ".join(self.concepts)),
        ):
            if text:
                parts.append(f"{label}: {text}")
        return "\n".join(part for part in parts if part)
