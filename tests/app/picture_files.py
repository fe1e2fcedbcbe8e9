"""Picture files for tests."""

from __future__ import annotations

import io

from PIL import Image

from engine.pictures.rules import PictureRules

# A picture of 560 x 280 pixels costs 210 tokens.
RULES = PictureRules("pixtral", {"longest": 1540, "patch": 28, "resample": 3})


def picture(colour: str = "red", size: tuple[int, int] = (560, 280), form: str = "PNG") -> bytes:
    """Return the file of a picture of one colour."""
    return _saved([Image.new("RGB", size, colour)], form)


def animation() -> bytes:
    """Return an animated GIF file."""
    return _saved([Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")], "GIF")


def _saved(pictures: list[Image.Image], form: str) -> bytes:
    file = io.BytesIO()
    more = {"save_all": True, "append_images": pictures[1:]} if len(pictures) > 1 else {}
    pictures[0].save(file, form, **more)
    return file.getvalue()
