"""The typeset formulas of a printed chat: outlines in lines of text, at the resolution of the paper."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QByteArray, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.text.formulas import Formula
from app.transcript.formula_pictures import Outline, PlacedOutline, outline_of, placed, room_for, size_of

_OBJECT = QTextFormat.ObjectTypes.UserObject + 2
_NUMBER = QTextFormat.Property.UserProperty + 1
# The name of a picture that stands for the formula of a number in the document's HTML.
_NAME = "formula:"
# The length of a paragraph of a formula alone, with its end.
_ALONE = 2
# The margin that Qt puts around a document on paper, in inches: 2 cm.
_PAGE_MARGIN = 2 / 2.54
# Pixels per inch of the sizes of outlines.
_DPI = 96


class PrintedFormulas(QPyTextObject):
    """The formulas of one document, which may be on any thread, of a size in points."""

    def __init__(self, document: QTextDocument, points: float) -> None:
        super().__init__(document)
        self._pixels = round(points * _DPI / 72)
        self._outlines: list[Outline] = []
        # Of each, whether it is displayed.
        self._are_displayed: list[bool] = []
        document.documentLayout().registerHandler(_OBJECT, self)

    def html(self, formula: Formula) -> str:
        """Return the HTML that stands for a formula until `put_in`; its source if it cannot be typeset."""
        outline = outline_of(formula, self._pixels)
        if outline is None:
            return f"<code>{escape(formula.source)}</code>"
        self._outlines.append(outline)
        self._are_displayed.append(formula.display)
        return f'<img src="{_NAME}{len(self._outlines) - 1}">'

    def put_in(self, document: QTextDocument) -> None:
        """Put the formulas into the document, in the places of their HTML."""
        places: list[tuple[int, int]] = []
        block = document.begin()
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                fragment = fragments.fragment()
                style = fragment.charFormat()
                if style.isImageFormat() and style.toImageFormat().name().startswith(_NAME):
                    number = int(style.toImageFormat().name().removeprefix(_NAME))
                    places.append((fragment.position(), number))
                fragments += 1
            block = block.next()
        for position, number in places:
            cursor = QTextCursor(document)
            cursor.setPosition(position)
            cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
            style = QTextCharFormat()
            style.setObjectType(_OBJECT)
            style.setProperty(_NUMBER, number)
            style.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
            cursor.setCharFormat(style)
            if self._are_displayed[number] and cursor.block().length() == _ALONE and cursor.block().textList() is None:
                centred = QTextBlockFormat()
                centred.setAlignment(Qt.AlignmentFlag.AlignHCenter)
                cursor.mergeBlockFormat(centred)

    def intrinsicSize(self, document: QTextDocument, position: int, style: QTextFormat) -> QSizeF:
        return size_of(self._placed(document, position, style), _half_x(style))

    def _placed(self, document: QTextDocument, position: int, style: QTextFormat) -> list[PlacedOutline]:
        outline = self._outlines[style.intProperty(_NUMBER)]
        device = document.documentLayout().paintDevice()
        if device is None:
            scale = 1.0
            margins = 2 * document.documentMargin()
        else:
            scale = device.logicalDpiY() / _DPI
            margins = 2 * _PAGE_MARGIN * device.logicalDpiX()
        return placed(outline, room_for(document, position, outline, scale, margins), scale)

    def drawObject(
        self,
        painter: QPainter,
        bounds: QRectF | QRect,
        document: QTextDocument,
        position: int,
        style: QTextFormat,
    ) -> None:
        for part in self._placed(document, position, style):
            # Qt's writer of PDF files draws a line of one pixel around letters that have none, so they have a thin one.
            svg = part.outline.svg.replace('fill="black"', 'fill="black" stroke="black" stroke-width="0.01"')
            # Not the window's renderer, which belongs to the Qt thread.
            renderer = QSvgRenderer(QByteArray(svg.encode()))
            renderer.render(painter, part.place(QRectF(bounds), _half_x(style)))


def _half_x(style: QTextFormat) -> float:
    """Return half the x-height on the screen: Qt's layout centres an object that far above the line, also on paper."""
    return QFontMetricsF(style.toCharFormat().font()).xHeight() / 2
