"""The .ts files, message by message."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

SOURCES = Path(__file__).resolve().parents[2] / "i18n"


def messages(language: str) -> Iterator[tuple[str, ElementTree.Element]]:
    tree = ElementTree.parse(SOURCES / f"tandem_{language}.ts")
    for context in tree.getroot().iter("context"):
        for message in context.iter("message"):
            yield context.findtext("name") or "", message


def forms(message: ElementTree.Element) -> list[str]:
    translation = message.find("translation")
    assert translation is not None
    plural = [form.text or "" for form in translation.iter("numerusform")]
    return plural or [translation.text or ""]
