"""What the paragraphs of DOCX files are, by themselves and by their styles: headings, items, code or plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.text.code_blocks import is_code_style
from engine.documents.text.xml_values import integer, value

# The number that a paragraph or style gives instead of a list to say that it is in none.
_NO_LIST = "0"


class ParagraphFormat(NamedTuple):
    """What a style or a paragraph says about its level and its list, None for what it says nothing about."""

    # The level of a heading, from 1; 0 for other text.
    heading: int | None = None
    # The number of the list that counts the paragraph; "0" for none.
    list_id: str | None = None
    # The level in that list, from 0.
    depth: int | None = None
    # The level of a style such as "List Bullet 2", from 1. Word has a list of its own for each of these levels.
    style_level: int | None = None
    # Whether it is code, by the name of the style.
    is_code: bool | None = None

    def over(self, base: ParagraphFormat) -> ParagraphFormat:
        """Return what holds where this format is set on paragraphs that have another one."""
        return base._replace(**{name: given for name, given in self._asdict().items() if given is not None})

    @property
    def is_in_list(self) -> bool:
        return self.list_id not in (None, _NO_LIST)

    @property
    def list_level(self) -> int:
        """The level at which an item is shown, from 0."""
        return self.depth or (self.style_level or 1) - 1


class ParagraphStyles:
    """The formats of paragraphs that the styles of a document define. A style may be based on itself."""

    def __init__(self, styles: Mapping[str, Element]) -> None:
        self._elements = styles
        # The formats of the styles that were asked for, with those that they are based on.
        self._formats = dict[str, ParagraphFormat]()

    def of_paragraph(self, paragraph: Element) -> ParagraphFormat:
        """Return what a paragraph says, or else its style."""
        return _format_of(paragraph).over(self._of_style(value(paragraph, "pPr/pStyle")))

    def _of_style(self, name: str) -> ParagraphFormat:
        """Return what a style says, or the nearest that it is based on."""
        if name not in self._formats:
            # For a style that is based on itself.
            self._formats[name] = ParagraphFormat()
            style = self._elements.get(name, Element("none"))
            self._formats[name] = _format_of(style).over(self._of_style(value(style, "basedOn")))
        return self._formats[name]


def _format_of(source: Element) -> ParagraphFormat:
    """Return what a style or a paragraph itself says."""
    name = value(source, "name").lower()
    kind, _, level = ("heading 1" if name == "title" else name).rpartition(" ")
    heading = integer(level) if kind == "heading" and level.isdecimal() else None
    style_level = integer(level) if kind in ("list bullet", "list number") and level.isdecimal() else None
    if outline := value(source, "pPr/outlineLvl"):
        # The tenth level means text that is no heading.
        heading = (integer(outline) + 1) % 10
    depth = value(source, "pPr/numPr/ilvl")
    return ParagraphFormat(
        heading=heading,
        list_id=value(source, "pPr/numPr/numId") or None,
        depth=integer(depth) if depth else None,
        style_level=style_level,
        is_code=is_code_style(name) or None,
    )
