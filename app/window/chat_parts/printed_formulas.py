"""The typeset formulas of a printed chat: outlines in lines of text, at the resolution of the paper."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QByteArray, QRect, QRectF, QSizeF
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.text.formulas import Formula
from app.transcript.formula_pictures import Outline, outline_of

_OBJECT = QTextFormat.ObjectTypes.UserObject + 2
_NUMBER = QTextFormat.Property.UserProperty + 1
# The name of a picture that stands for the formula of a number in the document's HTML.
_NAME = "formula:"
# Pixels per inch of the sizes of outlines.
_DPI = 96


class PrintedFormulas(QPyTextObject):
    """The formulas of one document, which may be on any thread, of a size in points."""

    def __init__(self, document: QTextDocument, points: float) -> None:
        super().__init__(document)
        self._pixels = round(points * _DPI / 72)
        self._outlines: list[Outline] = []
        document.documentLayout().registerHandler(_OBJECT, self)

    def html(self, formula: Formula) -> str:
        """Return the HTML that stands for a formula until `put_in`; its source if it cannot be typeset."""
        outline = outline_of(formula, self._pixels)
        if outline is None:
            return f"<code>{escape(formula.source)}</code>"
        self._outlines.append(outline)
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

    def intrinsicSize(self, document: QTextDocument, position: int, style: QTextFormat) -> QSizeF:  # noqa: ARG002
        outline = self._outlines[style.intProperty(_NUMBER)]
        scale = _scale(document, outline)
        lift = _half_x(style)
        # The outline fits around the object's centre, which is so far above the line of text.
        height = max(2 * scale * outline.ascent - lift, 2 * scale * outline.descent + lift)
        return QSizeF(scale * outline.width, height)

    def drawObject(
        self,
        painter: QPainter,
        bounds: QRectF | QRect,
        document: QTextDocument,
        position: int,  # noqa: ARG002
        style: QTextFormat,
    ) -> None:
        outline = self._outlines[style.intProperty(_NUMBER)]
        scale = _scale(document, outline)
        baseline = bounds.top() + (bounds.height() + _half_x(style)) / 2
        height = scale * (outline.ascent + outline.descent)
        place = QRectF(bounds.left(), baseline - scale * outline.ascent, scale * outline.width, height)
        # Qt's writer of PDF files draws a line of one pixel around letters that have none, so they have a thin one.
        svg = outline.svg.replace('fill="black"', 'fill="black" stroke="black" stroke-width="0.01"')
        # Not the window's renderer, which belongs to the Qt thread.
        QSvgRenderer(QByteArray(svg.encode())).render(painter, place)


def _scale(document: QTextDocument, outline: Outline) -> float:
    """Return the factor from an outline's pixels to the units of the document, so that it fits into the column."""
    device = document.documentLayout().paintDevice()
    scale = device.logicalDpiY() / _DPI if device is not None else 1.0
    width = document.textWidth() - 2 * document.documentMargin()
    return min(scale, width / outline.width) if width > 0 else scale


def _half_x(style: QTextFormat) -> float:
    """Return half the x-height on the screen: Qt's layout centres an object that far above the line, also on paper."""
    return QFontMetricsF(style.toCharFormat().font()).xHeight() / 2
