"""Previews of code blocks of SVG, drawn in a sandbox."""

from __future__ import annotations

import logging
from functools import cache, partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.system.background import BackgroundCache
from app.transcript.drawing import SCALE, draw_svg
from engine.sandbox.errors import SandboxError
from engine.sandbox.process import Sandbox

log = logging.getLogger(__name__)

# Characters of a source. Longer ones have no preview.
LONGEST = 200_000
# Seconds of computing for a drawing.
DRAW_S = 5
_SANDBOX = Sandbox("app.transcript.drawing")
_MOST_CACHED_DRAWINGS = 8
_MARGIN = 12


@cache
def previews() -> BackgroundCache[str, QImage]:
    """Return the latest previews by source; a null picture for a source that cannot be drawn."""
    return BackgroundCache("previews", lambda source: picture_of(source), _MOST_CACHED_DRAWINGS)


def is_drawing(source: str, language: str) -> bool:
    """Whether a code block is an SVG that may be drawn."""
    return len(source) <= LONGEST and (language.lower() == "svg" or source.lstrip().startswith("<svg"))


def picture_of(source: str) -> QImage:
    """Draw an SVG in a process of its own. Waits; may be called on any thread."""
    try:
        image = QImage.fromData(_SANDBOX.run(partial(draw_svg, source), DRAW_S))
    except SandboxError as error:
        log.info("a preview cannot be drawn: %s", error)
        return QImage()
    finally:
        _SANDBOX.release()
    image.setDevicePixelRatio(SCALE)
    return image


class Preview(QWidget):
    """A picture that is never enlarged, with a margin around it. It sets its own height."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._image = QImage()
        self.hide()

    def show_image(self, image: QImage) -> None:
        self._image = image
        self._fit()
        self.update()

    @property
    def _size(self) -> QSize:
        """The size of the picture in this width."""
        size = self._image.deviceIndependentSize().toSize()
        room = QSize(max(1, self.width() - 2 * _MARGIN), size.height())
        return size if size.width() <= room.width() else size.scaled(room, Qt.AspectRatioMode.KeepAspectRatio)

    def _fit(self) -> None:
        self.setFixedHeight(self._size.height() + 2 * _MARGIN)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        size = self._size
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(
                QRectF((self.width() - size.width()) / 2, _MARGIN, size.width(), size.height()), self._image
            )
