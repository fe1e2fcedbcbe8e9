"""The lists of OpenDocument files, by their styles."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.documents.text.numbering import ListLevel, NumberedList
from engine.documents.text.xml_values import integer

# What the lists of LibreOffice have.
_MOST_LEVELS = 10
# The forms of numbers, by their names in OpenDocument.
_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


def numbered_lists(*parts: Element) -> dict[str, NumberedList]:
    """Return the lists that parts of a document define, by the names of their styles; "" for headings."""
    lists: dict[str, NumberedList] = {}
    for part in parts:
        for style in part.iter():
            if style.tag == "list-style":
                lists[style.get("name", "")] = _numbered_list(style)
            elif style.tag == "outline-style":
                lists[""] = _numbered_list(style)
    return lists


def _numbered_list(style: Element) -> NumberedList:
    """Return the list of a style. Its levels count from 1 in the file, and from 0 in the list."""
    numbered = NumberedList()
    for level in style:
        number = integer(level.get("level"), 1)
        form = level.get("num-format")
        if form and number <= _MOST_LEVELS:
            # The numbers of levels around are shown before, such as "2.3."; levels without numbers show none.
            first_shown = max(1, number + 1 - integer(level.get("display-levels"), 1))
            shown = (at for at in range(first_shown, number + 1) if at == number or at - 1 in numbered.levels)
            numbers = ".".join(f"%{at}" for at in shown)
            text = f"{level.get('num-prefix', '')}{numbers}{level.get('num-suffix', '')}"
            first = integer(level.get("start-value"), 1)
            numbered.levels[number - 1] = ListLevel(_FORMS.get(form, ""), text, first)
    return numbered
