"""Which question of the help somebody means, in their own words and with their own spelling.

A question is compared with wordings of all that the help answers, by the pieces of words that they share: a piece that
few facts have counts most. Before, English words that no wording has are replaced by similar ones. No Qt in here.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from math import log, sqrt
from threading import Lock
from typing import NamedTuple, TypeAlias

from app.session.tandem_help import Fact, known_facts, other_wordings, refusal
from engine.grammars.grammar import Grammar, choice_of

_HANGUL = re.compile("[\uac00-\ud7a3\u3131-\u318e]")
_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]+")
_LATIN_WORD = re.compile("[a-z]+")
# How many letters a piece has. Syllables of Hangul are taken apart, and Han characters are words already.
_PIECES = {"en": (2, 4), "ko": (2, 4), "ja": (1, 2), "zh": (1, 2)}
# In characters: what is longer is a text that was pasted or piped, whose words say nothing about what is asked.
_LONGEST_QUESTION = 300
# Shorter words have too many neighbours: "mode" is not "more".
_LEAST_LETTERS = 4
# From this many letters on, two slips are allowed in a word instead of one.
_MANY_LETTERS = 7
# A fact is as similar as the mean of this many of its wordings: one alone may be there by chance.
_WORDINGS = 3
# A wording that is so similar differs in what no topic has alone.
_SAME = 0.999
# The square of the weight of a piece that no wording has.
_UNKNOWN = 0.4
# The wordings that are looked at, so that those of all facts that come into question are among them.
_NEAREST = 60
# A fact is sure if it is at least so similar, and by this factor more than any other one and than small talk. With 1.2,
# of 100 questions with two slips 1 to 4 surely mean a wrong fact, with 1.4 at most 2.
_SURE = 0.35
_AHEAD = 1.4
# From here on, or if it is so far ahead, a question is about Tandem, unless it is more similar to small talk. Of 37
# other questions that were chosen for their words, 7 reach it.
_ABOUT_TANDEM = 0.3
# Below that, or if small talk is by more than this factor more similar, nothing of Tandem is named.
_LIKELY = 0.16
_BEHIND = 0.85
# The facts that come into question where none is sure.
_OFFERED = 3

# Who reads the wordings.
_READING = Lock()

# A fact, or the number of another topic.
_Topic: TypeAlias = Fact | int


class Meant(NamedTuple):
    """The facts that a question may mean in its `language`, the likeliest first; none if it is not about Tandem.

    There is one if it is sure, else up to three. `is_about_tandem` is False if the question may be about other things.
    """

    language: str
    facts: tuple[Fact, ...]
    is_about_tandem: bool


NOTHING = Meant("en", (), False)


def meant_by(question: str) -> Meant:
    """Return what a question means. A text of more than 300 characters means nothing.

    The first question in a language takes some tenths of a second, others less than a thousandth.
    """
    text = question.strip()
    return _meant_by(text) if len(text) <= _LONGEST_QUESTION else NOTHING


def grammar_of_help(question: str, begun: str = "") -> Grammar | None:
    """Return what the Starter may answer to a question about Tandem; None if it may say anything.

    That is what the help says of the fact that the question means most likely, or, if it may be about other things,
    that it cannot answer. `begun` is the beginning of an answer that goes on.
    """
    meant = meant_by(question)
    possible = [fact.answers[meant.language] for fact in meant.facts[:1]]
    if possible and not meant.is_about_tandem:
        possible.append(refusal(meant.language))
    rests = [text.removeprefix(begun) for text in possible if text.startswith(begun) and text != begun]
    return choice_of(rests) if rests else None


def prepare() -> None:
    """Read the wordings of all languages, so that no question waits for that. On any thread but that of a window."""
    with _READING:
        for language in _PIECES:
            _index(language)


def is_prepared() -> bool:
    """Return whether the wordings of all languages have been read. Before, `meant_by` is too slow for a window."""
    return _index.cache_info().currsize == len(_PIECES)


@lru_cache(maxsize=256)
def _meant_by(question: str) -> Meant:
    by_language = {language: _index(language).similar(question) for language in _languages_of(question)}
    language = max(by_language, key=lambda language: _likeness(language, question, by_language[language]))
    by_topic = by_language[language]
    similar = {topic: value for topic, value in by_topic.items() if isinstance(topic, Fact)}
    other = max((value for topic, value in by_topic.items() if not isinstance(topic, Fact)), default=0.0)
    ranked = sorted(similar, key=similar.__getitem__, reverse=True)[:_OFFERED]
    best, second = (*(similar[fact] for fact in ranked), 0.0, 0.0)[:2]
    is_ahead = best >= _AHEAD * max(second, other)
    if best >= _SURE and is_ahead:
        return Meant(language, tuple(ranked[:1]), True)
    if best >= _LIKELY and best >= _BEHIND * other:
        return Meant(language, tuple(ranked), is_ahead or best >= max(_ABOUT_TANDEM, other))
    return Meant(language, (), False)


def _likeness(language: str, question: str, similar: Mapping[_Topic, float]) -> tuple[int, float]:
    """Return how likely it is that a question is in a language: Japanese without kana has other characters."""
    return _index(language).known_han(question), max(similar.values(), default=0.0)


def _languages_of(text: str) -> tuple[str, ...]:
    if _HANGUL.search(text):
        return ("ko",)
    if _KANA.search(text):
        return ("ja",)
    return ("zh", "ja") if _HAN.search(text) else ("en",)


@cache
def _index(language: str) -> _Index:
    wordings: list[tuple[_Topic, str]] = []
    for number, texts in enumerate(other_wordings(language)):
        wordings += [(number, text) for text in texts]
    for fact in known_facts():
        wordings += [(fact, text) for text in (*fact.wordings[language], fact.questions[language])]
    return _Index(wordings, _PIECES[language])


class _Index:
    """Wordings of facts and of other topics, by pieces of as many letters as `sizes` says."""

    def __init__(self, wordings: Sequence[tuple[_Topic, str]], sizes: tuple[int, ...]) -> None:
        import numpy as np  # delays a start by a tenth of a second

        self._sizes = sizes
        self._topics = [topic for topic, _ in wordings]
        texts = [_words(text) for _, text in wordings]
        self._words = Counter(word for words in texts for word in words if _LATIN_WORD.fullmatch(word))
        numbers_of: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(texts):
            for piece in self._pieces(words):
                numbers_of[piece].append(number)
        sizes_by_topic = Counter(self._topics)
        self._weights = {piece: self._weight(numbers, sizes_by_topic) for piece, numbers in numbers_of.items()}
        self._numbers = {piece: np.array(numbers) for piece, numbers in numbers_of.items()}
        squares = np.zeros(len(texts))
        for piece, numbers in self._numbers.items():
            squares[numbers] += self._weights[piece] ** 2
        self._lengths = np.sqrt(np.maximum(squares, 1e-9))

    def known_han(self, question: str) -> int:
        """Return how many of the pieces of a question that are Han characters the wordings have."""
        pieces = self._pieces(_words(question))
        return sum(piece in self._weights for piece in pieces if _HAN.fullmatch(piece))

    def similar(self, question: str) -> dict[_Topic, float]:
        """Return the topics of the nearest wordings with their similarity to a question, from 0 to 1.

        A topic that has just this wording has 1.
        """
        import numpy as np

        pieces = self._pieces(self._corrected(_words(question)))
        known = [piece for piece in pieces if piece in self._weights]
        if not known:
            return {}
        length = sqrt(sum(self._weights[piece] ** 2 for piece in known) + _UNKNOWN * (len(pieces) - len(known)))
        shared = np.zeros(len(self._topics))
        for piece in known:
            shared[self._numbers[piece]] += self._weights[piece] ** 2
        similarity = shared / self._lengths / length
        nearest = np.argpartition(-similarity, _NEAREST)[:_NEAREST]
        by_topic: dict[_Topic, list[float]] = defaultdict(list)
        for number in nearest[np.argsort(-similarity[nearest])]:
            by_topic[self._topics[number]].append(float(similarity[number]))
        least = float(similarity[nearest].min())
        return {topic: _mean_of_best(values, least) for topic, values in by_topic.items()}

    def _weight(self, numbers: Sequence[int], sizes_by_topic: Counter[_Topic]) -> float:
        """Return 1 for a piece that one fact has alone, and 0 for one that all have as often."""
        by_topic = Counter(self._topics[number] for number in numbers)
        shares = [count / sizes_by_topic[topic] for topic, count in by_topic.items()]
        total = sum(shares)
        spread = -sum(share / total * log(share / total) for share in shares)
        return max(0.0, 1.0 - spread / log(len(sizes_by_topic)))

    def _pieces(self, words: Iterable[str]) -> set[str]:
        """Return the pieces of words, of what they are without spaces, and whole English words, which count twice."""
        words = list(words)
        texts = ("".join(words), *(f" {word} " for word in words))
        pieces = {
            text[start : start + size]
            for text in texts
            for size in self._sizes
            for start in range(len(text) - size + 1)
        }
        whole = [word for word in words if _LATIN_WORD.fullmatch(word)]
        return pieces.union(*({f"<{word}", f"{word}>"} for word in whole))

    def _corrected(self, words: Sequence[str]) -> Iterator[str]:
        """Yield the words, each that no wording has as the most similar one that some have."""
        unknown = {word for word in words if word not in self._words and _LATIN_WORD.fullmatch(word)}
        corrected = {word: self._similar_word(word) for word in unknown if len(word) >= _LEAST_LETTERS}
        for word in words:
            yield corrected.get(word, word)

    def _similar_word(self, word: str) -> str:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        slips = 1 if len(word) < _MANY_LETTERS else 2
        words = process.extract(word, self._choices, scorer=OSA.distance, score_cutoff=slips, limit=5)
        ranked = ((-slips, other[0] == word[0], self._words[other], other) for other, slips, _ in words)
        return max(ranked, default=(0, False, 0, word))[-1]

    @cached_property
    def _choices(self) -> list[str]:
        return [word for word in self._words if len(word) >= _LEAST_LETTERS - 1]


def _mean_of_best(similarities: list[float], least: float) -> float:
    """Return how similar a topic is, from the similarities of its wordings, the best one first; others have `least`."""
    if similarities[0] > _SAME:
        return 1.0
    return sum((similarities + [least] * _WORDINGS)[:_WORDINGS]) / _WORDINGS


def _words(text: str) -> list[str]:
    """Return the words of a text without case, accents and other forms of letters; syllables of Hangul taken apart."""
    return re.findall(r"\w+", unicodedata.normalize("NFKD", text.casefold()))
