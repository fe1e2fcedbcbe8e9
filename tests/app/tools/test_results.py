"""What the result of a call gives to the model: text and pictures that were checked."""

from __future__ import annotations

import base64

import mcp_types as types

from app.tools.connection import result_of
from engine.files.reading_time import ReadingTime
from engine.pictures.reading import read_picture
from tests.app.picture_files import animation, picture
from tests.slow_files import slow_jpeg


def image(content: bytes) -> types.ImageContent:
    return types.ImageContent(type="image", data=base64.b64encode(content).decode(), mime_type="image/png")


def test_usable_pictures_are_beside_the_text_and_others_are_named() -> None:
    red = picture()
    blocks = [types.TextContent(type="text", text="Look:"), image(red), image(animation())]
    result = result_of(types.CallToolResult(content=blocks), 0.5, ReadingTime())
    assert result.text.splitlines() == ["Look:", "[A picture of 560 x 280 pixels]", "[Not shown: image, image/png]"]
    assert [(one.content, one.kind, one.width, one.height) for one in result.pictures] == [(red, "png", 560, 280)]


def test_the_pictures_of_a_result_share_a_limit_of_time() -> None:
    files = [slow_jpeg(1000, 200, shade) for shade in range(8)]
    time = ReadingTime(3 * read_picture(files[0]).seconds)
    result = result_of(types.CallToolResult(content=[image(file) for file in files]), 0.5, time)
    assert 1 <= len(result.pictures) < 8
    assert result.text.splitlines()[-1] == "[Not shown: image, image/png]"
