"""Finds what, besides changed files, makes a new generation of an index necessary."""

from __future__ import annotations

from collections.abc import Callable

from hdlgraph.index.discover.files import Discovery
from hdlgraph.index.explain.by_model.passes import digest_kept, wanted_stages
from hdlgraph.index.request import Request
from hdlgraph.store.manifest import Manifest


def outdated(
    request: Request, former: Manifest, found: Discovery, can_embed: Callable[[], bool]
) -> list[str]:
    """Returns the reasons for a new generation besides changed files, each in a sentence.

    Args:
        request: the run that would make the generation.
        former: the manifest of the present index.
        found: the files that exist now.
        can_embed: whether vectors can be made; called only if the index has none.
    """
    reasons = []
    if former.retry:
        reasons.append(f"{len(former.retry)} files were read in part only and are read again")
    if former.inputs != request.inputs:
        reasons.append("settings, imported explanations or hdlgraph itself are others")
    if (former.incdirs, former.defines) != (tuple(found.incdirs), tuple(found.defines)):
        reasons.append("the filelist names other include folders or macros")
    if former.projects != dict(found.projects):
        reasons.append("files that list sources (cores, packages, filelists) are others")
    if former.model_texts != digest_kept(request):
        reasons.append("language models wrote other explanations")
    if any(former.pending.get(stage) != 0 for stage in wanted_stages(request)):
        reasons.append("a language model has still files to do")
    wanted = request.settings.embedding.provider != "none"
    if wanted and not former.embedder and can_embed():
        reasons.append("the index has no vectors")
    return reasons
