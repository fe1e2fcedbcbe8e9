"""The vocabularies of two models, and the tokens that stand for the same bytes in both.

Tokenizers write the same text with different strings ("Ġthe", "▁the"), so tokens are matched by their bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import hexdigits
from typing import Protocol


class Tokenizer(Protocol):
    """The interface of Transformers' and mlx-lm's tokenizers that this module uses."""

    all_special_tokens: Sequence[str]

    def get_vocab(self) -> Mapping[str, int]:
        """Return every token's string and id, with added tokens."""


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer's strings with their ids; the strings in `special` are control tokens."""

    ids: Mapping[str, int]
    special: frozenset[str]

    @property
    def size(self) -> int:
        """One more than the largest id."""
        return max(self.ids.values(), default=-1) + 1


def vocabulary_of(tokenizer: Tokenizer) -> Vocabulary:
    """Return the vocabulary of a loaded tokenizer."""
    return Vocabulary(dict(tokenizer.get_vocab()), frozenset(tokenizer.all_special_tokens))


def mark_tokens(
    tokenizer: Tokenizer, pairs: Iterable[tuple[str, str]]
) -> tuple[tuple[str, int], tuple[str, int]] | None:
    """Return the first of the pairs of texts that are both single tokens, with their ids; None without one."""
    ids = tokenizer.get_vocab()
    single_tokens = (((start, ids[start]), (end, ids[end])) for start, end in pairs if start in ids and end in ids)
    return next(single_tokens, None)


def bytes_by_id(vocabulary: Vocabulary) -> list[bytes | None]:
    """Return the bytes that each id adds to a text, by id; None for control tokens and ids without a string."""
    marks = Counter(text[:1] for text in vocabulary.ids)
    to_bytes = _byte_level if marks["Ġ"] > marks["▁"] else _metaspace
    table: list[bytes | None] = [None] * vocabulary.size
    for text, token in vocabulary.ids.items():
        if text not in vocabulary.special:
            table[token] = to_bytes(text)
    return table


def parts_of_characters(vocabulary: Vocabulary) -> dict[int, bytes]:
    """Return the bytes of the ids whose bytes alone are no text, because a character is split over several tokens."""
    bytes_by_token = {}
    for token, value in enumerate(bytes_by_id(vocabulary)):
        try:
            (value or b"").decode()
        except UnicodeDecodeError:
            bytes_by_token[token] = value or b""
    return bytes_by_token


def tokens_by_bytes(vocabulary: Vocabulary) -> dict[bytes | str, int]:
    """Return the ids by the bytes that they add to a text; ids of control tokens by their strings.

    For the same byte an ordinary token ("A") replaces a byte-fallback token ("<0x41>"), as encoders prefer it.
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


# The printable characters of byte-level tokenizers for the 256 bytes (GPT-2's table).
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_ALPHABET = {chr(byte): byte for byte in _PRINTABLE}
_ALPHABET |= {chr(0x100 + at): byte for at, byte in enumerate(byte for byte in range(256) if byte not in _PRINTABLE)}


def _byte_level(text: str) -> bytes:
    """Return the bytes of a token's text in the alphabet of byte-level tokenizers."""
    try:
        return bytes(_ALPHABET[letter] for letter in text)
    except KeyError:
        # Added tokens are stored as plain text, outside the alphabet.
        return text.encode()


def _metaspace(text: str) -> bytes:
    byte = _fallback_byte(text)
    return text.replace("▁", " ").encode() if byte is None else bytes([byte])


def _fallback_byte(text: str) -> int | None:
    """Return the byte of a byte-fallback token ("<0x41>"), or None."""
    if len(text) == 6 and text.startswith("<0x") and text.endswith(">") and set(text[3:5]) <= set(hexdigits):
        return int(text[3:5], 16)
    return None
