"""Searches for MLX models on the Hub, and reads the small files of one repository without fetching weights."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, TOKENIZER, JsonLimits, UntrustedJsonError, parse, read_bytes
from engine.hub.client import HubClient
from engine.hub.failures import HubError
from engine.hub.head_plan import base_of
from engine.hub.listing import describe, gguf_listing, gguf_models, left_out, list_files, list_model, mlx_listing
from engine.hub.repository_names import parse_repository
from engine.hub.transfer import matches_digest
from engine.hub.values import Listing, RemoteFile
from engine.model_files.architecture import can_load, purpose_of
from engine.model_files.config import context_length, is_quantised, text_config
from engine.model_files.head_kinds import can_run, kind_of_config
from engine.model_files.model import Model, facts_of_config
from engine.model_files.tokenizer_files import vocabulary_in
from engine.model_files.vision_kinds import may_see

_EXPANDED = ("downloads", "gated", "tags", "safetensors", "usedStorage", "gguf")
_MOST_RESULTS = 100


def search_models(client: HubClient, text: str, limit: int = 30, tags: Sequence[str] = ("mlx",)) -> list[Model]:
    """Find models with all `tags` whose name contains `text`, the most downloaded first.

    A pasted address finds its repository. Without tags, repositories of any format are found. Raises `HubError`, also
    after an interruption: a search is not retried.
    """
    text = text.strip()
    if "://" in text or text.lower().startswith(("huggingface.co/", "hf.co/")):
        text = parse_repository(text)
    query: dict[str, list[str]] = {"expand": list(_EXPANDED), "filter": list(tags)}
    limit = min(limit, _MOST_RESULTS)
    answer, _ = client.get_json("/api/models", "", search=text, sort="downloads", limit=limit, **query)
    if not isinstance(answer, list):
        raise client.access.wrong_mirror()
    models = [_found(item) for item in answer[:_MOST_RESULTS] if isinstance(item, dict)]
    return [model for model in models if model is not None]


def find_model(client: HubClient, repository: str) -> Model:
    """Describe one repository as a search would list it. Raises `HubError`, also for a bad name."""
    return _described(client, parse_repository(repository))[1]


def find_gguf(client: HubClient, repository: str, tag: str, revision: str = "main") -> Model | None:
    """Describe the GGUF model that a tag means or, without a tag, the proposed one; its id names the download.

    None without a tag for a repository with weights of MLX. Raises `HubError` as `gguf_listing`.
    """
    commit, model = _described(client, repository, revision)
    files = list_files(client, repository, commit)
    if not tag:
        with suppress(HubError):
            mlx_listing(files)
            return None
    name, _ = gguf_listing(files, tag)
    return replace(model, id=f"{repository}/{name}", left_out=left_out(files))


def read_repository(client: HubClient, repository: str, keep_in: Path | None = None) -> Model:
    """Describe one repository by its small files, without its weights.

    `keep_in` is a folder that caches them by the hash of their content.

    Raises `HubError`: the Hub's own errors, not-mlx, or checksum for files with the wrong content.
    """
    name = parse_repository(repository)
    commit, model = _described(client, name)
    files = list_files(client, name, commit)
    model = replace(model, left_out=left_out(files))
    model = replace(model, variants=_variants(model, files))
    try:
        listing = mlx_listing(files)
    except HubError:
        if not model.variants:
            raise
        return replace(model, bytes=0, is_gguf_file=True)
    config = _parsed(_small_file(client, listing, "config.json", keep_in), CONFIG)
    head = kind_of_config(config) or ""
    model = replace(
        model,
        is_gguf_file=False,
        # What is wrong with its GGUF files, if it has some, is said by their variants.
        problem="",
        detail="",
        bytes=listing.total_bytes,
        weight_bytes=listing.weight_bytes,
        active_bytes=listing.weight_bytes,
        config=config,
        head=head,
    )
    if head:
        model = model if can_run(head) else replace(model, problem="unknown-head", detail=head)
        return replace(model, facts=facts_of_config(config))
    return _with_main_facts(client, model, listing, keep_in)


def _with_main_facts(client: HubClient, model: Model, listing: Listing, keep_in: Path | None) -> Model:
    """Return a main model with what its `config` and the list of its files say."""
    config = model.config

    def read_vocabulary() -> dict[str, int] | None:
        try:
            tokenizer = _small_file(client, listing, "tokenizer.json", keep_in)
        except HubError:
            return None
        return vocabulary_in(_parsed(tokenizer, TOKENIZER)) or None

    kind = config.get("model_type")
    if not can_load(config):
        purpose = purpose_of(config)
        problem = f"is-{purpose}" if purpose else "unknown-architecture"
        model = replace(model, problem=problem, detail=str(kind or ""))
    size = text_config(config).get("vocab_size")
    return replace(
        model,
        read_vocabulary=read_vocabulary,
        vocabulary_size=size if type(size) is int else None,
        # Most conversions of one model have the same file.
        tokenizer_digest=next((file.digest for file in listing.files if file.name == "tokenizer.json"), ""),
        bits=None if is_quantised(config) else 16,
        context=context_length(config),
        sees="vision_config" in config and may_see(kind),
    )


def read_heads_inside(client: HubClient, repository: str, commit: str, keep_in: Path | None = None) -> list[Model]:
    """Describe the heads in folders of a main model's repository by their config.json. Raises as `read_repository`."""
    listing = list_model(client, repository, commit)
    heads = []
    for file in listing.files:
        folder, _, name = file.name.partition("/")
        if name != "config.json":
            continue
        config = _parsed(_small_file(client, listing, file.name, keep_in), CONFIG)
        inside = (file for file in listing.files if file.name.startswith(f"{folder}/"))
        size = sum(file.size for file in inside if file.name.endswith(".safetensors"))
        kind = kind_of_config(config)
        if size and kind is not None and can_run(kind):
            facts = replace(facts_of_config(config), inside=True, checked=True)
            head = Model(f"{repository}/{folder}", "search", bytes=size, weight_bytes=size, active_bytes=size)
            heads.append(replace(head, head=kind, config=config, facts=facts))
    return heads


