"""How text becomes searchable: folding, then words for scripts with spaces and overlapping pairs for those
without.

Folding removes what a reader does not search for: case, width, Latin accents, the way a syllable is composed.
A run of Chinese, Japanese, Korean or Thai characters (and emoji) becomes one token a character: the character
with its right neighbour, and the last one alone. So every character starts exactly one token, a word of two
or more is a phrase of pairs, and a single character is a prefix. Everything else becomes words, cut at
underscores too.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

# Scripts written without spaces between words, or with endings attached (Hangul); then symbols and emoji.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2600-\u27bf\u3005-\u3007\u3041-\u3096\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003ffff"
)
WORD = rf"[^\W_{UNSPACED}]"
# Compiled by `re` when they are first used, not by a start.
_RUNS = rf"([{UNSPACED}]+)|{WORD}+"
_ASCII_WORDS = r"[a-z0-9]+"

# What composes with the character before it: accents, Hangul vowels and finals, kana voicing marks.
_MARKS = "\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f"
_ACCENTS = "[\u0300-\u036f]+"

# FTS5 cuts tokens at 32 KiB; no typed word is that long, and base64 would swell the index.
LONGEST_WORD = 64


class Run(NamedTuple):
    """A stretch of folded text in one kind of script."""

    text: str
    unspaced: bool


@cache
def _clusters() -> re.Pattern[str]:
    return re.compile(rf"[^{_MARKS}]?[{_MARKS}]+")


def _fold_cluster(cluster: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", cluster).casefold())
    return unicodedata.normalize("NFC", re.sub(_ACCENTS, "", decomposed))


class _FoldTable(dict[int, str]):
    """For str.translate: folds a character when it is first met."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_cluster(chr(code))
        return folded


_FOLDED = _FoldTable()


def fold(text: str) -> str:
    """Text as the index sees it: two spellings that a reader takes for the same fold to the same string."""
    if text.isascii():
        return text.lower()
    return _clusters().sub(lambda match: _fold_cluster(match[0]), text).translate(_FOLDED)


def fold_with_offsets(text: str) -> tuple[str, list[int] | None]:
    """The folded text, and for each of its characters and its end the index in `text` that it comes from.

    The list is None where both have the same characters at the same indices, as nearly always.
    """
    folded = fold(text)
    # A character alone never folds to nothing, so equal lengths without clusters mean one for one.
    if len(folded) == len(text) and not _clusters().search(text):
        return folded, None
    offsets: list[int] = []
    index = 0
    pieces: list[str] = []
    clusters = _clusters()
    while index < len(text):
        cluster = clusters.match(text, index)
        piece = cluster[0] if cluster else text[index]
        folded_piece = _fold_cluster(piece) if cluster else _FOLDED[ord(piece)]
        pieces.append(folded_piece)
        offsets.extend([index] * len(folded_piece))
        index += len(piece)
    offsets.append(len(text))
    return "".join(pieces), offsets


def runs(folded: str) -> list[Run]:
    """The searchable stretches of a folded text in order; between them is punctuation and space."""
    return [Run(match[0], match[1] is not None) for match in re.finditer(_RUNS, folded)]


def run_tokens(run: Run) -> list[str]:
    """The tokens that the index holds for a run."""
    if not run.unspaced:
        return [run.text[:LONGEST_WORD]]
    return [run.text[index : index + 2] for index in range(len(run.text))]


def index_text(text: str | None) -> str:
    """What is put into the full-text index for a message: its tokens with spaces between them."""
    if not text:
        return ""
    if text.isascii():
        return " ".join(word[:LONGEST_WORD] for word in re.findall(_ASCII_WORDS, text.lower()))
    return " ".join(token for run in runs(fold(text)) for token in run_tokens(run))
