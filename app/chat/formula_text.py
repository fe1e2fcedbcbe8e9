"""Formulas in a text document: put in the places of their signs, painted as outlines, copied as they were written."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from app.chat.formula_pictures import Outline, pictures
from app.text.formulas import FIRST_SIGN, Formula
from app.widgets import theme

if TYPE_CHECKING:
    from collections.abc import Iterator

OBJECT = QTextFormat.ObjectTypes.UserObject + 1
_LATEX, _SOURCE, _DISPLAY, _PIXELS = (QTextFormat.Property.UserProperty + number for number in range(1, 5))
_OBJECT_SIGN = "\ufffc"
# The formulas' letters look smaller than those of a sans-serif font of the same size.
_SCALE = 1.15
_CENTRE = Qt.AlignmentFlag.AlignHCenter


def formula_size(font: QFont) -> int:
    """The size of a formula's letters beside that font's, in pixels."""
    return round(_SCALE * font.pixelSize())


class FormulaPainter(QPyTextObject):
    """Paints the formulas of one document, sharp at every scale and in the colour of the theme."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        document.documentLayout().registerHandler(OBJECT, self)

    def intrinsicSize(self, document: QTextDocument, position: int, style: QTextFormat) -> QSizeF:  # noqa: ARG002
        outline = _outline(style)
        if outline is None:
            return QSizeF(1, 1)
        scale = _scale(document, outline)
        return QSizeF(scale * outline.width, _height(style, outline, scale))

    def drawObject(
        self,
        painter: QPainter,
        place: QRectF | QRect,
        document: QTextDocument,
        position: int,  # noqa: ARG002
        style: QTextFormat,
    ) -> None:
        outline = _outline(style)
        renderer = pictures().renderer(_formula(style), style.intProperty(_PIXELS), theme.colours().text)
        if outline is None or renderer is None:
            return
        scale = _scale(document, outline)
        line = place.top() + (place.height() + _half_x(style)) / 2
        top = line - scale * outline.ascent
        renderer.render(
            painter, QRectF(place.left(), top, scale * outline.width, scale * (outline.ascent + outline.descent))
        )


def put_formulas(document: QTextDocument, formulas: list[Formula], pixels: int) -> bool:
    """Put formulas in the places of their signs; whether all of them could be. Others stand as they were written."""
    every = True
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    # From the end on, so that the places before stay where they are.
    for position, number in reversed(list(_signs(document, len(formulas)))):
        formula = formulas[number]
        known = pictures().has(formula, pixels)
        every = every and known
        cursor.setPosition(position)
        cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
        style = QTextCharFormat(cursor.charFormat())
        if known and pictures().outline(formula, pixels) is not None:
            style.setObjectType(OBJECT)
            style.setProperty(_LATEX, formula.latex)
            style.setProperty(_SOURCE, formula.source)
            style.setProperty(_DISPLAY, formula.display)
            style.setProperty(_PIXELS, pixels)
            style.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
            cursor.insertText(_OBJECT_SIGN, style)
            if formula.display:
                _stand_alone(document, position)
        else:
            style.setFontFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
            cursor.insertText(formula.source.replace("\n", " "), style)
    cursor.endEditBlock()
    return every


def source_of(cursor: QTextCursor) -> str:
    """The selected text, with formulas as they were written."""
    text = cursor.selection().toPlainText()
    if _OBJECT_SIGN not in text:
        return text
    sources = _sources(cursor.document(), cursor.selectionStart(), cursor.selectionEnd())
    return "".join(next(sources, "") if sign == _OBJECT_SIGN else sign for sign in text)


def _signs(document: QTextDocument, count: int) -> Iterator[tuple[int, int]]:
    """Where the signs of formulas are, and which formulas they stand for."""
    block = document.begin()
    while block.isValid():
        for offset, unit in enumerate(array("H", block.text().encode("utf-16-le", "surrogatepass"))):
            if FIRST_SIGN <= unit < FIRST_SIGN + count:
                yield block.position() + offset, unit - FIRST_SIGN
        block = block.next()


def _sources(document: QTextDocument, start: int, end: int) -> Iterator[str]:
    cursor = QTextCursor(document)
    for position in range(start, end):
        cursor.setPosition(position + 1)
        style = cursor.charFormat()
        if style.objectType() == OBJECT and document.characterAt(position) == _OBJECT_SIGN:
            yield str(style.property(_SOURCE))


def _stand_alone(document: QTextDocument, position: int) -> None:
    """Give a formula a centred paragraph of its own, out of the one in which it stands. An item of a list that begins
    with it keeps its number.
    """
    cursor = QTextCursor(document)
    cursor.setPosition(position)
    is_item = cursor.atBlockStart() and cursor.currentList() is not None
    cursor.setPosition(position + 1)
    if not cursor.atBlockEnd():
        after = QTextBlockFormat(cursor.blockFormat())
        if (text_list := cursor.currentList()) is not None:
            # What follows belongs to the same item of the list.
            after.setObjectIndex(-1)
            after.setIndent(text_list.format().indent())
        cursor.insertBlock(after)
        while document.characterAt(cursor.position()) == " ":
            cursor.deleteChar()
    if is_item:
        return
    cursor.setPosition(position)
    style = QTextBlockFormat(cursor.blockFormat())
    if not cursor.atBlockStart():
        while cursor.positionInBlock() and document.characterAt(cursor.position() - 1) == " ":
            cursor.deletePreviousChar()
        cursor.insertBlock(style)
    # A formula in a list is no item of its own.
    style.setObjectIndex(-1)
    style.setIndent(0)
    style.setTopMargin(4)
    style.setBottomMargin(12 if cursor.block().next().isValid() else 4)
    style.setAlignment(_CENTRE)
    cursor.setBlockFormat(style)


def _formula(style: QTextFormat) -> Formula:
    return Formula(str(style.property(_LATEX)), str(style.property(_SOURCE)), bool(style.property(_DISPLAY)))


def _outline(style: QTextFormat) -> Outline | None:
    return pictures().outline(_formula(style), style.intProperty(_PIXELS))


def _scale(document: QTextDocument, outline: Outline) -> float:
    """What is wider than the column is made smaller."""
    room = document.textWidth() - 2 * document.documentMargin()
    return min(1.0, room / outline.width) if room > 0 else 1.0


def _half_x(style: QTextFormat) -> float:
    """Half the height of an x. Qt's layout puts an object's middle half of it above the line of the letters."""
    return QFontMetricsF(style.toCharFormat().font()).xHeight() / 2


def _height(style: QTextFormat, outline: Outline, scale: float) -> float:
    """So high that both what is above and what is below the line has room around the object's middle."""
    above, below, lift = scale * outline.ascent, scale * outline.descent, _half_x(style)
    return max(2 * above - lift, 2 * below + lift)
