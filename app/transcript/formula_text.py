"""Formulas in a text document. They are painted as outlines and copied as LaTeX."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from app.text.formulas import Formula
from app.transcript.formula_pictures import Outline, PlacedOutline, pictures, placed, renderer, room_for, size_of
from app.widgets import theme

OBJECT = QTextFormat.ObjectTypes.UserObject + 1
_LATEX = QTextFormat.Property.UserProperty + 1
_SOURCE = QTextFormat.Property.UserProperty + 2
_DISPLAY = QTextFormat.Property.UserProperty + 3
_PIXELS = QTextFormat.Property.UserProperty + 4
_OBJECT_LETTER = "\ufffc"
# A formula's letters look smaller than a sans-serif font's letters of the same size.
_SCALE = 1.15


def formula_size(font: QFont) -> int:
    """Return the size in pixels of formulas in text of that font."""
    return round(_SCALE * font.pixelSize())


class FormulaPainter(QPyTextObject):
    """Paints the formulas of one document in the colour of the theme."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        document.documentLayout().registerHandler(OBJECT, self)

    def intrinsicSize(self, document: QTextDocument, position: int, style: QTextFormat) -> QSizeF:
        outline = _outline(style)
        if outline is None:
            return QSizeF(1, 1)
        return size_of(_placed(document, position, outline), _half_x(style))

    def drawObject(
        self,
        painter: QPainter,
        bounds: QRectF | QRect,
        document: QTextDocument,
        position: int,
        style: QTextFormat,
    ) -> None:
        outline = _outline(style)
        if outline is None:
            return
        for part in _placed(document, position, outline):
            place = part.place(QRectF(bounds), _half_x(style))
            renderer(part.outline, theme.colours().text).render(painter, place)


def insert_formula(
    cursor: QTextCursor, formula: Formula, pixels: int, style: QTextCharFormat, missing: list[Formula]
) -> bool:
    """Insert a formula, or its LaTeX if it is not typeset. Return whether it is, and add it to `missing` if it may be.

    `style` is the style of the text around it.
    """
    style = QTextCharFormat(style)
    key = (formula, pixels)
    if not pictures().request(key):
        missing.append(formula)
        # Its place is kept, but nobody sees LaTeX for the moment that it takes.
        style.setForeground(Qt.GlobalColor.transparent)
    elif pictures().known[key] is not None:
        style.setObjectType(OBJECT)
        style.setProperty(_LATEX, formula.latex)
        style.setProperty(_SOURCE, formula.source)
        style.setProperty(_DISPLAY, formula.display)
        style.setProperty(_PIXELS, pixels)
        style.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        cursor.insertText(_OBJECT_LETTER, style)
        return True
    style.setFontFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
    cursor.insertText(formula.source.replace("\n", " "), style)
    return False


def source_of(cursor: QTextCursor) -> str:
    """Return the selected text, with formulas as LaTeX."""
    text = cursor.selection().toPlainText()
    if _OBJECT_LETTER not in text:
        return text
    sources = _sources(cursor.document(), cursor.selectionStart(), cursor.selectionEnd())
    return "".join(next(sources, "") if letter == _OBJECT_LETTER else letter for letter in text)


def _sources(document: QTextDocument, start: int, end: int) -> Iterator[str]:
    cursor = QTextCursor(document)
    for position in range(start, end):
        cursor.setPosition(position + 1)
        style = cursor.charFormat()
        if style.objectType() == OBJECT and document.characterAt(position) == _OBJECT_LETTER:
            yield str(style.property(_SOURCE))


def _outline(style: QTextFormat) -> Outline | None:
    formula = Formula(str(style.property(_LATEX)), str(style.property(_SOURCE)), bool(style.property(_DISPLAY)))
    return pictures().known.get((formula, style.intProperty(_PIXELS)))


def _placed(document: QTextDocument, position: int, outline: Outline) -> list[PlacedOutline]:
    return placed(outline, room_for(document, position, outline, 1.0, 2 * document.documentMargin()), 1.0)


def _half_x(style: QTextFormat) -> float:
    """Return half the x-height: Qt's layout centres an object that far above the baseline."""
    return QFontMetricsF(style.toCharFormat().font()).xHeight() / 2
