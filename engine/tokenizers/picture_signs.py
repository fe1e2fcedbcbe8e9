"""Brings pictures through chat templates: a sign stands for each in a text until the template has rendered it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

# By digest, the text that replaces a picture.
PictureTexts = Mapping[str, str]
NO_PICTURES: PictureTexts = MappingProxyType({})
# Noncharacters of Unicode. Between them stands the digest of a picture.
_SIGN_BEGIN = "\ufdd2"
_SIGN_END = "\ufdd3"
_SIGN = re.compile(f"{_SIGN_BEGIN}([0-9a-f]+){_SIGN_END}")


def as_texts(messages: Sequence[Mapping[str, Any]], pictures: PictureTexts) -> Sequence[Mapping[str, Any]]:
    """Return messages whose contents are texts, with signs for their pictures, if these are in `pictures`.

    Other pictures are left out, and so is the beginning of a sign in a text.
    """
    if not pictures and all(isinstance(message["content"], str) for message in messages):
        return messages
    return [{**message, "content": _as_text(message["content"], pictures)} for message in messages]


def _as_text(content: str | Sequence[Mapping[str, Any]], pictures: PictureTexts) -> str:
    """Return the content of a message as a text, with a sign for each picture that is in `pictures`."""
    if isinstance(content, str):
        return content.replace(_SIGN_BEGIN, "")
    known = (part for part in content if part["type"] == "text" or part["digest"] in pictures)
    return "".join(
        part["text"].replace(_SIGN_BEGIN, "") if part["type"] == "text" else f"{_SIGN_BEGIN}{part['digest']}{_SIGN_END}"
        for part in known
    )


def with_pictures(text: str, pictures: PictureTexts) -> str:
    """Return a rendered text with the texts of pictures in place of their signs."""
    return _SIGN.sub(lambda match: pictures.get(match[1], match[0]), text)


def signs_in(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the digests of the signs in messages, in their order."""
    return [digest for message in messages for digest in _SIGN.findall(message["content"])]
