"""GraphRAG's own extraction by the model alone, kept for comparison (`index --extract llm`).

GraphRAG's extract_graph and summarize_descriptions run as they are, with the prompt for hardware
designs; around them stands what they leave out: a text unit that yields nothing is counted, a
name of several types stays one row, a failed summary costs a summary and not the build.
One of the few importers of graphrag.
"""

from __future__ import annotations

import re
from asyncio import gather
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hdlgraph.errors import BuildError, CallError
from hdlgraph.index.explain.by_rules.prose import escape
from hdlgraph.index.graphrag.entities import Entity, stable_id

if TYPE_CHECKING:
    import pandas as pd

    from hdlgraph.index.graphrag.chat_model import Talk
    from hdlgraph.index.graphrag.inputs import Extracted, Inputs

EXTRACT, SUMMARISE = "extract_graph", "summarize_descriptions"
MAX_TEXT = 600
_KIND = re.compile(r"^\s*\[([A-Z_]+)\]")
_TUPLE = re.compile(r"<(?=\|)")


async def model_graph(inputs: Inputs, config: Any, tables: Any) -> None:
    """Writes final entities and relationships that the model named, and nothing else.

    Raises:
        BuildError: nothing was named at all, or the run's limit ended the calls.
    """
    talk, report = inputs.talk, inputs.extracted
    assert talk is not None
    units = await tables.read_dataframe("text_units")
    report.units = len(units)
    entities, relations = await _ask(talk, config, units)
    _raise_if_stopped(talk)
    path_of = {stable_id("document", path): path for path in inputs.documents}
    _count(report, talk, units, entities, path_of)
    if entities.empty:
        why = f" ({report.failed[0]})" if report.failed else ""
        raise BuildError(
            f"the model named no entity in any of {len(units)} text units{why}; see "
            "prompts/extract_graph.txt and llm.build_model"
        )
    kinds = _kinds(relations)
    entities, relations = await _summarise(talk, config, _one_a_title(entities), relations, report)
    _raise_if_stopped(talk)
    places = {unit: path_of[d] for unit, d in zip(units["id"], units["document_id"], strict=True)}
    texts = dict(zip(units["id"], units["text"], strict=True))
    await _write(inputs, tables, _final_entities(entities, places, texts), relations, kinds, places)


def _raise_if_stopped(talk: Talk) -> None:
    if talk.stopped is not None:
        raise BuildError(f"extraction stopped: {talk.stopped}")


