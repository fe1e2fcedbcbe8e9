"""Which of the four languages a text is written in, by its script."""

from __future__ import annotations

import re

_SCRIPTS = (
    ("ko", re.compile("[\uac00-\ud7a3\u3131-\u318e]")),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
)


def language_of(text: str) -> str:
    """ko if `text` holds Hangul, else ja if it holds kana, else zh if it holds Han characters, else en."""
    return next((language for language, letters in _SCRIPTS if letters.search(text)), "en")
