"""The text of pages that are pictures, by macOS's Vision, or by Tesseract where this computer has it."""

from __future__ import annotations

import csv
import math
import re
import time
from collections.abc import Iterable
from contextlib import closing
from functools import cached_property, partial
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

from engine.documents.archives.programs import output_of, program_at
from engine.documents.pdf.recognized import (
    NOTHING,
    Confidences,
    NotRecognized,
    PictureFailed,
    RecognizedText,
    Recognizer,
    Word,
    sureness,
    text_of,
)
from engine.documents.pdf.vision import vision
from engine.sandbox.access import Access, declare_access
from engine.sandbox.errors import SandboxError
from engine.sandbox.tasks import run_elsewhere, task

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfPage

# Pages that are recognized of one file. Each takes a few seconds of the program's computing.
MOST_PAGES = 40
# Seconds for a page.
_PAGE_S = 25
# The languages of the window, by Tesseract's names, if it has them. It takes longer with more.
_LANGUAGES = ("eng", "kor", "jpn", "chi_sim")
# Pictures with a shorter side are no scans: they are signs and lines.
_SHORTEST_SIDE = 100
# The most pixels of a page: 400 dots an inch on A4. Recognizers find no more letters in finer ones.
_MOST_PIXELS = 16_000_000
# Tesseract's ways to look at a page: it finds columns by 3, but loses whole lines, most often of Korean; 6 takes the
# page for one block. That counts if it finds so many times as much.
_WITH_COLUMNS = "3"
_ONE_BLOCK = "6"
_MUCH_MORE = 1.1
# Lines that are this share of a picture's width are lines of a grid, not strokes of letters.
_RULE_SHARE = 1 / 10
_INK = 255
# Of pages made of text in four languages, those that were certain by these had at most one letter in ten wrong.
_CONFIDENCES = Confidences(least_mean=60, certain_mean=80, least_word=60)
# Spaces that it puts between words of Chinese and Japanese.
_BETWEEN_SIGNS = re.compile(
    r"(?<=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff5e]) (?=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff5e])"
)

# The sandbox of documents starts no programs, so another one does.
declare_access(__name__, Access(programs=True))


class PageRecognition:
    """Recognizes the pages of one file, up to `MOST_PAGES`."""

    def __init__(self, most_s: float = math.inf) -> None:
        """Begin no page after `most_s` seconds of this process's computing, in which Vision computes."""
        self._left_pages = MOST_PAGES
        self._stops_at = time.process_time() + most_s
        self._recognizer: Recognizer = vision() or Tesseract()

    def text_of(self, page: PdfPage) -> RecognizedText:
        """Return the text in the pictures of a page; "" if there is none, or nothing here recognizes it. Waits.

        Raises what PDFium raises for damaged pages.
        """
        if not self._left_pages or time.process_time() > self._stops_at or not self._recognizer.works:
            return NOTHING
        self._left_pages -= 1
        picture = _picture_of(page)
        if picture is None:
            return NOTHING
        try:
            return text_of(self._recognizer.words(picture), self._recognizer)
        except PictureFailed:
            return NOTHING._replace(has_failed=True)
        except NotRecognized:
            # Vision fails where it may not use the computer's processors. It is not tried again.
            self._recognizer = Tesseract()
            return self.text_of(page)


class Tesseract:
    """Recognizes words by Tesseract, if this computer has it."""

    confidences = _CONFIDENCES

    @property
    def works(self) -> bool:
        """Whether the program is there, with a language. Waits."""
        return bool(self._languages)

    def words(self, picture: Image) -> list[Word]:
        """Return the words in a grey picture. Waits. Raises `PictureFailed` if the program fails."""
        file = BytesIO()
        without_rules(picture).save(file, "PPM")
        tables = [self._table(file.getvalue(), layout) for layout in (_WITH_COLUMNS, _ONE_BLOCK)]
        if not any(tables):
            # One without words has a head.
            raise PictureFailed
        columns, block = map(_words_in, tables)
        return block if sureness(block) > _MUCH_MORE * sureness(columns) else columns

    def line_of(self, words: Iterable[str]) -> str:
        """Return the line that words make."""
        return _BETWEEN_SIGNS.sub("", " ".join(words))

    def _table(self, picture: bytes, layout: str) -> str:
        """Return the table of the file of a picture, looked at in one of Tesseract's ways; "" if that fails."""
        table = partial(tesseract_table, picture, "+".join(self._languages), layout)
        try:
            return run_elsewhere(table, _PAGE_S)
        except SandboxError:
            return ""

    @cached_property
    def _languages(self) -> list[str]:
        """The languages that are installed; none without the program."""
        try:
            return run_elsewhere(partial(tesseract_languages), _PAGE_S)
        except SandboxError:
            return []


@task
def tesseract_languages() -> list[str]:
    """Return the languages of `_LANGUAGES` that Tesseract has; none if it is not there. Waits."""
    program = program_at("tesseract")
    if not program:
        return []
    installed = output_of([program, "--list-langs"], b"", _PAGE_S).decode("utf-8", "replace").split()
    return [language for language in _LANGUAGES if language in installed]


@task
def tesseract_table(picture: bytes, languages: str, layout: str) -> str:
    """Return Tesseract's table of a picture's words, looked at in one of its ways; "" if it fails. Waits."""
    command = [program_at("tesseract"), "stdin", "stdout", "-l", languages, "--psm", layout, "tsv"]
    return output_of(command, picture, _PAGE_S).decode("utf-8", "replace")


def _picture_of(page: PdfPage) -> Image | None:
    """Return a page in grey, which is all that recognizers look at, with as many dots as the finest picture on it.

    Returns None for signs and lines. A scan may be cut in many pictures.
    """
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    scale = 0.0
    for picture in page.get_objects([FPDF_PAGEOBJ_IMAGE]):
        width, height = picture.get_px_size()
        left, bottom, right, top = picture.get_bounds()
        if min(width, height) >= _SHORTEST_SIDE and right > left and top > bottom:
            sides = sorted((width, height))
            points = sorted((right - left, top - bottom))
            scale = max(scale, *(side / length for side, length in zip(sides, points, strict=True)))
    width, height = page.get_size()
    if not scale:
        return None
    scale = min(scale, math.sqrt(_MOST_PIXELS / (width * height)))
    bitmap = page.render(scale=scale, grayscale=True)
    with closing(bitmap):
        grey: Image = bitmap.to_pil().copy()
        return grey


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


def _words_in(table: str) -> list[Word]:
    """Return the words of Tesseract's table of a picture, whose last columns are the confidence and the letters."""
    rows = csv.DictReader(StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        Word((row["block_num"], row["par_num"]), row["line_num"], float(row["conf"]), row["text"])
        for row in rows
        if row.get("text") and row["text"].strip()
    ]