def _variants(repository: Model, files: Listing) -> tuple[Model, ...]:
    """Describe the models in a repository's GGUF files, by size."""
    variants = []
    for name, (parts, missing) in gguf_models(files).items():
        size = sum(part.size for part in parts)
        variant = replace(repository, id=f"{repository.id}/{name}", bytes=size, weight_bytes=size, active_bytes=size)
        variant = replace(variant, roles=("main",), is_gguf_file=True)
        variants.append(
            replace(variant, problem="incomplete", detail=missing) if missing and not variant.problem else variant
        )
    return tuple(variants)


def _described(client: HubClient, name: str, revision: str = "main") -> tuple[str, Model]:
    commit, answer = describe(client, name, revision)
    return commit, _found({**answer, "id": name}) or Model(name, "search")


def _parsed(content: bytes | None, limits: JsonLimits) -> dict[str, Any]:
    """Return the object in the file; an empty one if the file is unusable."""
    try:
        value = parse(content or b"", limits)
    except UntrustedJsonError:
        return {}
    return value if isinstance(value, dict) else {}


def _small_file(client: HubClient, listing: Listing, name: str, keep_in: Path | None) -> bytes | None:
    file = next((file for file in listing.files if file.name == name), None)
    limit = (CONFIG if name.endswith("config.json") else TOKENIZER).size
    if file is None or file.size > limit:
        return None
    cached = keep_in / file.digest if keep_in is not None else None
    # If the disk refuses, the file is fetched again next time.
    if cached is not None:
        with suppress(UntrustedJsonError):
            content = read_bytes(cached, file.size)
            if matches_digest(content, file):
                return content
    content = _fetch(client, listing, file)
    if cached is not None:
        with suppress(OSError):
            write_atomically(cached, content)
    return content


def _fetch(client: HubClient, listing: Listing, file: RemoteFile) -> bytes:
    address = client.file_address(listing.repository, listing.commit, file.name)
    try:
        content = client.get_bytes(address, listing.repository, file.size)
    except ValueError as error:
        raise HubError("checksum", listing.repository, file=file.name) from error
    if not matches_digest(content, file):
        raise HubError("checksum", listing.repository, file=file.name)
    return content


def _found(item: dict[str, Any]) -> Model | None:
    try:
        name = parse_repository(str(item.get("id")))
    except HubError:
        return None
    tags = item.get("tags")
    tags = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    weights = item.get("safetensors")
    parameters = weights.get("total") if isinstance(weights, dict) else None
    is_gguf = "gguf" in tags and "mlx" not in tags
    gguf = item.get("gguf")
    architecture = gguf.get("architecture") if isinstance(gguf, dict) else None
    problem = ""
    if is_gguf and isinstance(architecture, str):
        # Not at the top: the package that knows GGUF's kinds is slow to import.
        from engine.gguf.architectures import refusal_of

        problem = refusal_of(architecture)
    return Model(
        name,
        "search",
        bytes=_count(item.get("usedStorage")),
        parameters=_count(parameters),
        licence=next((tag.removeprefix("license:") for tag in tags if tag.startswith("license:")), ""),
        # Until the configuration is read, only the name tells a head.
        head=kind_of_config({"architectures": [name.rpartition("/")[2]]}) or "",
        gated=bool(item.get("gated")),
        downloads=_count(item.get("downloads")),
        problem=problem,
        detail=str(architecture)[:80] if problem else "",
        is_gguf_file=is_gguf,
        base_model=base_of({**item, "tags": tags}),
    )


def _count(value: Any) -> int:
    return value if type(value) is int and 0 <= value < 2**63 else 0
