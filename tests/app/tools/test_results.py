"""What the result of a call gives to the model: text and pictures that were checked."""

from __future__ import annotations

import base64

import mcp_types as types

from app.tools.connection import result_of
from tests.app.picture_files import animation, picture


def image(content: bytes) -> types.ImageContent:
    return types.ImageContent(type="image", data=base64.b64encode(content).decode(), mime_type="image/png")


def test_usable_pictures_are_beside_the_text_and_others_are_named() -> None:
    red = picture()
    blocks = [types.TextContent(type="text", text="Look:"), image(red), image(animation())]
    result = result_of(types.CallToolResult(content=blocks), 0.5)
    assert result.text.splitlines() == ["Look:", "[A picture of 560 x 280 pixels]", "[Not shown: image, image/png]"]
    assert [(one.content, one.kind, one.width, one.height) for one in result.pictures] == [(red, "png", 560, 280)]
