"""Main and draft ids: whether two models speak the same ones, and how to get from one to the other when not.

Two tokenizers write the same text with different strings ("Ġthe", "▁the"), so everything here compares the bytes
that a token stands for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import hexdigits
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.model_files.bounded_json import TOKENIZER, read_object

PADDED_SHARE = 0.9
NO_ID = -1


class Tokenizer(Protocol):
    """What is needed of a tokenizer: Transformers' and mlx-lm's both have it."""

    all_special_tokens: Sequence[str]

    def get_vocab(self) -> Mapping[str, int]:
        """Every token's string and id, added ones too."""


@dataclass(frozen=True)
class Vocabulary:
    """The strings of a tokenizer with their ids, and which of them are control tokens rather than text."""

    ids: Mapping[str, int]
    special: frozenset[str]

    @property
    def size(self) -> int:
        """Rows that a model needs for these ids."""
        return max(self.ids.values(), default=-1) + 1


@dataclass(frozen=True, slots=True)
class VocabularyRelation:
    """How a draft's ids relate to the main model's.

    "same": every string has the same id in both. "padded": so it is for every string that both have, which is nearly
    all; ids that only one has must be masked. "different": one id can mean two things. `shared` is the share of
    the main model's strings that have the same id in the draft, and `misplaced_special` the control tokens of
    either that the other lacks or has elsewhere.
    """

    kind: Literal["same", "padded", "different"]
    shared: float
    misplaced_special: tuple[str, ...] = ()


def vocabulary_of(tokenizer: Tokenizer) -> Vocabulary:
    """The vocabulary of a loaded tokenizer."""
    return Vocabulary(dict(tokenizer.get_vocab()), frozenset(tokenizer.all_special_tokens))


def read_vocabulary(tokenizer_json: Path) -> Vocabulary:
    """The vocabulary in a tokenizer.json, without loading a tokenizer.

    Raises `engine.model_files.bounded_json.UntrustedJsonError` or ValueError where the file is not one.
    """
    content = read_object(tokenizer_json, TOKENIZER)
    added = _added_tokens(content)
    ids = _model_ids(content) | {text: token for text, token, _ in added}
    return Vocabulary(ids, frozenset(text for text, _, special in added if special))


def compare(main: Vocabulary, draft: Vocabulary) -> VocabularyRelation:
    """How `draft`'s ids relate to `main`'s."""
    agreeing = sum(draft.ids.get(text) == token for text, token in main.ids.items())
    shared = agreeing / max(1, len(main.ids))
    special = sorted(main.special | draft.special)
    misplaced = tuple(text for text in special if main.ids.get(text) != draft.ids.get(text))
    if agreeing == len(main.ids) == len(draft.ids):
        return VocabularyRelation("same", shared, misplaced)
    texts = {token: text for text, token in draft.ids.items()}
    conflict_free = all(
        draft.ids.get(text, token) == token and texts.get(token, text) == text for text, token in main.ids.items()
    )
    mostly = agreeing >= PADDED_SHARE * max(len(main.ids), len(draft.ids))
    return VocabularyRelation("padded" if conflict_free and mostly else "different", shared, misplaced)


