"""How people really type: no capitals, no question mark, slips, a word too many or too few.

Applied to a wording before its slots are filled, so what a question is about stays intact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

_SPACED = ("en", "ko")
_FINAL_SIGNS = ".?!。？！…"


def disturb(text: str, language: str, rng: random.Random, prefixes: Sequence[str], suffixes: Sequence[str]) -> str:
    """Return `text` as somebody in a hurry might type it; about a third of all texts do not change."""
    if rng.random() < 0.35:
        return text
    if rng.random() < 0.3:
        text = rng.choice(prefixes) + _lowered_first(text, rng)
    if rng.random() < 0.2:
        text = text.rstrip(_FINAL_SIGNS) + rng.choice(suffixes) if not text.endswith(">") else text
    if rng.random() < 0.25 and not text.endswith(">"):
        text = text.rstrip(_FINAL_SIGNS)
    if rng.random() < 0.2:
        text = _slip(text, language, rng)
    if language == "en":
        text = _recased(text, rng)
    return text


def rephrase(text: str, language: str, rng: random.Random, sets: Sequence[Sequence[str]]) -> str:
    """`text` with one or two of its wordings replaced by others of their set."""
    wanted = rng.choice((1, 1, 2))
    for wordings in rng.sample(sets, len(sets)):
        if wanted == 0:
            break
        place = _first_of(text, wordings, language)
        if place is not None:
            start, end = place
            text = text[:start] + rng.choice(wordings) + text[end:]
            wanted -= 1
    return text


def _first_of(text: str, wordings: Sequence[str], language: str) -> tuple[int, int] | None:
    """Start and end of the longest of `wordings` in `text`, outside slots; whole words in English."""
    folded = text.casefold()
    for wording in sorted(wordings, key=len, reverse=True):
        start = folded.find(wording.casefold())
        end = start + len(wording)
        if start < 0 or text.count("<", 0, start) > text.count(">", 0, start):
            continue
        around = text[start - 1 : start] + text[end : end + 1]
        if language != "en" or not any(character.isalnum() for character in around):
            return start, end
    return None


def drop_words(text: str, language: str, rng: random.Random, share: float) -> str:
    """`text` without about `share` of its words (characters where a language does not write spaces)."""
    separator = " " if language in _SPACED else ""
    pieces = text.split(" ") if separator else list(text)
    kept = [piece for piece in pieces if rng.random() >= share]
    return separator.join(kept) if len(kept) * 2 > len(pieces) else text


def splice(text: str, other: str, language: str, rng: random.Random) -> str:
    """The beginning of `text`, then the end of `other`: what both ask for shows in either half."""
    separator = " " if language in _SPACED else ""
    pieces, others = (wording.split(" ") if separator else list(wording) for wording in (text, other))
    return separator.join(pieces[: rng.randint(1, len(pieces))] + others[rng.randint(0, len(others) - 1) :])


def _lowered_first(text: str, rng: random.Random) -> str:
    return text[:1].lower() + text[1:] if rng.random() < 0.7 else text


def _recased(text: str, rng: random.Random) -> str:
    draw = rng.random()
    if draw < 0.35:
        return _outside_slots(text, str.lower)
    if draw < 0.40:
        return _outside_slots(text, str.upper)
    if draw < 0.75:
        return text[:1].upper() + text[1:]
    return text


def _outside_slots(text: str, change: Callable[[str], str]) -> str:
    parts = text.split("<")
    changed = [change(parts[0])]
    for part in parts[1:]:
        name, _, rest = part.partition(">")
        changed.append(f"{name}>{change(rest)}")
    return "<".join(changed)


def _slip(text: str, language: str, rng: random.Random) -> str:
    """One letter swapped with its neighbour, doubled or lost, or (spaced scripts) a space lost."""
    places = [
        index
        for index in range(1, len(text) - 1)
        if text[index].isalpha() and text[index + 1].isalpha() and _is_outside_slot(text, index)
    ]
    if not places:
        return text
    place = rng.choice(places)
    draw = rng.random()
    if language == "ko" and draw < 0.6 and " " in text and "<" not in text:
        spaces = [index for index, character in enumerate(text) if character == " "]
        place = rng.choice(spaces)
        return text[:place] + text[place + 1 :]
    if draw < 0.35:
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    if draw < 0.55:
        return text[:place] + text[place] + text[place:]
    return text[:place] + text[place + 1 :]


def _is_outside_slot(text: str, index: int) -> bool:
    """Whether the letter at `index` and the next stand outside slots and Korean particles."""
    before = text[: index + 2]
    return before.count("<") == text[:index].count(">") and before.count("[") == text[:index].count("]")
