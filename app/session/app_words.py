"""Whether a question names a word of the app, also a misspelt one. No Qt in here."""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import NamedTuple

from app.session.starter_words import plain_words, starter_words

# In characters: what is longer is a text that was pasted or piped, which has words of the app by chance.
_LONGEST_QUESTION = 300
# How alike a misspelt word is, by `difflib`: a letter may be missing or too many, in nine letters one may be another.
# With 0.8, a hundred of the 20,000 most frequent English words are taken for a word of the app, such as "motel".
_LEAST_ALIKE = 0.88
# In characters, of words that misspelt ones are taken for: shorter ones are like too many others, as "chat" is "chart".
_SHORTEST = {"en": 5, "ko": 3, "ja": 4}
_LATIN = re.compile("[A-Za-z]{4,}")
_HANGUL = re.compile("[\uac00-\ud7a3]{2,}")
_KATAKANA = re.compile("[\u30a1-\u30fc]{3,}")
# A number alone names nothing.
_NAME = re.compile(r"\b(?!\d+\b)\w+")
_CALCULATION = re.compile(r"\d\s*[-+*/x×÷=]\s*\d|(?<![A-Za-z\d.-])\d.*(?:how (?:many|much)|何|몇|多少|几)")
_QUOTED = re.compile('「.+?」|『.+?』|“.+?”|".+?"')


@lru_cache(maxsize=64)
def names_app(question: str) -> bool:
    """Return whether a question names the app: by a word of its own, or by most of what it names.

    A question that names nothing is about what is on the screen, unless it gives a calculation or quotes other texts.
    """
    short = question.strip()
    if not short or len(short) > _LONGEST_QUESTION:
        return False
    spelled = _spelled(short)
    if _expression("own").search(spelled):
        return True
    quoted = _QUOTED.findall(spelled)
    if _CALCULATION.search(spelled) or not all(_split_by_subject(text).of_app for text in quoted):
        return False
    split = _split_by_subject(spelled)
    named = _NAME.findall(starter_words("limits", "plain").sub(" ", split.other_words))
    foreign = [word for word in named if not _is_plain_misspelt(word)]
    if all(word.isascii() for word in foreign):
        return not foreign or split.of_app > len(foreign)
    # Korean, Japanese and Chinese verbs leave parts that name nothing.
    return split.of_app >= len(foreign)


class _SplitText(NamedTuple):
    """How many words of a text the window, its help and what belongs to them name, and the text without them."""

    of_app: int
    other_words: str


def _split_by_subject(text: str) -> _SplitText:
    without_window, of_window = _expression("window").subn(" ", text)
    beside = starter_words("limits", "tandem", "only_tandem", "beside")
    other_words, count_beside = beside.subn(" ", without_window)
    return _SplitText(of_window + count_beside, other_words)


def _spelled(question: str) -> str:
    """Return the question with its misspelt words of the app as they are spelled."""
    question = _LATIN.sub(lambda match: _latin(match[0].lower()), question)
    question = _HANGUL.sub(lambda match: _hangul(match[0]), question)
    return _KATAKANA.sub(lambda match: _katakana(match[0]), question)


def _latin(word: str) -> str:
    """Return the word of the app that this one resembles; the word itself if there is none, or if it is known."""
    is_known = starter_words("limits", "plain", "beside").fullmatch(word) or _expression("window").fullmatch(word)
    if is_known or _expression("own").fullmatch(word):
        return word
    singular = word.removesuffix("s")
    known = _by_first_letter("en").get(word[0], [])
    swapped = next((other for other in _swapped(singular) if other in known), "")
    return swapped or _closest(singular, known) or word


def _hangul(word: str) -> str:
    """Return a word with its particles, its beginning spelled as the word of the app that it resembles."""
    letters = unicodedata.normalize("NFD", word)
    for known in _by_first_letter("ko").get(letters[0], []):
        length = len(unicodedata.normalize("NFC", known))
        beginning = unicodedata.normalize("NFD", word[:length])
        if _closest(beginning, [known]):
            return unicodedata.normalize("NFC", known) + word[length:]
    return word


def _katakana(word: str) -> str:
    return _closest(word, _by_first_letter("ja").get(word[0], [])) or word


def _closest(word: str, known: list[str]) -> str:
    """Return the known word that a word resembles most; "" if it resembles none."""
    return next(iter(get_close_matches(word, known, 1, _LEAST_ALIKE)), "")


def _is_plain_misspelt(word: str) -> bool:
    """Return whether two letters that changed places make a word that every question may have: "teh", "dose"."""
    plain = starter_words("limits", "plain")
    return word.isascii() and word.isalpha() and any(plain.fullmatch(swapped) for swapped in _swapped(word))


def _swapped(word: str) -> list[str]:
    """Return a word in all ways with two neighbouring letters in each other's place, the first one excepted."""
    return [word[:index] + word[index + 1] + word[index] + word[index + 2 :] for index in range(1, len(word) - 1)]


@cache
def _by_first_letter(language: str) -> dict[str, list[str]]:
    """Return the words of the app that misspelt ones of a language may resemble, Korean ones as their letters."""
    by_first: dict[str, list[str]] = {}
    for word in (*plain_words("app", "own")[language], *plain_words("app", "window")[language]):
        if len(word) >= _SHORTEST[language] and " " not in word:
            letters = unicodedata.normalize("NFD", word) if language == "ko" else word
            by_first.setdefault(letters[0], []).append(letters)
    return by_first


@cache
def _expression(kind: str) -> re.Pattern[str]:
    """Return what finds the words of a kind, the longest first; English ones as whole words."""
    words = plain_words("app", kind)
    latin: list[str] = []
    others: list[str] = []
    for word in sorted((word for listed in words.values() for word in listed), key=len, reverse=True):
        (latin if word.isascii() else others).append(re.escape(word))
    return re.compile(rf"(?<![a-z])(?:{'|'.join(latin)})(?:s|es)?(?![a-z])|{'|'.join(others)}", re.IGNORECASE)
