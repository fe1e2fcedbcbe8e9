"""Suggests a draft model or a head for a main model of the Hub."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.advice.catalog import Catalog
from engine.advice.pairing import OF_HEADS, PairAdvice, advise, bare_name, is_named_after, same_model
from engine.hub.client import HubClient
from engine.hub.failures import HubError
from engine.hub.head_plan import base_of, list_head
from engine.hub.listing import describe
from engine.hub.repository_names import head_name
from engine.hub.search import read_heads_inside, read_repository, search_models
from engine.model_files.head_kinds import MTP
from engine.model_files.model import HeadFacts, Model

_MOST_READ = 4


def suggest_draft(client: HubClient, main_id: str, catalog: Catalog, keep_in: Path | None = None) -> str | None:
    """Return the repository of the best draft model, or None if none of the catalog shares the tokenizer.

    For main models of the catalog this needs no network. For others it reads the small files of the main model and of a
    few drafts with vocabularies of the same size. Raises `HubError` for the main model only.
    """
    known = catalog.models.get(main_id)
    if known is not None:
        return known.drafts[0] if known.drafts else None
    best = draft_for(client, read_repository(client, main_id, keep_in), catalog, 4096, 2**60, keep_in)
    return best.id if best is not None else None


def draft_for(
    client: HubClient, main: Model, catalog: Catalog, context: int, limit: int, keep_in: Path | None = None
) -> PairAdvice | None:
    """Return the catalog's best draft model for a model of the Hub, or None if none shares its tokenizer."""
    advice = advise(main, _plausible(client, main, catalog, keep_in), context, limit)
    return next((candidate for candidate in advice if candidate.best and candidate.verdict in ("same", "padded")), None)


def head_for(
    client: HubClient, main: Model, catalog: Catalog, context: int, limit: int, keep_in: Path | None = None
) -> Model | None:
    """Return the head that should make a model of the Hub fastest on this machine, even if that is no gain here.

    It is the one in a folder of the model's repository or in its files or, among others, in the catalog, published
    under the model's name or tagged with it, or in the files of the model that it was made from. None if there is none
    that fits.
    """
    try:
        commit, answer = describe(client, main.id)
    except HubError:
        return None
    base = base_of(answer) or main.id
    heads: list[Model] = []
    with suppress(HubError):
        heads = read_heads_inside(client, main.id, commit, keep_in)
    heads = heads or _shipped(client, main.id, f"{main.id}/{MTP}", commit)
    for name in [] if heads else _names_of_heads(client, main, base, catalog)[:_MOST_READ]:
        with suppress(HubError):
            head = read_repository(client, name, keep_in)
            if head.head:
                # Its configuration was read, which the verdict compares with the main model's.
                facts = replace(head.facts, made_for=head.facts.made_for or main.id, checked=True)
                heads.append(replace(head, facts=facts))
    if not heads and base != main.id:
        heads = _shipped(client, base, head_name(main.id))
    by_id = {head.id: head for head in heads}
    fitting = (
        by_id[candidate.id]
        for candidate in advise(main, heads, context, limit)
        if candidate.verdict in ("head", "no-gain")
    )
    return next(fitting, None)


def mlx_version(model: Model, catalog: Catalog, client: HubClient | None = None) -> Model | None:
    """Return the smallest conversion to MLX of a model in GGUF files: the catalog's or, with `client`, the Hub's."""
    names = (model.id, model.base_model)
    mains = (model for model in catalog.models.values() if "main" in model.kinds)
    known = [model for model in mains if any(same_model(model.id, name) for name in names)]
    if not known and client is not None and model.base_model:
        with suppress(HubError):
            known = search_models(client, "", 1, ("mlx", f"base_model:quantized:{model.base_model}"))
    return min(known, key=lambda model: model.bytes, default=None)


def _shipped(client: HubClient, repository: str, name: str, commit: str = "") -> list[Model]:
    """Return the head in the files of a repository as the only one, called `name`, or none."""
    with suppress(HubError):
        size = list_head(client, repository, commit or describe(client, repository)[0]).weight_bytes
        facts = HeadFacts(inside=True)
        return [Model(name, "search", bytes=size, weight_bytes=size, active_bytes=size, head=MTP, facts=facts)]
    return []


def _names_of_heads(client: HubClient, main: Model, base: str, catalog: Catalog) -> list[str]:
    names = [head.id for head in catalog.heads.values() if same_model(head.facts.made_for, main.id)]
    with suppress(HubError):
        results = search_models(client, bare_name(main.id), tags=())
        names += [model.id for model in results if is_named_after(model.id, main.id)]
    with suppress(HubError):
        results = search_models(client, "", tags=(f"base_model:{base}",))
        names += [model.id for model in results if OF_HEADS.search(model.id)]
    return list(dict.fromkeys(names))


def advise_remotely(
    client: HubClient, main_id: str, catalog: Catalog, context: int, limit: int, keep_in: Path | None = None
) -> list[PairAdvice]:
    """Return verdicts on the catalog's drafts for a main model that is neither installed nor in the catalog."""
    main = read_repository(client, main_id, keep_in)
    return advise(main, _plausible(client, main, catalog, keep_in), context, limit)


def _plausible(client: HubClient, main: Model, catalog: Catalog, keep_in: Path | None) -> list[Model]:
    """Return one draft model of each tokenizer with a vocabulary about as large as the main model's."""
    size = main.vocabulary_size or 0
    drafts = sorted(
        (model for model in catalog.models.values() if "draft" in model.roles),
        key=lambda model: (_apart(model, size), model.bytes),
    )
    chosen = {model.tokenizer_name: model for model in reversed(drafts) if _apart(model, size) <= 0.05 * size}
    plausible: list[Model] = []
    for model in sorted(chosen.values(), key=lambda model: _apart(model, size))[:_MOST_READ]:
        try:
            plausible.append(read_repository(client, model.id, keep_in))
        except HubError:
            plausible.append(model)
    return plausible


def _apart(model: Model, size: int) -> int:
    return abs((model.vocabulary_size or 0) - size)
