"""Icons: one family of line drawings in resources/icons, painted in any colour."""

from __future__ import annotations

from functools import cache, cached_property

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.system.paths import resource


@cache
def icon(name: str, colour: str) -> QIcon:
    """Return the icon `name` in `colour` ("#rrggbb"), sharp at any pixel ratio."""
    return QIcon(_Drawing(name, colour))


class _Drawing(QIconEngine):
    """Renders the drawing at the size in device pixels that Qt asks for.

    A size that is wider than high leaves the rest empty on the right: a tool button has no gap before its text.
    """

    def __init__(self, name: str, colour: str) -> None:
        super().__init__()
        self._name, self._colour = name, colour

    @cached_property
    def _renderer(self) -> QSvgRenderer:
        """The parsed drawing, read when the icon is first painted: most icons are only in menus."""
        drawing = resource("icons", f"{self._name}.svg").read_text(encoding="utf-8")
        return QSvgRenderer(QByteArray(drawing.replace("currentColor", self._colour).encode()))

    def paint(self, painter: QPainter, rect, mode, state) -> None:  # type: ignore[no-untyped-def]  # noqa: ARG002
        painter.save()
        if mode == QIcon.Mode.Disabled:
            painter.setOpacity(0.5)
        self._renderer.render(painter, QRectF(rect.x(), rect.y(), rect.height(), rect.height()))
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            self.paint(painter, pixmap.rect(), mode, state)
        return pixmap

    def clone(self) -> QIconEngine:
        return _Drawing(self._name, self._colour)
