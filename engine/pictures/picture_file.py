"""Decodes picture files. Runs in a sandbox only: the files may come from anywhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple, cast
from zlib import crc32

from engine.errors import PictureNotUsable
from engine.sandbox.tasks import task

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
# Read as well, but stored and shown as PNG or JPEG. macOS decodes more.
OTHER_FORMATS = ("BMP", "TIFF", "AVIF")
_LOSSLESS = ("PNG", "BMP", "TIFF")
# Qt turns these upright, and no PNG and WebP files.
_SHOWN_UPRIGHT = ("JPEG", "GIF")
_ORIENTATION = 0x112
_PNG = b"\x89PNG\r\n\x1a\n"
MOST_MEGABYTES = 20
MOST_MEGAPIXELS = 50
# Above this ratio of its sides, nothing is left of a picture that is scaled.
MOST_NARROW = 200


@dataclass(frozen=True, slots=True)
class DecodedPicture:
    """A picture as it is shown."""

    width: int
    height: int
    # RGB bytes, row by row, for each size that was asked for.
    views: list[bytes]
    # Seconds of computing that were spent on it.
    seconds: float
    # The picture as PNG or JPEG, if no sizes were asked for and its own file would not be shown, or not upright; else
    # b"".
    file: bytes


@task
def decode_picture(data: bytes, sizes: Sequence[tuple[int, int]] = (), resample: int = 0) -> DecodedPicture:
    """Decode a file, upright by EXIF, and scale it to each of `sizes` (width, height). Raises `PictureNotUsable`."""
    begun = time.process_time()
    upright = _upright(data)
    picture = upright.picture
    kind = upright.kind
    views = [picture.resize(size, resample).tobytes() for size in sizes]
    file = BytesIO()
    is_shown = kind in FORMATS and (not upright.is_turned or kind in _SHOWN_UPRIGHT)
    needs_file = not sizes and not is_shown
    # A photo as PNG would be larger than MOST_MEGABYTES.
    if needs_file and (kind not in _LOSSLESS or _saved(picture, file, "PNG") > MOST_MEGABYTES * 2**20):
        file = BytesIO()
        _saved(picture, file, "JPEG")
    seconds = time.process_time() - begun
    return DecodedPicture(picture.width, picture.height, views, seconds, file.getvalue())


def _saved(picture: Image, file: BytesIO, kind: str) -> int:
    """Write a picture, and return the size of its file in bytes."""
    picture.save(file, kind, quality=95)
    return file.tell()


class _Upright(NamedTuple):
    """A picture as it is shown, the format of its file, and whether that says to turn or mirror it."""

    picture: Image
    kind: str
    is_turned: bool


def _upright(data: bytes) -> _Upright:
    """Return the picture of a file, in RGB. Raises `PictureNotUsable`."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    if len(data) > MOST_MEGABYTES * 2**20:
        raise PictureNotUsable("too-large", str(MOST_MEGABYTES))
    try:
        picture: Image.Image = Image.open(BytesIO(_decodable(data)), formats=(*FORMATS, *OTHER_FORMATS))
        kind = _kind_of(picture, data)
        _check_shape(picture)
        picture.load()
        is_turned = picture.getexif().get(_ORIENTATION, 1) != 1
        picture = _with_eight_bits(ImageOps.exif_transpose(picture))
        if picture.has_transparency_data:
            over = picture.convert("RGBA")
            picture = Image.alpha_composite(Image.new("RGBA", over.size, "white"), over)
        return _Upright(picture.convert("RGB"), kind, is_turned)
    except UnidentifiedImageError as error:
        raise PictureNotUsable("damaged" if data[4:12] == b"ftypavif" else "unknown-format") from error
    except Image.DecompressionBombError as error:
        raise PictureNotUsable("too-many-pixels", str(MOST_MEGAPIXELS)) from error
    except (PictureNotUsable, MemoryError):
        raise
    # Decoders raise all kinds of exceptions for broken files.
    except Exception as error:
        raise PictureNotUsable("damaged", " ".join(str(error).split())[:80]) from error


def _kind_of(picture: Image, data: bytes) -> str:
    """Return the format of a file, such as "PNG". Pillow gets a HEIC as JPEG, and calls a camera's JPEG "MPO"."""
    if _is_heic(data):
        return "HEIC"
    return "JPEG" if picture.format == "MPO" else str(picture.format)


def _check_shape(picture: Image) -> None:
    """Raise `PictureNotUsable` for a picture that is too large or too narrow, or that moves."""
    width, height = picture.size
    if width * height > MOST_MEGAPIXELS * 10**6:
        raise PictureNotUsable("too-many-pixels", str(MOST_MEGAPIXELS))
    if max(width, height) > MOST_NARROW * min(width, height):
        raise PictureNotUsable("too-narrow", str(MOST_NARROW))
    # A camera's JPEG may hold a preview as a second picture. The further pages of a scanned fax are left out.
    if getattr(picture, "is_animated", False) and picture.format not in ("MPO", "TIFF"):
        raise PictureNotUsable("animated")


def _with_eight_bits(picture: Image) -> Image:
    """Return a picture with at most 8 bits a channel: conversion would cut off finer shades of grey at 255."""
    if picture.mode.startswith("I;16"):
        picture = picture.convert("I")
        low = 0.0
        high = 2.0**16 - 1
    elif picture.mode in ("I", "F"):
        # Measurements: the file says nothing of the values of black and white.
        low, high = cast(tuple[float, float], picture.getextrema())
    else:
        return picture
    scale = 255 / max(high - low, 1e-30)
    if not math.isfinite(scale * low):
        raise ValueError("not a number")
    return picture.convert("F").point(lambda value: value * scale - low * scale).convert("L")


def _is_heic(data: bytes) -> bool:
    """Return whether a file begins as HEIC files do."""
    return data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1")


def _decodable(data: bytes) -> bytes:
    """Return a file that Pillow decodes: on macOS, a HEIC picture as JPEG; a PNG without damaged notes."""
    if data.startswith(_PNG):
        return _PNG + b"".join(_sound_chunks(data))
    if not (_is_heic(data) and sys.platform == "darwin"):
        return data
    from engine.files.image_io import jpeg_of

    return jpeg_of(data, MOST_MEGAPIXELS * 10**6) or data


def _sound_chunks(data: bytes) -> Iterator[bytes]:
    """Yield the chunks of a PNG but notes with wrong checksums, which browsers pass over and Pillow refuses."""
    place = len(_PNG)
    while place < len(data):
        end = place + int.from_bytes(data[place : place + 4]) + 12
        chunk = data[place:end]
        if chunk[4:5].isupper() or crc32(chunk[4:-4]) == int.from_bytes(chunk[-4:]):
            yield chunk
        place = end
