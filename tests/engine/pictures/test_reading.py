"""Picture files from anywhere: sound ones give their pixels upright, and no other ends more than its own reading."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest
from PIL import Image, ImageOps

from engine.errors import PictureNotUsable, PicturesNotInstalled
from engine.pictures import reading
from engine.pictures.reading import PICTURES, common_file, picture_size, read_picture
from tests.engine.pictures.png_files import chunk, png
from tests.tiny_vision import picture

KINDS = ("PNG", "JPEG", "WEBP", "GIF")
MIXED = {"unknown-format", "damaged", "too-many-pixels", "too-narrow", ""}


def animated(kind: str) -> bytes:
    frames = [Image.new("RGB", (20, 20), (shade, 0, 0)) for shade in (0, 90, 200)]
    file = io.BytesIO()
    frames[0].save(file, kind, save_all=True, append_images=frames[1:])
    return file.getvalue()


def saved(image: Image.Image, kind: str) -> bytes:
    file = io.BytesIO()
    image.save(file, kind)
    return file.getvalue()


def hostile() -> Iterator[tuple[str, bytes, set[str]]]:
    """Yield names and contents of files, and the reasons for which they may be refused; "" if they may be used."""
    small = {kind: picture(1, 24, 20, kind) for kind in KINDS}
    for kind, file in small.items():
        for share in (0.1, 0.5, 0.95):
            may_end = {""} if kind in ("GIF", "JPEG", "WEBP") else set()
            yield f"{kind} cut at {share}", file[: int(len(file) * share)], {"unknown-format", "damaged"} | may_end
        flipped = bytearray(file)
        flipped[len(file) // 2 : len(file) // 2 + 24] = bytes(24)
        yield f"{kind} with zeros inside", bytes(flipped), {"damaged", "unknown-format", ""}
        yield f"{kind} after a byte", b"x" + file, {"unknown-format", "damaged"}
        yield f"{kind} beginning only", file[:12], {"unknown-format", "damaged"}
        yield f"{kind} and megabytes", file + bytes(21 * 2**20), {"too-large"}
        other = KINDS[(KINDS.index(kind) + 1) % 4]
        yield f"{kind} that says {other}", small[other][:8] + file[8:], MIXED
    for kind in ("GIF", "WEBP", "PNG"):
        yield f"animated {kind}", animated(kind), {"animated"}
    for kind in ("PPM", "ICO", "TGA", "PCX", "EPS", "PDF"):
        yield kind, saved(Image.new("RGB", (32, 32)), kind), {"unknown-format"}
    yield "empty", b"", {"unknown-format"}
    yield "text", b"the quick brown fox\n" * 50, {"unknown-format"}
    yield "a page", b"<!DOCTYPE html><html><img src=http://example.org/a.png></html>", {"unknown-format"}
    yield "SVG", b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>", {"unknown-format"}
    yield "PostScript", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n", {"unknown-format"}
    yield "HEIC", b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmif1" + bytes(200), {"unknown-format"}
    yield "an archive", b"PK\x03\x04" + bytes(60), {"unknown-format"}
    bomb = zlib.compress(bytes(3 * 6000 * 6000 + 6000), 9)
    yield "36 megapixels of nothing", png(6000, 6000, bomb), {""}
    yield "a bomb of pixels", png(30000, 30000, bomb), {"too-many-pixels"}
    yield "a bomb of 4 gigapixels", png(65500, 65500), {"too-many-pixels"}
    yield "no pixels", png(0, 0), {"damaged", "unknown-format", "too-narrow"}
    yield "negative size", png(2**31 + 5, 3), {"damaged", "unknown-format", "too-many-pixels", "too-narrow"}
    yield "no data", png(40, 40), {"damaged"}
    yield "too much data", png(8, 8, zlib.compress(bytes(10**6))), {"", "damaged"}
    yield "no zlib", png(8, 8, b"not compressed"), {"damaged"}
    yield "a needle", png(2, 40000, zlib.compress(bytes(7 * 40000))), {"too-narrow"}
    much = zlib.compress(bytes(64 * 2**20), 9)
    text = chunk(b"zTXt", b"Comment\x00\x00" + much)
    yield "a bomb of text", png(8, 8, zlib.compress(bytes(8 * 25)), text), {"", "damaged"}
    profile = chunk(b"iCCP", b"p\x00\x00" + much)
    yield "a bomb of a profile", png(8, 8, zlib.compress(bytes(8 * 25)), profile), {"", "damaged"}
    chunks = chunk(b"tEXt", b"a\x00b") * 200_000
    yield "chunks without end", png(8, 8, zlib.compress(bytes(8 * 25)), chunks), {"", "damaged"}
    yield "depth of 16 in grey", png(8, 8, zlib.compress(bytes(8 * 17)), depth=16, colour=0), {""}
    yield "a depth of 3", png(8, 8, zlib.compress(bytes(8 * 25)), depth=3), {"damaged", "unknown-format"}
    exif = b"\xff\xe1\x00\x20Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff\xff" + bytes(14)
    yield "broken EXIF", small["JPEG"][:2] + exif + small["JPEG"][2:], {"", "damaged"}
    yield (
        "a GIF of 65,535 squared",
        b"GIF89a\xff\xff\xff\xff\x00\x00\x00" + small["GIF"][13:],
        {"too-many-pixels", "unknown-format"},
    )


HOSTILE = list(hostile())


@pytest.mark.parametrize(("data", "reasons"), [one[1:] for one in HOSTILE], ids=[one[0] for one in HOSTILE])
def test_a_hostile_file_is_refused_with_a_reason(data: bytes, reasons: set[str]) -> None:
    before = PICTURES.quick.pid
    try:
        width, height = picture_size(data)
        found = ""
        assert 0 < width * height <= 50 * 10**6
    except PictureNotUsable as error:
        found = error.reason
    assert found in reasons
    # Nothing of these has to end the process.
    assert PICTURES.quick.pid == before or before is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_file_gives_its_pixels_in_the_size_asked_for(kind: str) -> None:
    data = picture(4, 60, 40, kind)
    decoded = read_picture(data, [(60, 40), (21, 14)], resample=3)
    image = Image.open(io.BytesIO(data)).convert("RGB")
    assert (decoded.width, decoded.height) == (60, 40)
    assert decoded.views == [image.tobytes(), image.resize((21, 14), 3).tobytes()]
    assert common_file(data) == data


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_upright_and_its_file_too_where_qt_would_not(orientation: int, kind: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = picture(4, 60, 40, kind, exif=exif)
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    assert picture_size(data) == upright.size == ((60, 40) if orientation < 5 else (40, 60))
    assert read_picture(data, [upright.size]).views == [upright.tobytes()]
    shown = Image.open(io.BytesIO(common_file(data)))
    assert shown.getexif().get(0x0112, 1) == (orientation if kind == "JPEG" else 1)
    assert ImageOps.exif_transpose(shown).size == upright.size


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("PNG", np.uint16([[0, 16448, 32896, 65535]])),
        ("TIFF", np.uint16([[0, 16448, 32896, 65535]])),
        ("TIFF", np.int32([[-1000, -498, 4, 1000]])),
        ("TIFF", np.float32([[0, 0.251, 0.502, 1]])),
    ],
)
def test_finer_shades_of_grey_than_8_bits_are_kept(kind: str, values: np.ndarray) -> None:
    [shades] = read_picture(saved(Image.fromarray(values), kind), [(4, 1)]).views
    assert list(shades[::3]) == pytest.approx([0, 64, 128, 255], abs=1)


def test_a_camera_s_second_picture_is_ignored() -> None:
    first, preview = (Image.open(io.BytesIO(picture(seed))) for seed in (4, 5))
    file = io.BytesIO()
    first.save(file, "MPO", save_all=True, append_images=[preview])
    assert picture_size(file.getvalue()) == first.size


@pytest.mark.first
def test_a_damaged_note_in_a_png_costs_that_note_alone() -> None:
    pixels = zlib.compress((b"\0" + bytes((200, 0, 0)) * 4) * 4)
    notes = [chunk(b"iCCP", b"sRGB\0\0" + zlib.compress(b"?")), chunk(b"pHYs", bytes(9)), chunk(b"tEXt", b"a\0b")]
    for index, note in enumerate(notes):
        damaged = [*notes[:index], note[:-1] + bytes((note[-1] ^ 1,)), *notes[index + 1 :]]
        assert read_picture(png(4, 4, pixels, *damaged), [(4, 4)]).views == [bytes((200, 0, 0)) * 16]
    # Its size is no note.
    with pytest.raises(PictureNotUsable, match="unknown-format"):
        picture_size(png(4, 4, pixels).replace(bytes((0, 0, 0, 4)), bytes((0, 0, 0, 5)), 1))


def test_what_is_transparent_is_white() -> None:
    pixels = np.zeros((4, 4, 4), np.uint8)
    pixels[:2] = (200, 0, 0, 255)
    decoded = read_picture(saved(Image.fromarray(pixels), "PNG"), [(4, 4)])
    assert decoded.views == [bytes((200, 0, 0)) * 8 + bytes((255, 255, 255)) * 8]


def test_a_file_that_takes_too_long_ends_only_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "DECODE_S", 0)
    with pytest.raises(PictureNotUsable, match="too-slow, 0"):
        read_picture(png(6000, 6000, zlib.compress(bytes(3 * 6000 * 6000 + 6000), 9)), [(9000, 9000)] * 3, 3)
    monkeypatch.undo()
    assert picture_size(picture(9, 33, 22)) == (33, 22)


def test_without_towers_pictures_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "find_spec", lambda name: None if name == "mlx_vlm" else find_spec(name))
    with pytest.raises(PicturesNotInstalled):
        picture_size(picture(10))


@pytest.mark.parametrize(("kind", "becomes"), [("BMP", "PNG"), ("TIFF", "PNG"), ("AVIF", "JPEG")])
def test_a_rarer_format_is_read_and_becomes_a_common_file(kind: str, becomes: str) -> None:
    data = saved(Image.new("RGB", (60, 40), (200, 30, 30)), kind)
    assert picture_size(data) == (60, 40)
    file = Image.open(io.BytesIO(common_file(data)))
    assert (file.format, file.size) == (becomes, (60, 40))
    assert max(abs(a - b) for a, b in zip(file.getpixel((5, 5)), (200, 30, 30), strict=True)) < 6
    cut = data[: len(data) * 3 // 4]
    with pytest.raises(PictureNotUsable, match="damaged"):
        picture_size(cut)
