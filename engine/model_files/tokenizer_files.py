"""Reads vocabularies from tokenizer.json and compares them by the ids of their tokens.

Speculation passes ids between two models, so only the map from ids to strings counts, not how a tokenizer splits text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.files.bounded_json import TOKENIZER, UntrustedJsonError, read_object


@dataclass(frozen=True, slots=True)
class VocabularyComparison:
    """How two vocabularies relate: same, extended (one has more tokens, all shared ids agree) or different.

    `extra` counts the tokens that only one of them has; `shared` is the share (0 to 1) of the draft model's strings
    that the main model also has, under any id.
    """

    relation: str
    extra: int = 0
    shared: float = 1.0


def vocabulary_in(content: dict[str, Any]) -> dict[str, int]:
    """Return the ids by token string of a parsed tokenizer.json, added tokens included; empty without a vocabulary."""
    model = content.get("model")
    tokens = model.get("vocab") if isinstance(model, dict) else None
    vocabulary: dict[str, int] = {}
    if isinstance(tokens, dict):
        vocabulary = {token: id_ for token, id_ in tokens.items() if type(id_) is int}
    elif isinstance(tokens, list):
        pieces = ((id_, entry) for id_, entry in enumerate(tokens) if isinstance(entry, list) and entry)
        vocabulary = {entry[0]: id_ for id_, entry in pieces if isinstance(entry[0], str)}
    added = content.get("added_tokens")
    for entry in added if vocabulary and isinstance(added, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("content"), str) and type(entry.get("id")) is int:
            vocabulary[entry["content"]] = entry["id"]
    return vocabulary


def fingerprint(vocabulary: dict[str, int]) -> str:
    """Return a hash that two vocabularies share exactly if every id stands for the same string in both."""
    digest = hashlib.sha256()
    for token, id_ in sorted(vocabulary.items(), key=lambda item: (item[1], item[0])):
        digest.update(f"{id_}\0{token}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def compare(main: dict[str, int], draft: dict[str, int]) -> VocabularyComparison:
    """Return how the draft model's vocabulary relates to the main model's."""
    if main == draft:
        return VocabularyComparison("same")
    common = main.keys() & draft.keys()
    extra = len(main) + len(draft) - 2 * len(common)
    agree = all(main[token] == draft[token] for token in common)
    if agree and _ids_are_unambiguous(main, draft, common) and len(common) >= 0.9 * max(len(main), len(draft)):
        return VocabularyComparison("extended", extra)
    return VocabularyComparison("different", extra, len(common) / max(len(draft), 1))


@lru_cache(maxsize=8)
def _vocabulary_at(path: Path, modified_ns: int) -> dict[str, int]:  # noqa: ARG001
    """Return the vocabulary in a tokenizer.json, cached until the file changes."""
    if vocabulary := vocabulary_in(read_object(path, TOKENIZER)):
        return vocabulary
    raise UntrustedJsonError("no vocabulary")


def read_folder(folder: Path) -> dict[str, int]:
    """Return the vocabulary of a model folder. Raises `UntrustedJsonError`, also if there is no tokenizer.json."""
    path = folder / "tokenizer.json"
    try:
        # First: resolving a link to itself does not raise OSError.
        modified_ns = path.stat().st_mtime_ns
        return _vocabulary_at(path.resolve(), modified_ns)
    except OSError as error:
        raise UntrustedJsonError("no tokenizer.json") from error


def is_tekken(folder: Path, config: Mapping[str, Any]) -> bool:
    """Whether a Mistral's vocabulary is its makers' own, Tekken.

    Many conversions of it split text by another model's rule, which transformers then has to be told to mend; it would
    also replace the rule of other vocabularies.
    """
    if config.get("model_type") not in ("mistral", "mistral3", "ministral", "pixtral", "voxtral"):
        return False
    try:
        vocabulary = read_folder(folder)
    except UntrustedJsonError:
        return False
    return [vocabulary.get(token) for token in ("[INST]", "[AVAILABLE_TOOLS]")] == [3, 5]


def _ids_are_unambiguous(main: dict[str, int], draft: dict[str, int], common: set[str]) -> bool:
    only_main = {id_ for token, id_ in main.items() if token not in common}
    return not any(id_ in only_main for token, id_ in draft.items() if token not in common)
