"""The text of pages that are pictures, where this computer has Tesseract, which recognizes letters."""

from __future__ import annotations

import csv
import re
from functools import cached_property
from io import BytesIO, StringIO
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from engine.documents.programs import output_of, program_at

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdf import PageObject

# Pages that are recognized of one file. Each takes a few seconds of the program's computing.
MOST_PAGES = 40
# Seconds for a page.
_PAGE_S = 25
# The languages of the window, by Tesseract's names, if it has them. It takes longer with more.
_LANGUAGES = ("eng", "kor", "jpn", "chi_sim")
# Pictures with a shorter side are no scans: they are signs and lines.
_SHORTEST_SIDE = 100
# The most pixels of a picture: 600 points an inch on a page of A3.
_MOST_PIXELS = 70_000_000
# Tesseract's ways to look at a page: it finds columns by 3, but loses whole lines, most often of Korean; 6 takes the
# page for one block. That counts if it finds so many times as much.
_WITH_COLUMNS = "3"
_ONE_BLOCK = "6"
_MUCH_MORE = 1.1
# Lines that are this share of a picture's width are no strokes of letters, but those of a grid.
_RULE_SHARE = 1 / 10
_INK = 255
# Tesseract's confidence in a word, from 0 to 100. With a mean below the first, most letters of a page are wrong; a page
# is uncertain below the second, or where more than a share of its letters have less than the first. Of pages made of
# text in four languages, those that were certain had at most one letter in ten wrong.
_LEAST_MEAN = 60
_CERTAIN_MEAN = 80
_MOST_UNSURE = 0.1
# Spaces that it puts between words of Chinese and Japanese.
_BETWEEN_SIGNS = re.compile(
    r"(?<=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff5e]) (?=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff5e])"
)


class RecognizedText(NamedTuple):
    """The text of a page that is a picture; "" if none could be recognized. `is_uncertain`: some may be wrong."""

    text: str
    is_uncertain: bool


class _Word(NamedTuple):
    """A word that was recognized, with the numbers of its paragraph and line, and Tesseract's confidence."""

    paragraph: tuple[str, str]
    line: str
    confidence: float
    letters: str


class PageRecognition:
    """Recognizes the pages of one file, up to `MOST_PAGES`."""

    def __init__(self) -> None:
        self._left = MOST_PAGES

    def text_of(self, page: PageObject) -> RecognizedText:
        """Return the text in the pictures of a page; "" if there is none, or nothing here recognizes it. Waits.

        Raises what Pillow and pypdf raise for damaged pictures.
        """
        if not self._left or not self._languages:
            return RecognizedText("", is_uncertain=False)
        self._left -= 1
        words = [self._recognized(picture, page.rotation) for file in page.images if (picture := file.image)]
        return _text_of([word for of_picture in words for word in of_picture])

    def _recognized(self, picture: Image, rotation: int) -> list[_Word]:
        """Return the words in a picture that the page turns clockwise by `rotation` degrees."""
        if min(picture.size) < _SHORTEST_SIDE or picture.width * picture.height > _MOST_PIXELS:
            return []
        file = BytesIO()
        # Grey is all that it looks at.
        without_rules(picture.convert("L").rotate(-rotation, expand=True)).save(file, "PPM")
        columns = self._words(file.getvalue(), _WITH_COLUMNS)
        block = self._words(file.getvalue(), _ONE_BLOCK)
        return block if _sureness(block) > _MUCH_MORE * _sureness(columns) else columns

    def _words(self, picture: bytes, layout: str) -> list[_Word]:
        """Return the words in the file of a picture, looked at in one of Tesseract's ways."""
        command = [self._program, "stdin", "stdout", "-l", "+".join(self._languages), "--psm", layout, "tsv"]
        return _words_in(output_of(command, picture, _PAGE_S).decode("utf-8", "replace"))

    @cached_property
    def _program(self) -> str:
        return program_at("tesseract")

    @cached_property
    def _languages(self) -> list[str]:
        """The languages that are installed; none without the program."""
        if not self._program:
            return []
        installed = output_of([self._program, "--list-langs"], b"", _PAGE_S).decode("utf-8", "replace").split()
        return [language for language in _LANGUAGES if language in installed]


def without_rules(picture: Image) -> Image:
    """Return a grey picture without the lines of grids: Tesseract takes cells for pictures, and loses their words."""
    from PIL import ImageChops, ImageFilter

    ink = picture.point(lambda grey: _INK if grey < _INK // 2 else 0)
    lines = ink.point(lambda _: 0)
    half = max(1, int(min(picture.size) * _RULE_SHARE) // 2)
    for reach in ((half, 0), (0, half)):
        # Only in the middle of a run of ink as long as the reach is all around it ink.
        middles = ink.filter(ImageFilter.BoxBlur(reach)).point(lambda share: _INK if share == _INK else 0)
        runs = middles.filter(ImageFilter.BoxBlur(reach)).point(lambda share: _INK if share else 0)
        lines = ImageChops.lighter(lines, runs)
    # The edges of lines are grey.
    return ImageChops.lighter(picture, lines.filter(ImageFilter.MaxFilter(5)))


def _words_in(table: str) -> list[_Word]:
    """Return the words of Tesseract's table of a picture, whose last columns are the confidence and the letters."""
    rows = csv.DictReader(StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        _Word((row["block_num"], row["par_num"]), row["line_num"], float(row["conf"]), row["text"])
        for row in rows
        if row.get("text") and row["text"].strip()
    ]


def _sureness(words: list[_Word]) -> float:
    """Return how many letters there are, each as often as Tesseract is sure of it, from 0 to 100 times."""
    return sum(word.confidence * len(word.letters) for word in words)


def _text_of(words: list[_Word]) -> RecognizedText:
    """Return the text of a page's words; "" if most of its letters are likely to be wrong."""
    letters = sum(len(word.letters) for word in words)
    mean = _sureness(words) / max(1, letters)
    if mean < _LEAST_MEAN:
        return RecognizedText("", is_uncertain=False)
    paragraphs: list[str] = []
    for _, paragraph in groupby(words, lambda word: word.paragraph):
        lines = (" ".join(word.letters for word in line) for _, line in groupby(paragraph, lambda word: word.line))
        paragraphs.append("\n".join(_BETWEEN_SIGNS.sub("", line) for line in lines))
    unsure = sum(len(word.letters) for word in words if word.confidence < _LEAST_MEAN)
    return RecognizedText("\n\n".join(paragraphs), mean < _CERTAIN_MEAN or unsure > letters * _MOST_UNSURE)
