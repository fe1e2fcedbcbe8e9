"""Equations of RTF, whose groups are the elements of equations in DOCX: `{\\mf{\\mnum{\\mr a}}{\\mden{\\mr b}}}`."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from engine.documents.text.equations import latex

# A group whose name was not read yet.
_UNNAMED = "group"


class RichEquation:
    """Gathers the groups of one equation."""

    def __init__(self) -> None:
        self._root = Element(_UNNAMED)
        # The groups that are open, the innermost last.
        self._open_elements = [self._root]

    def begin_group(self) -> None:
        self._open_elements.append(SubElement(self._open_elements[-1], _UNNAMED))

    def name(self, word: str) -> None:
        """Name the innermost group by a control word; further words in it say how its letters look."""
        group = self._open_elements[-1]
        if group.tag == _UNNAMED:
            group.tag = word.removeprefix("m")
        elif word == "mnor":
            # Its letters are words.
            SubElement(SubElement(group, "rPr"), "nor")

    def add(self, words: str) -> None:
        """Add text to the innermost group."""
        group = self._open_elements[-1]
        group.text = (group.text or "") + words

    def end_group(self) -> None:
        """End the innermost group: its text is a run's text, or the value of a property."""
        group = self._open_elements.pop()
        words = group.text or ""
        if group.tag in ("r", _UNNAMED):
            SubElement(group, "t").text = words
        elif len(group) == 0:
            group.set("val", words.strip())

    def in_markdown(self) -> str:
        """Return the equation as LaTeX between "$", or between "$$" if it is a paragraph; "" if it is empty."""
        formula = latex(self._root).strip()
        sign = "$$" if next(self._root.iter("oMath"), None) is not None else "$"
        return f"{sign}{formula}{sign}" if formula else ""
