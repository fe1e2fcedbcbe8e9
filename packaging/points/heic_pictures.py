"""Attach HEIC pictures that sips writes: whole, turned, cut, and too large, as the window attaches files.

The left half of each is red, the right half blue, before it is turned. The last line says what was read and refused.
"""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from app.session.attachments import read_attachment
from engine.errors import EngineError

WIDTH = 96
HEIGHT = 64
# More pixels than any picture may have.
TOO_LARGE = (8_000, 7_000)
# How far from the edges the colours are compared, which HEIC blurs.
INSIDE = 2


class Seen(NamedTuple):
    """A picture as it was attached: its size, and the colours of its upper left and its lower right end."""

    size: tuple[int, int]
    first: str
    last: str


def main() -> None:
    """Raises AssertionError for a picture that looks otherwise, and `SystemExit` for one that is not refused."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = write_heic(folder / "whole.heic", (WIDTH, HEIGHT))
        as_written = Seen((WIDTH, HEIGHT), "red", "blue")
        assert attached(whole) == as_written, attached(whole)
        turned = attached(write_heic(folder / "turned.heic", (WIDTH, HEIGHT), ["-r", "90"]))
        assert turned == Seen((HEIGHT, WIDTH), "red", "blue"), turned
        cut = folder / "cut.heic"
        content = whole.read_bytes()
        cut.write_bytes(content[: len(content) // 2])
        for refused in (cut, write_heic(folder / "large.heic", TOO_LARGE)):
            if not is_refused(refused):
                raise SystemExit(f"{refused.name} is not refused")
        # What was refused ended nothing that the next picture needs.
        assert attached(whole) == as_written, attached(whole)
    print("read: whole, turned; refused: cut, 56 megapixels")


def write_heic(file: Path, size: tuple[int, int], options: Sequence[str] = ()) -> Path:
    """Write a picture of a size by sips with these options, and return its file."""
    width, height = size
    picture = Image.new("RGB", size, "red")
    picture.paste("blue", (width // 2, 0, width, height))
    source = file.with_name("source.png")
    picture.save(source)
    command = ["sips", *options, "-s", "format", "heic", str(source), "--out", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    return file


def attached(file: Path) -> Seen:
    """Attach a picture and return how it looks. Raises what `read_attachment` does."""
    contents: list[bytes] = []
    read_attachment(file, keep=contents.append)
    with Image.open(io.BytesIO(contents[-1])) as opened:
        picture = opened.convert("RGB")
    width, height = picture.size
    last = (width - 1 - INSIDE, height - 1 - INSIDE)
    return Seen(picture.size, colour_at(picture, (INSIDE, INSIDE)), colour_at(picture, last))


def colour_at(picture: Image.Image, place: tuple[int, int]) -> str:
    """Return which of the two colours an RGB picture has at a place."""
    pixel = picture.getpixel(place)
    # Pillow returns a number for pictures of other modes.
    assert isinstance(pixel, tuple)
    red, _, blue = pixel
    return "red" if red > blue else "blue"


def is_refused(file: Path) -> bool:
    """Return whether a picture is refused when it is attached."""
    try:
        read_attachment(file, keep=lambda _: None)
    except EngineError:
        return True
    return False


if __name__ == "__main__":
    main()
