"""The pictures that are seen in a document, of which models that see are given the largest, or pages as pictures."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

from engine.documents.text.damage import passing_over_damage
from engine.pictures.picture_file import FORMATS, MOST_MEGABYTES, MOST_MEGAPIXELS, MOST_NARROW, OTHER_FORMATS

# The pictures that a person attaches with a document: each takes hundreds of tokens.
MOST_PICTURES = 8
# Pictures with a shorter side are decorations: signs, lines and small logos.
_SHORTEST_SIDE = 100
# The bytes of all files together, half of the longest reply of a sandbox.
_MOST_BYTES = 64 * 2**20
# How many different pictures of a document are looked at.
_MOST_KNOWN = 2000


class _Shown(NamedTuple):
    """A picture of a document: its pixels, what returns its file, and the number of the page that it is, or 0."""

    pixels: int
    load: Callable[[], bytes]
    page: int = 0
    has_text: bool = True

    @property
    def rank(self) -> tuple[int, int]:
        """What is less for the pictures that are given first: pages without text, other pages, then the largest."""
        if self.page:
            return int(self.has_text), 0
        return 2, -self.pixels


@dataclass(frozen=True, slots=True)
class LargestPictures:
    """The files of the largest pictures of a document, in its order; `count` says how many it has in all.

    Those of a PDF file are pages. `pages` are their numbers.
    """

    files: tuple[bytes, ...] = ()
    count: int = 0
    pages: tuple[int, ...] = ()


class InnerPictures:
    """Gathers the pictures of a document as they are met, each once, and gives the files of at most `most` of them."""

    def __init__(self, most: int = 0, stops_at: float = 0.0) -> None:
        """Load no file after `stops_at` seconds of this process's computing."""
        self._most = most
        self._stops_at = stops_at
        self._shown: dict[Hashable, _Shown] = {}

    @property
    def are_wanted(self) -> bool:
        """Whether any may be given."""
        return self._most > 0 and len(self._shown) < _MOST_KNOWN

    def add_file(self, key: Hashable, load: Callable[[], bytes]) -> None:
        """Add a picture that is a file, which `load` returns; one that models do not get is passed over.

        The same `key` stands for the same picture.
        """
        if self.are_wanted and key not in self._shown:
            width, height = _size_of(load)
            self.add(key, width, height, load)

    def add(self, key: Hashable, width: int, height: int, load: Callable[[], bytes]) -> None:
        """Add a picture of `width` times `height` pixels, whose file `load` returns, unless it is a decoration."""
        if min(width, height) >= _SHORTEST_SIDE:
            self._add(key, width, height, _Shown(width * height, load))

    def add_page(
        self, key: Hashable, width: int, height: int, load: Callable[[], bytes], page: int, *, has_text: bool
    ) -> None:
        """Add the picture of a page by its number; `has_text` says whether it has text beside it."""
        self._add(key, width, height, _Shown(width * height, load, page, has_text))

    def _add(self, key: Hashable, width: int, height: int, shown: _Shown) -> None:
        """Add a picture of a size that models take."""
        is_narrow = max(width, height) > MOST_NARROW * min(width, height)
        if self.are_wanted and not is_narrow and width * height <= MOST_MEGAPIXELS * 10**6:
            self._shown.setdefault(key, shown)

    def files(self) -> LargestPictures:
        """Return the files of the largest pictures, in the order of the document; damaged ones are passed over."""
        largest = sorted(self._shown, key=lambda key: self._shown[key].rank)
        files: dict[Hashable, bytes] = {}
        left = _MOST_BYTES
        for key in largest:
            if len(files) == self._most or time.process_time() > self._stops_at:
                break
            file = _loaded(self._shown[key].load)
            if file and len(file) <= min(left, MOST_MEGABYTES * 2**20):
                files[key] = file
                left -= len(file)
        given = [key for key in self._shown if key in files]
        pages = {self._shown[key].page for key in given}
        return LargestPictures(tuple(files[key] for key in given), len(self._shown), tuple(sorted(pages - {0})))


def _size_of(load: Callable[[], bytes]) -> tuple[int, int]:
    """Return the width and height of a picture's file; zeros if it is none that models get."""
    from PIL import Image

    with passing_over_damage(), Image.open(BytesIO(load()), formats=(*FORMATS, *OTHER_FORMATS)) as picture:
        return picture.size
    return 0, 0


def _loaded(load: Callable[[], bytes]) -> bytes:
    """Return the file of a picture; b"" if it is damaged."""
    with passing_over_damage():
        return load()
    return b""
