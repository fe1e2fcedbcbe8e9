"""The text of pages that are pictures, where this computer has Tesseract, which recognizes letters."""

from __future__ import annotations

from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING

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


class PageRecognition:
    """Recognizes the pages of one file, up to `MOST_PAGES`."""

    def __init__(self) -> None:
        self._left = MOST_PAGES

    def text_of(self, page: PageObject) -> str:
        """Return the text in the pictures of a page; "" if there is none, or nothing here recognizes it. Waits.

        Raises what Pillow and pypdf raise for damaged pictures.
        """
        if not self._left or not self._languages:
            return ""
        self._left -= 1
        texts = (self._recognized(picture, page.rotation) for file in page.images if (picture := file.image))
        return "\n\n".join(filter(None, texts))

    def _recognized(self, picture: Image, rotation: int) -> str:
        """Return the text in a picture that the page turns clockwise by `rotation` degrees."""
        if min(picture.size) < _SHORTEST_SIDE or picture.width * picture.height > _MOST_PIXELS:
            return ""
        file = BytesIO()
        # Grey is all that it looks at.
        picture.convert("L").rotate(-rotation, expand=True).save(file, "PPM")
        command = [self._program, "stdin", "stdout", "-l", "+".join(self._languages)]
        return output_of(command, file.getvalue(), _PAGE_S).decode("utf-8", "replace").replace("\f", "").strip()

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