async def _ask(talk: Talk, config: Any, units: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Returns (entities, relationships) as GraphRAG's extraction makes them."""
    from graphrag.callbacks.noop_workflow_callbacks import NoopWorkflowCallbacks
    from graphrag.config.enums import AsyncType
    from graphrag.index.operations.extract_graph.extract_graph import extract_graph

    prompt = config.extract_graph.resolved_prompts().extraction_prompt
    try:
        prompt.format(input_text="", entity_types="")
    except (LookupError, ValueError) as error:  # GraphRAG would log it once a text unit
        raise BuildError(
            f"{config.extract_graph.prompt}: cannot be filled ({error!r}); it may use "
            "{input_text} and {entity_types}, other braces are doubled"
        ) from error
    # Its delimiters are fixed: a text that holds them would be copied into a broken record.
    shown = units.assign(text=[_TUPLE.sub("< ", escape(text)) for text in units["text"]])
    return await extract_graph(
        text_units=shown,
        callbacks=NoopWorkflowCallbacks(),
        text_column="text",
        id_column="id",
        model=chat_model(talk, config, EXTRACT),
        prompt=prompt,
        entity_types=config.extract_graph.entity_types,
        max_gleanings=config.extract_graph.max_gleanings,
        num_threads=talk.settings.llm.concurrency,
        async_type=AsyncType.AsyncIO,
    )


def chat_model(talk: Talk, config: Any, stage: str) -> Any:
    """Returns GraphRAG's chat model for the calls of one stage of a build."""
    from graphrag_llm.config.tokenizer_config import TokenizerConfig
    from graphrag_llm.tokenizer.tokenizer_factory import create_tokenizer

    from hdlgraph.index.graphrag.chat_model import completion

    how = TokenizerConfig(type="tiktoken", encoding_name=config.chunking.encoding_model)
    return completion(
        talk,
        stage,
        talk.settings.llm.build_model,
        tokenizer=create_tokenizer(how),
        metrics_store=None,
    )


def _count(
    report: Extracted,
    talk: Talk,
    units: pd.DataFrame,
    entities: pd.DataFrame,
    path_of: Mapping[str, str],
) -> None:
    named = {unit for found in entities["text_unit_ids"] for unit in found}
    columns = zip(units["id"], units["document_id"], units["text"], strict=True)
    for unit, document, text in columns:
        if unit in named:
            continue
        why = talk.why_not(_TUPLE.sub("< ", escape(text)).strip())
        if why:
            report.failed.append(f"{path_of[document]}: {why}")
        else:
            report.empty.append(path_of[document])


def _one_a_title(entities: pd.DataFrame) -> pd.DataFrame:
    """Returns one row a title: GraphRAG groups by type too, and drops all but one later."""
    import pandas as pd

    rows = []
    for title, group in entities.groupby("title", sort=True):
        if not str(title).strip():
            continue
        types: Counter[str] = Counter()
        for name, count in zip(group["type"], group["frequency"], strict=True):
            types[name] += int(count)
        rows.append(
            {
                "title": title,
                "type": min(types, key=lambda name: (-types[name], name)),
                "description": [one for texts in group["description"] for one in texts],
                "text_unit_ids": sorted({u for found in group["text_unit_ids"] for u in found}),
                "frequency": sum(types.values()),
            }
        )
    return pd.DataFrame(rows)


def _kinds(relations: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Returns the kinds that the descriptions of each pair begin with."""
    found = {}
    for source, target, text in zip(
        relations["source"], relations["target"], relations["description"], strict=True
    ):
        kinds = {match[1] for one in text if (match := _KIND.match(str(one)))}
        found[source, target] = ",".join(sorted(kinds))
    return found


async def _summarise(
    talk: Talk, config: Any, entities: pd.DataFrame, relations: pd.DataFrame, report: Extracted
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Returns both tables with one description a row: by the model where there are several."""
    from graphrag.index.operations.summarize_descriptions.description_summary_extractor import (
        SummarizeExtractor,
    )

    wanted = config.summarize_descriptions
    extractor = SummarizeExtractor(
        model=chat_model(talk, config, SUMMARISE),
        max_summary_length=wanted.max_length,
        max_input_tokens=wanted.max_input_tokens,
        summarization_prompt=wanted.resolved_prompts().summarize_prompt,
    )

    async def one(key: Any, said: Sequence[str]) -> str:
        distinct = sorted(set(said))
        try:
            return (await extractor(id=key, descriptions=distinct)).description
        except CallError:
            report.summaries_failed += 1
            return "; ".join(distinct)[:MAX_TEXT]

    titles, pairs = entities["title"], zip(relations["source"], relations["target"], strict=True)
    said = [
        *(one(title, d) for title, d in zip(titles, entities["description"], strict=True)),
        *(one(pair, d) for pair, d in zip(pairs, relations["description"], strict=True)),
    ]
    texts = await gather(*said)
    count = len(entities)
    return entities.assign(description=texts[:count]), relations.assign(description=texts[count:])


def _final_entities(
    entities: pd.DataFrame, places: Mapping[str, str], texts: Mapping[str, str]
) -> pd.DataFrame:
    names, paths = [], []
    columns = (entities[name] for name in ("title", "type", "text_unit_ids"))
    for title, kind, units in zip(*columns, strict=True):
        ordered = sorted(units, key=lambda unit: places[unit])
        plain = title.lower() if kind == "CONCEPT" else title
        names.append(next((m for u in ordered if (m := _spelt(title, texts[u]))), plain))
        paths.append(places[ordered[0]])
    return entities.assign(
        id=[stable_id("llm", title) for title in entities["title"]],
        name=names,
        path=paths,
        line=1,
        kind=[str(one).lower() for one in entities["type"]],
    )


def _spelt(title: str, text: str) -> str:
    """Returns a title as the text writes it: GraphRAG puts all titles in capitals."""
    found = re.search(rf"(?<!\w){re.escape(title)}(?!\w)", text, re.I)
    return found[0] if found else ""


async def _write(
    inputs: Inputs,
    tables: Any,
    entities: pd.DataFrame,
    relations: pd.DataFrame,
    kinds: Mapping[tuple[str, str], str],
    places: Mapping[str, str],
) -> None:
    """Writes the entities and relations that a model extracted as the tables of the graph."""
    import pandas as pd

    from hdlgraph.index.graphrag.graph_tables import write_graph

    columns = (entities[c] for c in ["id", "title", "name", "kind", "path", "description"])
    inputs.entities = [
        Entity(-1, id, title, name, kind, path, 1, said, lead=False)
        for id, title, name, kind, path, said in zip(*columns, strict=True)
    ]
    relations = relations.sort_values(["source", "target"], ignore_index=True)
    pairs = list(zip(relations["source"], relations["target"], strict=True))
    units = [sorted(set(found)) for found in relations["text_unit_ids"]]
    relations = pd.DataFrame(
        {
            "id": [stable_id("llm", *pair) for pair in pairs],
            "source": [source for source, _ in pairs],
            "target": [target for _, target in pairs],
            "description": relations["description"],
            "weight": relations["weight"].astype(float),
            "text_unit_ids": units,
            "kinds": [kinds[pair] for pair in pairs],
            "path": [min(places[unit] for unit in found) for found in units],
            "line": 1,
            "confidence": 0.5,
        }
    )
    await write_graph(tables, entities, relations)
