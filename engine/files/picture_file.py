"""Decodes picture files. Runs in a process with limits only: the files may come from anywhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING

from engine.errors import PictureNotUsable

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
MOST_MEGABYTES, MOST_MEGAPIXELS = 20, 50
# Above this ratio of its sides, nothing is left of a picture that is scaled.
MOST_NARROW = 200


@dataclass(frozen=True, slots=True)
class DecodedPicture:
    """The size of a picture as it is shown, and its `views`: RGB bytes, row by row, for each size asked for.

    If it cannot be used, `problem` is the reason and `detail` the detail of `PictureNotUsable`. `seconds` of computing
    were spent on it.
    """

    width: int = 0
    height: int = 0
    views: list[bytes] = field(default_factory=list)
    problem: str = ""
    detail: str = ""
    seconds: float = 0.0


def decode_picture(data: bytes, sizes: Sequence[tuple[int, int]] = (), resample: int = 0) -> DecodedPicture:
    """Decode a whole file, upright by its EXIF orientation, and scale it to each of `sizes` (width, height)."""
    begun = time.process_time()
    try:
        picture = _upright(data)
        views = [picture.resize(size, resample).tobytes() for size in sizes]
    except PictureNotUsable as error:
        return DecodedPicture(problem=error.reason, detail=str(error.arguments["detail"]))
    return DecodedPicture(picture.width, picture.height, views, seconds=time.process_time() - begun)


def _upright(data: bytes) -> Image:
    from PIL import Image, ImageOps, UnidentifiedImageError

    if len(data) > MOST_MEGABYTES * 2**20:
        raise PictureNotUsable("too-large", str(MOST_MEGABYTES))
    try:
        picture: Image.Image = Image.open(BytesIO(data), formats=FORMATS)
        _check_size(*picture.size)
        # A camera's JPEG may hold a preview as a second picture.
        if getattr(picture, "is_animated", False) and picture.format != "MPO":
            raise PictureNotUsable("animated")
        picture.load()
        picture = ImageOps.exif_transpose(picture)
        if picture.has_transparency_data:
            over = picture.convert("RGBA")
            picture = Image.alpha_composite(Image.new("RGBA", over.size, "white"), over)
        return picture.convert("RGB")
    except UnidentifiedImageError as error:
        raise PictureNotUsable("unknown-format") from error
    except Image.DecompressionBombError as error:
        raise PictureNotUsable("too-many-pixels", str(MOST_MEGAPIXELS)) from error
    except (PictureNotUsable, MemoryError):
        raise
    # Decoders raise all kinds of exceptions for broken files.
    except Exception as error:
        raise PictureNotUsable("damaged", " ".join(str(error).split())[:80]) from error


def _check_size(width: int, height: int) -> None:
    if width * height > MOST_MEGAPIXELS * 10**6:
        raise PictureNotUsable("too-many-pixels", str(MOST_MEGAPIXELS))
    if max(width, height) > MOST_NARROW * min(width, height):
        raise PictureNotUsable("too-narrow", str(MOST_NARROW))
