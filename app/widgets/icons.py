"""Icons: one family of line drawings in resources/icons, painted in any colour."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPaintEvent, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from app.system.paths import resource
from app.widgets import theme


@cache
def icon(name: str, role: str = "muted", *, checked: str = "") -> QIcon:
    """Return the icon `name` in the colour `role` (a field of colours.py) of the theme in use when it is painted.

    It is sharp at any pixel ratio. A checked button shows the icon `checked`, if there is one.
    """
    return QIcon(_Drawing(name, role, checked or name))


@cache
def _renderer(name: str, colour: str) -> QSvgRenderer:
    """Return the parsed drawing, read when the icon is first painted: most icons are only in menus."""
    drawing = resource("icons", f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(drawing.replace("currentColor", colour).encode()))


class Mark(QWidget):
    """An icon of `size` pixels beside words that say the same."""

    def __init__(self, size: int, parent: QWidget, shown: QIcon | None = None) -> None:
        super().__init__(parent)
        self.setFixedSize(size, size)
        self._icon = shown or QIcon()

    def show_icon(self, shown: QIcon) -> None:
        self._icon = shown
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._icon.paint(painter, self.rect())


class _Drawing(QIconEngine):
    """Renders the drawing at the size in device pixels that Qt asks for.

    A size that is wider than high leaves the rest empty on the right: a tool button has no gap before its text.
    """

    def __init__(self, name: str, role: str, checked: str) -> None:
        super().__init__()
        self._name = name
        self._role = role
        self._checked = checked

    def paint(self, painter: QPainter, rect, mode, state) -> None:  # type: ignore[no-untyped-def]
        name = self._checked if state == QIcon.State.On else self._name
        painter.save()
        if mode == QIcon.Mode.Disabled:
            painter.setOpacity(0.5)
        renderer = _renderer(name, getattr(theme.colours(), self._role))
        renderer.render(painter, QRectF(rect.x(), rect.y(), rect.height(), rect.height()))
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        if size.isEmpty():
            # Qt asks for it where a button is no larger than its margins.
            return QPixmap()
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        with QPainter(pixmap) as painter:
            self.paint(painter, pixmap.rect(), mode, state)
        return pixmap

    def clone(self) -> QIconEngine:
        return _Drawing(self._name, self._role, self._checked)
