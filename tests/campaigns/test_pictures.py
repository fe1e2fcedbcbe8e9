"""Pictures from anywhere: what is read is what is shown, and nothing ends more than its own reading.

Every file goes through the process with limits that reads pictures. `TANDEM_CAMPAIGN` multiplies the places at which
files are cut and damaged.
"""

from __future__ import annotations

import base64
import io
import os
import random
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageCms
from PySide6.QtGui import QImage

from app.composer.picture_button import decoded
from app.text.picture_data import kind_of_picture
from app.tools.results import MOST_PICTURES, result_of
from engine.errors import PictureNotUsable
from engine.pictures.reading import PICTURES, common_file, picture_size, read_picture, time_for
from tests.app.picture_files import animation, picture
from tests.engine.pictures.png_files import chunk, png

pytestmark = [pytest.mark.campaign, pytest.mark.qt_log_ignore("ICC|icc|libpng warning")]

PLACES = 200 * int(os.environ.get("TANDEM_CAMPAIGN", "1"))
KINDS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")
LOSSLESS: dict[str, dict[str, Any]] = {"WEBP": {"lossless": True}, "JPEG": {"quality": 100}, "AVIF": {"quality": 100}}
# Qt reads no smaller ones, which are of one colour.
LEAST_WEBP = 44
# Shades by which two decoders of a lossy format may differ.
CLOSE = 8
ACROSS, DOWN = np.meshgrid(np.linspace(0, 255, 48), np.linspace(0, 255, 32))
SHADES = Image.fromarray(np.dstack([ACROSS, DOWN, (ACROSS + DOWN) / 2]).astype(np.uint8))


def file_of(image: Image.Image, kind: str, **more: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **LOSSLESS.get(kind, {}), **more)
    return file.getvalue()


def profile(space: bytes) -> bytes:
    """Return a colour profile that says it is of this colour space."""
    made = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    made[16:20] = space
    return bytes(made)


def modes() -> Iterator[tuple[str, Image.Image]]:
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr"):
        yield mode, SHADES.convert(mode)
    yield "LAB", Image.new("LAB", (48, 32), (120, 140, 90))
    yield "16 bits", Image.fromarray((ACROSS * 257).astype(np.uint16))
    yield "32 bits", Image.fromarray((ACROSS * 2**22 - 2**29).astype(np.int32))
    yield "floats", Image.fromarray((ACROSS / 255).astype(np.float32))