def fingerprint(tokenizer_json: Path) -> str:
    """A hash of all that decides which ids a text gets: vocabulary, merges, normaliser, pre-tokeniser, special tokens.

    Equal for two files that differ only in layout, padding, truncation or post-processing. Raises as
    `read_vocabulary` does.
    """
    content = read_object(tokenizer_json, TOKENIZER)
    model = content.get("model")
    merges = model.get("merges") if isinstance(model, dict) else None
    decisive = {
        "ids": sorted(_model_ids(content).items()),
        "merges": [pair.split(" ") if isinstance(pair, str) else pair for pair in merges or []],
        "normalizer": content.get("normalizer"),
        "pre_tokenizer": content.get("pre_tokenizer"),
        "added": sorted(_added_tokens(content)),
    }
    canonical = json.dumps(decisive, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def bytes_by_id(vocabulary: Vocabulary) -> list[bytes | None]:
    """The bytes that each id adds to a text, by id; None for control tokens and ids without a string."""
    to_bytes = _byte_level if _is_byte_level(vocabulary.ids) else _metaspace
    table: list[bytes | None] = [None] * vocabulary.size
    for text, token in vocabulary.ids.items():
        if text not in vocabulary.special:
            table[token] = to_bytes(text)
    return table


@dataclass(frozen=True)
class TokenMap:
    """Tokens that stand for the same bytes in two vocabularies, one to one.

    `to_main` and `to_draft` are int32 arrays by draft and main id, `NO_ID` where the other side has no such token.
    """

    to_main: NDArray[np.int32]
    to_draft: NDArray[np.int32]

    @property
    def main_share(self) -> float:
        """The share of main ids that the draft can name."""
        return float(np.mean(self.to_draft != NO_ID)) if len(self.to_draft) else 0.0


def map_tokens(main: Vocabulary, draft: Vocabulary) -> TokenMap:
    """Match the tokens of two vocabularies by what they stand for; control tokens by their string."""
    main_keys, draft_keys = _keys(main), _keys(draft)
    to_main = np.full(draft.size, NO_ID, dtype=np.int32)
    to_draft = np.full(main.size, NO_ID, dtype=np.int32)
    for key, main_id in main_keys.items():
        draft_id = draft_keys.get(key)
        if draft_id is not None:
            to_main[draft_id] = main_id
            to_draft[main_id] = draft_id
    return TokenMap(to_main, to_draft)


def _keys(vocabulary: Vocabulary) -> dict[bytes | str, int]:
    """Bytes, or a control token's string, to id.

    A byte-fallback token ("<0x41>") yields to the ordinary one ("A"): nobody writes it where that exists.
    """
    keys: dict[bytes | str, int] = {text: vocabulary.ids[text] for text in vocabulary.special & vocabulary.ids.keys()}
    fallbacks: dict[bytes, int] = {}
    table = bytes_by_id(vocabulary)
    for text, token in vocabulary.ids.items():
        value = table[token]
        if value is None:
            continue
        if _fallback_byte(text) is not None:
            fallbacks[value] = token
        else:
            keys[value] = token
    return fallbacks | keys


def _model_ids(content: Mapping[str, Any]) -> dict[str, int]:
    model = content.get("model")
    vocabulary = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocabulary, dict) and all(isinstance(token, int) for token in vocabulary.values()):
        return vocabulary
    if isinstance(vocabulary, list) and all(isinstance(entry, list) and entry for entry in vocabulary):
        return {str(entry[0]): token for token, entry in enumerate(vocabulary)}
    raise ValueError("no vocabulary")


def _added_tokens(content: Mapping[str, Any]) -> list[tuple[str, int, bool]]:
    added = content.get("added_tokens") or []
    try:
        return [(str(token["content"]), int(token["id"]), bool(token["special"])) for token in added]
    except (KeyError, TypeError) as error:
        raise ValueError("not a list of added tokens") from error


def _alphabet() -> dict[str, int]:
    """The printable stand-ins that byte-level tokenizers write for the 256 bytes (GPT-2's table)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    stand_ins = {chr(byte): byte for byte in printable}
    return stand_ins | {chr(0x100 + index): byte for index, byte in enumerate(others)}


_ALPHABET = _alphabet()


def _is_byte_level(texts: Iterable[str]) -> bool:
    return sum(text.startswith("Ġ") - text.startswith("▁") for text in texts) > 0


def _byte_level(text: str) -> bytes:
    try:
        return bytes(_ALPHABET[letter] for letter in text)
    except KeyError:
        # An added token is written as it is, outside the alphabet.
        return text.encode()


def _metaspace(text: str) -> bytes:
    byte = _fallback_byte(text)
    return text.replace("▁", " ").encode() if byte is None else bytes([byte])


def _fallback_byte(text: str) -> int | None:
    """The byte of a byte-fallback token, "<0x41>"."""
    if len(text) == 6 and text.startswith("<0x") and text.endswith(">") and set(text[3:5]) <= set(hexdigits):
        return int(text[3:5], 16)
    return None
