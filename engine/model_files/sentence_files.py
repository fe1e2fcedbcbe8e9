"""What an embedding model's folder says for sentence-transformers: layers after the pooling, lengths, and prompts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadRequest, ModelNotUsable
from engine.files.bounded_json import JsonLimits, UntrustedJsonError, read_json, read_object
from engine.files.folder_paths import stays_inside

_LIMITS = JsonLimits(size=2**20, depth=8, containers=1_000, commas=10_000)
_PROMPTS = "config_sentence_transformers.json"
# The last parts of the types of modules: what makes the states, their pooling, and the scaling to length 1.
_OTHER_MODULES = ("Transformer", "Pooling", "Normalize")
_MOST_MODULES = 8
_LONGEST_PROMPT = 10_000
# What other servers call the two sides of a search.
_KINDS = {
    **dict.fromkeys(("query", "search_query"), ("query", "search_query", "retrieval.query")),
    **dict.fromkeys(
        ("document", "search_document", "passage"),
        ("document", "passage", "search_document", "retrieval.passage"),
    ),
}


class TextLimits(NamedTuple):
    """The most tokens of a text, None where the folder does not say, and whether its letters become small ones."""

    most_tokens: int | None
    lower_case: bool


def dense_folders(folder: Path) -> list[str]:
    """Return the subfolders of the linear layers through which a pooled state goes, in their order.

    Raises `ModelNotUsable` (unknown-architecture) for modules that are not known.
    """
    if not (folder / "modules.json").is_file():
        return []
    names = []
    for module in _modules(folder):
        kind = str(module.get("type", "")).rpartition(".")[2]
        path = module.get("path")
        if kind == "Dense" and path and stays_inside(folder, path):
            names.append(str(path))
        elif kind not in _OTHER_MODULES:
            raise ModelNotUsable(folder, "unknown-architecture", f"modules.json: {kind[:80]}")
    return names


def limits_of(folder: Path) -> TextLimits:
    """Return the limits of texts that the folder gives. Raises `ModelNotUsable` for a damaged file."""
    settings = _object(folder, "sentence_bert_config.json")
    most = settings.get("max_seq_length")
    return TextLimits(most if type(most) is int and most > 0 else None, settings.get("do_lower_case") is True)


def prompt_for(folder: Path, name: str | None) -> str:
    """Return what stands before each text: the folder's prompt of that name or, for None, the one that it always has.

    `name` may also be one of "query", "document" and other servers' words for these; a model that has no prompts at all
    has an empty one for them. Raises `BadRequest` for a name that the model does not have, and `ModelNotUsable`.
    """
    settings = _object(folder, _PROMPTS)
    given = settings.get("prompts")
    prompts = {
        key: text
        for key, text in (given.items() if isinstance(given, Mapping) else ())
        if isinstance(text, str) and len(text) <= _LONGEST_PROMPT
    }
    if name is None:
        return prompts.get(str(settings.get("default_prompt_name")), "")
    names = (name, *_KINDS.get(name, ()))
    prompt = next((prompts[known] for known in names if known in prompts), None)
    if prompt is None and (prompts or name not in _KINDS):
        expected = f"one of {', '.join(sorted(prompts))}" if prompts else "absent: the model has no prompts"
        raise BadRequest("prompt_name", expected, name)
    return prompt or ""


def _modules(folder: Path) -> list[dict[str, Any]]:
    try:
        modules = read_json(folder / "modules.json", _LIMITS)
    except UntrustedJsonError as error:
        raise ModelNotUsable(folder, "damaged", f"modules.json ({error})") from error
    if not isinstance(modules, list) or len(modules) > _MOST_MODULES:
        raise ModelNotUsable(folder, "damaged", "modules.json")
    if not all(isinstance(module, dict) for module in modules):
        raise ModelNotUsable(folder, "damaged", "modules.json")
    return modules


def _object(folder: Path, name: str) -> dict[str, Any]:
    if not (folder / name).is_file():
        return {}
    try:
        return read_object(folder / name, _LIMITS)
    except UntrustedJsonError as error:
        raise ModelNotUsable(folder, "damaged", f"{name} ({error})") from error
