"""Turns text into search tokens: folds it, then takes words of spaced scripts and overlapping pairs of the others.

Folding removes case, width, Latin accents and the way a syllable is composed. In a run of Chinese, Japanese, Korean or
Thai characters (and emoji), each character gives one token: itself with its right neighbour, the last one alone. So a
word of two or more characters is a phrase of pairs, and a single character is a prefix. Everything else becomes words,
which underscores separate too.
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
# Not compiled here, so that importing this module stays fast.
_RUNS = rf"([{UNSPACED}]+)|{WORD}+"
_ASCII_WORDS = r"[a-z0-9]+"

# Characters that compose with the one before: accents, Hangul vowels and finals, kana voicing marks.
_MARKS = "\u0300-\u036f\u1160-\u11ff\u3099\u309a\uff9e\uff9f"
_ACCENTS = "[\u0300-\u036f]+"

# Characters. Nobody types longer words, and base64 would swell the index.
LONGEST_WORD = 64


class ScriptRun(NamedTuple):
    """Consecutive characters of folded text, all of spaced or all of unspaced scripts."""

    text: str
    unspaced: bool


@cache
def _clusters() -> re.Pattern[str]:
    """Return the pattern of characters with marks, compiled when it is first needed."""
    return re.compile(rf"[^{_MARKS}]?[{_MARKS}]+")


def _fold_cluster(cluster: str) -> str:
    """Fold a character with the marks that compose with it."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", cluster).casefold())
    return unicodedata.normalize("NFC", re.sub(_ACCENTS, "", decomposed))


class _FoldTable(dict[int, str]):
    """A table for `str.translate` that folds a character when it first occurs."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_cluster(chr(code))
        return folded


_FOLDED = _FoldTable()


def fold(text: str) -> str:
    """Fold text, so that spellings that a reader takes for the same become the same string."""
    if text.isascii():
        return text.lower()
    return _clusters().sub(lambda match: _fold_cluster(match[0]), text).translate(_FOLDED)


def fold_with_offsets(text: str) -> tuple[str, list[int] | None]:
    """Return the folded text, and the index in `text` of each of its characters and of its end.

    The list is None where all indices are the same, as they nearly always are.
    """
    folded = fold(text)
    # No character alone folds to nothing, so equal lengths without clusters mean equal indices.
    if len(folded) == len(text) and not _clusters().search(text):
        return folded, None
    offsets = list[int]()
    pieces = list[str]()
    index = 0
    while index < len(text):
        cluster = _clusters().match(text, index)
        piece = cluster[0] if cluster else text[index]
        folded_piece = _fold_cluster(piece) if cluster else _FOLDED[ord(piece)]
        pieces.append(folded_piece)
        offsets.extend([index] * len(folded_piece))
        index += len(piece)
    offsets.append(len(text))
    return "".join(pieces), offsets


def runs(folded: str) -> list[ScriptRun]:
    """Return the runs of searchable characters in a folded text; punctuation and spaces separate them."""
    return [ScriptRun(match[0], match[1] is not None) for match in re.finditer(_RUNS, folded)]


def run_tokens(run: ScriptRun) -> list[str]:
    """Return the tokens that the index holds for a run."""
    if not run.unspaced:
        return [run.text[:LONGEST_WORD]]
    return [run.text[index : index + 2] for index in range(len(run.text))]


def index_text(text: str | None) -> str:
    """Return a message's tokens with spaces between them, for the full-text index."""
    if not text:
        return ""
    if text.isascii():
        return " ".join(word[:LONGEST_WORD] for word in re.findall(_ASCII_WORDS, text.lower()))
    return " ".join(token for run in runs(fold(text)) for token in run_tokens(run))