def sound_files() -> Iterator[tuple[str, bytes]]:
    for kind in ("JPEG", "PNG", "WEBP", "TIFF", "AVIF"):
        for orientation in range(10):
            exif = Image.Exif()
            exif[0x0112] = orientation
            yield f"{kind} turned by {orientation}", file_of(SHADES, kind, exif=exif)
    profiles = {"": None, "odd": b"x" * 200} | {one.decode(): profile(one) for one in (b"RGB ", b"CMYK", b"GRAY")}
    for mode, image in modes():
        for kind in KINDS:
            for name, content in profiles.items():
                try:
                    yield f"{mode} {kind} {name}", file_of(image, kind, **({"icc_profile": content} if content else {}))
                except (OSError, ValueError, KeyError):
                    # This format has no such colours.
                    continue
    for colour, channels in ((0, 1), (2, 3), (4, 2), (6, 4)):
        row = b"".join(struct.pack(f">{channels}H", *[shade * 4096] * (channels - 1), 65535) for shade in range(16))
        if channels == 1:
            row = struct.pack(">16H", *range(0, 65536, 4096))
        yield f"PNG of 16 bits, {channels}", png(16, 4, zlib.compress((b"\0" + row) * 4), depth=16, colour=colour)
    pages = [Image.new("RGB", (48, 32), (shade, 0, 0)) for shade in range(250)]
    yield "250 pages", file_of(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    yield "two of a camera", file_of(pages[200], "MPO", save_all=True, append_images=[pages[0]])


def seen_by_model(data: bytes) -> np.ndarray:
    width, height = picture_size(data)
    [view] = read_picture(data, [(width, height)]).views
    return np.frombuffer(view, np.uint8).reshape(height, width, 3).astype(float)


def seen_in_window(data: bytes) -> np.ndarray:
    shown = decoded(data, 10_000, 10_000).convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(shown.constBits(), np.uint8).reshape(shown.height(), shown.bytesPerLine())
    pixels = rows[:, : 4 * shown.width()].reshape(shown.height(), shown.width(), 4).astype(float)
    share = pixels[..., 3:] / 255
    return pixels[..., :3] * share + 255 * (1 - share)


@pytest.mark.usefixtures("qapp")
def test_what_the_model_sees_is_what_the_window_shows() -> None:
    different = []
    for name, data in sound_files():
        kept = common_file(data)
        assert kind_of_picture(kept), name
        if len(kept) < LEAST_WEBP:
            continue
        model, window = seen_by_model(kept), seen_in_window(kept)
        if model.shape != window.shape or np.abs(model - window).max() > CLOSE:
            different.append(name)
        assert seen_by_model(data).shape == model.shape, name
        assert model.max() > model.min() or "LAB" in name or "pages" in name or "camera" in name, name
    assert different == []


def tiff(*entries: tuple[int, int, int, int], following: int = 0, body: bytes = b"") -> bytes:
    """Return a TIFF file with one directory of tag, type, count and value, and the place of the following one."""
    rows = b"".join(struct.pack("<HHII", *entry) for entry in sorted(entries))
    return b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + rows + struct.pack("<I", following) + body


def grey(width: int, height: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return the entries of a TIFF file with one strip of grey."""
    size = (256, 4, 1, width), (257, 4, 1, height), (278, 4, 1, height)
    return *size, (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1), (279, 4, 1, 64)


def many_directories(count: int) -> bytes:
    """Return a TIFF file with directories that each name the next, the last the first."""
    size = 2 + 12 * 9 + 4
    content = b"II*\0\x08\0\0\0"
    for number in range(count):
        following = 8 + (number + 1) % count * size
        content += tiff(*grey(8, 8), following=following)[8:]
    return content


def boxes(data: bytes, width: int, height: int) -> bytes:
    """Return an AVIF file that claims another size."""
    place = data.index(b"ispe") + 8
    return data[:place] + struct.pack(">II", width, height) + data[place + 8 :]


def bombs() -> Iterator[tuple[str, bytes]]:
    flat = {kind: file_of(Image.new("RGB", (64, 64)), kind) for kind in KINDS}
    yield "PNG of 2 gigapixels", png(46_000, 46_000, zlib.compress(bytes(10**7)))
    yield "PNG whose pixels unpack to 2 GB", png(64, 64, zlib.compress(bytes(2 * 10**9), 1))
    yield (
        "PNG whose note unpacks to 1 GB",
        png(4, 4, zlib.compress(bytes(52)), chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(10**9), 1))),
    )
    yield "PNG with 300,000 notes", png(4, 4, zlib.compress(bytes(52)), chunk(b"tEXt", b"a\0b") * 300_000)
    yield "PNG with 1.7 million damaged notes", png(4, 4, zlib.compress(bytes(52)), b"\0\0\0\0abcd\0\0\0\0" * 1_700_000)
    yield "BMP of 1 gigapixel", b"BM" + struct.pack("<IIIIiiHHIIiiII", 100, 0, 54, 40, 32_000, 32_000, 1, 24, *[0] * 6)
    yield (
        "BMP of runs",
        b"BM" + struct.pack("<IIIIiiHHIIiiII", 1100, 0, 1078, 40, 7000, 7000, 1, 8, 1, *[0] * 5) + bytes(2000),
    )
    yield "GIF with a screen of 4 gigapixels", flat["GIF"][:6] + b"\xff\xff\xff\xff" + flat["GIF"][10:]
    yield "TIFF of 4 gigapixels", tiff(*grey(65_000, 65_000))
    yield "TIFF of 2,000 directories", many_directories(2_000)
    yield "TIFF of 150,000 directories", many_directories(150_000)
    yield "TIFF with a tag of 4 billion values", tiff(*grey(8, 8), (305, 2, 2**32 - 1, 8))
    yield "TIFF that follows itself", tiff(*grey(8, 8), following=8, body=bytes(64))
    yield "AVIF that claims 4 gigapixels", boxes(flat["AVIF"], 65_535, 65_535)
    yield "AVIF that claims 49 megapixels", boxes(flat["AVIF"], 7000, 7000)
    yield (
        "WebP that claims 16,383 squared",
        flat["WEBP"].replace(struct.pack("<I", 63 | 63 << 14)[:3], b"\xff\xff\xff", 1),
    )
    yield "JPEG that claims 65,500 squared", flat["JPEG"].replace(b"\0\x40\0\x40", b"\xff\xdc\xff\xdc", 1)
    yield "HEIC", b"\0\0\0\x18ftypheic\0\0\0\0heicmif1" + bytes(10**6)
    frames = [Image.new("RGB", (200, 200), (shade, 0, 0)) for shade in range(200)]
    for kind in ("GIF", "WEBP", "PNG", "AVIF"):
        yield f"animated {kind}", file_of(frames[0], kind, save_all=True, append_images=frames[1:])


def outcome(data: bytes) -> str:
    """Read a file as for a message; return the reason why it is refused, "" if it is not."""
    try:
        kept = common_file(data)
        width, height = picture_size(kept)
        assert 0 < width * height <= 50 * 10**6
        assert len(read_picture(kept, [(8, 8)]).views[0]) == 192
    except PictureNotUsable as error:
        return error.reason
    return ""


def test_bombs_are_refused_or_harmless() -> None:
    for name, data in bombs():
        reason = outcome(data)
        print(f"{name}: {len(data)} bytes, {reason or 'read'}")
        assert reason != "crashed", name
        assert picture_size(picture()) == (560, 280), name


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_are_cut_or_damaged_end_no_process(kind: str) -> None:
    chosen = random.Random(kind)
    whole = file_of(SHADES, kind)
    picture_size(picture())
    before = PICTURES.quick.pid
    for number in range(PLACES):
        cut = whole[: number * len(whole) // PLACES]
        noisy = bytearray(whole)
        for _ in range(chosen.choice((1, 1, 2, 8))):
            noisy[chosen.randrange(len(noisy))] = chosen.choice((0, 255, chosen.randrange(256)))
        for data in (cut, bytes(noisy)):
            assert outcome(data) in ("", "damaged", "unknown-format", "too-many-pixels", "too-narrow", "animated")
    assert PICTURES.quick.pid == before


def test_pictures_in_results_are_read_or_named() -> None:
    files = [*(data for _, data in bombs()), *(file_of(SHADES, kind) for kind in KINDS), animation()]
    for data in files:
        part = {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": "image/x-any"}
        result = result_of({"content": [part] * 2}, 0.0, time_for(MOST_PICTURES))
        assert all(line.startswith(("[A picture of ", "[Not shown: ")) for line in result.text.splitlines())
        assert all(kind_of_picture(one.content) for one in result.pictures)
