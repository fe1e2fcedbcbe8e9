"""Bounds how much longer a text a tokenizer may make, by the replacements in its normalizer and its decoder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

# Published normalizers replace a space by a character of three bytes; three replacements by a thousand characters each
# would fill the memory.
MOST_GROWTH = 2**10
# The main model's decoder runs in the engine's process, for each token of an answer. Published decoders replace a
# character by a space and have no regular expressions; one with repetitions could run forever.
MOST_DECODER_GROWTH = 2**4
_REPEATS = frozenset("*+?{")


def grows_without_bounds(tokenizer: Mapping[str, Any]) -> bool:
    """Whether a parsed tokenizer.json can make thousands of characters of one, or run for any time.

    The first may be done by its normalizer or its decoder, the second only by its decoder.
    """
    decoder = tokenizer.get("decoder")
    return (
        any(_growth(tokenizer.get(part)) > MOST_GROWTH for part in ("normalizer", "pre_tokenizer"))
        or _growth(decoder) > MOST_DECODER_GROWTH
        or any(_repeats(step.get("pattern")) for step in _steps(decoder))
    )


def _repeats(pattern: object) -> bool:
    regex = pattern.get("Regex") if isinstance(pattern, Mapping) else None
    return isinstance(regex, str) and not _REPEATS.isdisjoint(regex)


def _growth(part: object) -> int:
    growth = 1
    for step in _steps(part):
        for key in ("content", "prepend", "replacement", "prefix", "suffix"):
            inserted = step.get(key)
            if isinstance(inserted, str):
                # A pattern that matches the empty string inserts the text between all characters.
                growth *= max(1, len(inserted))
        if growth > MOST_GROWTH:
            break
    return growth


def _steps(part: object) -> Iterator[Mapping[str, Any]]:
    pending = [part]
    while pending:
        step = pending.pop()
        if isinstance(step, Mapping):
            yield step
            pending += [item for key in ("normalizers", "decoders", "pretokenizers") for item in step.get(key) or ()]
