"""Tokenizers compared from their tokenizer.json alone: which token has which id, and nothing else.

Speculation passes ids between two models, so what counts is the map from ids to strings; how a tokenizer
cuts text into tokens does not.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.model_files.bounded_json import TOKENIZER, UntrustedJsonError, read_object


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two tokenizers relate: `relation` is same, extended (one has more tokens, all shared ids agree)
    or different.

    `extra` is how many tokens only one of them has; `shared` the share of the draft's strings that the main
    model has under any id, 0 to 1.
    """

    relation: str
    extra: int = 0
    shared: float = 1.0


def read_vocabulary(path: Path) -> dict[str, int]:
    """Token string to id, added tokens included. Raises `UntrustedJsonError` for a file that is no
    tokenizer.
    """
    vocabulary = vocabulary_in(read_object(path, TOKENIZER))
    if not vocabulary:
        raise UntrustedJsonError("no vocabulary")
    return vocabulary


def vocabulary_in(content: dict[str, Any]) -> dict[str, int]:
    """The same out of a parsed tokenizer.json; empty where it holds no vocabulary."""
    model = content.get("model")
    tokens = model.get("vocab") if isinstance(model, dict) else None
    vocabulary: dict[str, int] = {}
    if isinstance(tokens, dict):
        vocabulary = {token: id_ for token, id_ in tokens.items() if type(id_) is int}
    elif isinstance(tokens, list):
        vocabulary = {entry[0]: id_ for id_, entry in enumerate(tokens) if _is_piece(entry)}
    added = content.get("added_tokens")
    for entry in added if vocabulary and isinstance(added, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("content"), str) and type(entry.get("id")) is int:
            vocabulary[entry["content"]] = entry["id"]
    return vocabulary


def fingerprint(vocabulary: dict[str, int]) -> str:
    """The same for two tokenizers exactly when every id stands for the same string."""
    digest = hashlib.sha256()
    for token, id_ in sorted(vocabulary.items(), key=lambda item: (item[1], item[0])):
        digest.update(f"{id_}\0{token}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def compare(main: dict[str, int], draft: dict[str, int]) -> Comparison:
    """How the draft's vocabulary relates to the main model's."""
    if main == draft:
        return Comparison("same")
    common = main.keys() & draft.keys()
    extra = len(main) + len(draft) - 2 * len(common)
    agree = all(main[token] == draft[token] for token in common)
    if agree and _no_id_means_two_things(main, draft, common) and len(common) >= 0.9 * max(len(main), len(draft)):
        return Comparison("extended", extra)
    return Comparison("different", extra, len(common) / max(len(draft), 1))


@lru_cache(maxsize=8)
def vocabulary_at(path: Path, modified_ns: int) -> dict[str, int]:
    """`read_vocabulary`, remembered for as long as the file does not change."""
    del modified_ns
    return read_vocabulary(path)


def read_folder(folder: Path) -> dict[str, int]:
    """The vocabulary of a model folder. Raises `UntrustedJsonError`, also when there is no tokenizer.json."""
    path = folder / "tokenizer.json"
    try:
        # First, because resolving a link that leads to itself is no OSError.
        modified_ns = path.stat().st_mtime_ns
        return vocabulary_at(path.resolve(), modified_ns)
    except OSError as error:
        raise UntrustedJsonError("no tokenizer.json") from error


def _no_id_means_two_things(main: dict[str, int], draft: dict[str, int], common: set[str]) -> bool:
    only_main = {id_ for token, id_ in main.items() if token not in common}
    return not any(id_ in only_main for token, id_ in draft.items() if token not in common)


def _is_piece(entry: Any) -> bool:
    return isinstance(entry, list) and bool(entry) and isinstance(entry[0], str)
