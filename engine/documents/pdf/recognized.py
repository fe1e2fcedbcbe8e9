"""What programs recognize in pictures: words with how sure the program is of them, and the text that they make."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from PIL.Image import Image

# A page is uncertain where more than a share of its letters are in words of which the program is not sure.
_MOST_UNSURE = 0.1


class Word(NamedTuple):
    """A word, or more in one line, with what names its paragraph and line, and the program's confidence, up to 100."""

    paragraph: Hashable
    line: Hashable
    confidence: float
    letters: str


class Confidences(NamedTuple):
    """What the confidences of a program mean.

    With a mean below `least_mean`, most letters of a page are wrong; a page is uncertain below `certain_mean`. Of words
    below `least_word`, the program is not sure.
    """

    least_mean: float
    certain_mean: float
    least_word: float


class Recognizer(Protocol):
    """Recognizes the words in a picture."""

    @property
    def confidences(self) -> Confidences: ...

    @property
    def works(self) -> bool: ...

    def words(self, picture: Image) -> list[Word]:
        """Return the words in a grey picture, in their order. Waits. Raises `NotRecognized` and `PictureFailed`."""
        ...

    def line_of(self, words: Iterable[str]) -> str:
        """Return the line that words make."""
        ...


class NotRecognized(Exception):
    """The recognizer does not work on this computer."""


class PictureFailed(Exception):
    """The recognizer failed for a picture, and may work for others."""


class RecognizedText(NamedTuple):
    """The text of a page that is a picture; "" if none could be recognized. `is_uncertain`: some may be wrong.

    `has_failed`: some that is seen is not in it, because the program failed, or because most of it would be wrong.
    """

    text: str
    is_uncertain: bool
    has_failed: bool = False


NOTHING = RecognizedText("", is_uncertain=False)


def sureness(words: Sequence[Word]) -> float:
    """Return how many letters there are, each as often as the program is sure of it, from 0 to 100 times."""
    return sum(word.confidence * len(word.letters) for word in words)


def mean_confidence(words: Sequence[Word]) -> float:
    """Return how sure the program is of a letter on average; 0 without letters."""
    return sureness(words) / max(1, _letters(words))


def text_of(words: Sequence[Word], recognizer: Recognizer) -> RecognizedText:
    """Return the text of a page's words; "" if most of its letters are likely to be wrong."""
    confidences = recognizer.confidences
    mean = mean_confidence(words)
    if mean < confidences.least_mean:
        return NOTHING._replace(has_failed=bool(words))
    paragraphs: list[str] = []
    for _, paragraph in groupby(words, lambda word: word.paragraph):
        lines = groupby(paragraph, lambda word: word.line)
        paragraphs.append("\n".join(recognizer.line_of(word.letters for word in line) for _, line in lines))
    unsure = _letters([word for word in words if word.confidence < confidences.least_word])
    is_uncertain = mean < confidences.certain_mean or unsure > _letters(words) * _MOST_UNSURE
    return RecognizedText("\n\n".join(paragraphs), is_uncertain)


def _letters(words: Sequence[Word]) -> int:
    return sum(len(word.letters) for word in words)
