"""The .ts files, message by message."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

SOURCES = Path(__file__).resolve().parents[2] / "i18n"


@cache
def messages(language: str) -> list[tuple[str, ElementTree.Element]]:
    """Return (context, message) of every message."""
    contexts = ElementTree.parse(SOURCES / f"tandem_{language}.ts").getroot().iter("context")
    return [(context.findtext("name") or "", message) for context in contexts for message in context.iter("message")]


def forms(message: ElementTree.Element) -> list[str]:
    """Return the translation, or all its plural forms."""
    translation = message.find("translation")
    assert translation is not None
    plural = [form.text or "" for form in translation.iter("numerusform")]
    return plural or [translation.text or ""]
