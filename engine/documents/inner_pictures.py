"""The pictures that are seen in a document, of which the largest are given to models that see."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from engine.pictures.picture_file import FORMATS, MOST_MEGABYTES, MOST_MEGAPIXELS, MOST_NARROW, OTHER_FORMATS

if TYPE_CHECKING:
    from PIL.Image import Image

# The pictures that a person attaches with a document: each takes hundreds of tokens.
MOST_PICTURES = 8
# Pictures with a shorter side are decorations: signs, lines and small logos.
_SHORTEST_SIDE = 100
# The bytes of all files together, half of the longest reply of a sandbox.
_MOST_BYTES = 64 * 2**20
# Pictures whose bytes a document has decoded are made anew with at most this long sides: an A4 page with 250 dots an
# inch.
_LONGEST_SIDE = 3000
_QUALITY = 90
# Larger ones take long to write as PNG.
_MOST_PNG_PIXELS = 4_000_000
# How many different pictures of a document are looked at.
_MOST_KNOWN = 2000


class _Shown(NamedTuple):
    """A picture of a document: its pixels, what returns its file, and the page that has no text beside it, or 0."""

    pixels: int
    load: Callable[[], bytes]
    page: int

    @property
    def rank(self) -> tuple[bool, int]:
        """What is less for the pictures that are given first: pages as they follow each other, then the largest."""
        if self.page:
            return False, 0
        return True, -self.pixels


@dataclass(frozen=True, slots=True)
class LargestPictures:
    """The files of the largest pictures of a document, in its order; `count` says how many it has in all.

    Before larger ones come those that are all that a page has. `pages` are the numbers of these pages.
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
        """Note a picture that is a file, which `load` returns; what is none that models get is passed over.

        The same `key` stands for the same picture.
        """
        if self.are_wanted and key not in self._shown:
            width, height = _size_of(load)
            self.add(key, width, height, load)

    def add(self, key: Hashable, width: int, height: int, load: Callable[[], bytes], page: int = 0) -> None:
        """Note a picture of `width` times `height` pixels, whose file `load` returns, unless it is a decoration.

        `page` is the number of a page that has no text beside it.
        """
        short, long = sorted((width, height))
        is_small = short < _SHORTEST_SIDE or long > MOST_NARROW * short
        if self.are_wanted and not is_small and width * height <= MOST_MEGAPIXELS * 10**6:
            self._shown.setdefault(key, _Shown(width * height, load, page))

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


def file_of(picture: Image, rotation: int = 0) -> bytes:
    """Return the file of a picture that its page turns clockwise by `rotation` degrees.

    It is scaled down if it is very large: JPEG for what was JPEG or is large, else PNG.
    """
    is_photo = picture.format in ("JPEG", "JPEG2000") or picture.width * picture.height > _MOST_PNG_PIXELS
    if picture.mode == "1":
        # Black and white alone would lose thin strokes where it is scaled down.
        picture = picture.convert("L")
    if rotation:
        picture = picture.rotate(-rotation, expand=True)
    picture.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    file = BytesIO()
    if is_photo and not picture.has_transparency_data:
        picture.convert("RGB").save(file, "JPEG", quality=_QUALITY)
    else:
        picture.save(file, "PNG")
    return file.getvalue()


def _size_of(load: Callable[[], bytes]) -> tuple[int, int]:
    """Return the width and height of a picture's file; zeros if it is none that models get."""
    from PIL import Image

    try:
        with Image.open(BytesIO(load()), formats=(*FORMATS, *OTHER_FORMATS)) as picture:
            return picture.size
    except MemoryError:
        raise
    # Decoders raise all kinds of exceptions for broken files.
    except Exception:
        return 0, 0


def _loaded(load: Callable[[], bytes]) -> bytes:
    """Return the file of a picture; b"" if it is damaged."""
    try:
        return load()
    except MemoryError:
        raise
    # So do those of documents.
    except Exception:
        return b""
