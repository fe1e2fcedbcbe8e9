"""Previews of code blocks: HTML and SVG as pictures, drawn by a process that loads nothing and has limits."""

from __future__ import annotations

import logging
import subprocess
import time
from contextlib import suppress
from functools import cache
from tempfile import TemporaryFile

import psutil
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.chat.preview_process import SCALE
from app.system.background import BackgroundCache
from engine.wire.child import environment_without_secrets, own_program

log = logging.getLogger(__name__)

# Characters of a source. Longer ones have no preview.
LONGEST = 200_000
MEMORY_BYTES = 2**30
# Seconds of the process's own computing, its start included, on the clock, and between two looks at its memory.
COMPUTING_S, _LONGEST_S, _POLL_S = 5, 30.0, 0.05
_CACHED = 8
_MARGIN = 12


@cache
def previews() -> BackgroundCache[tuple[str, str], QImage]:
    """Return the latest previews by (kind, source); a null picture for a source that cannot be drawn."""
    return BackgroundCache("previews", lambda key: picture_of(*key), _CACHED)


def previewed_as(source: str, language: str) -> str:
    """Return how a code block can be drawn: "svg", "html", or "" if it cannot."""
    if len(source) > LONGEST:
        return ""
    if language.lower() == "svg" or source.lstrip().startswith("<svg"):
        return "svg"
    return "html" if language.lower() in ("html", "htm", "xhtml") else ""


def picture_of(kind: str, source: str) -> QImage:
    """Draw a source in a process of its own. Waits; may be called on any thread."""
    with TemporaryFile() as given:
        given.write(source.encode("utf-8", "replace"))
        given.seek(0)
        try:
            process = subprocess.Popen(
                [*own_program("app.chat.preview_process", "--preview-process"), str(COMPUTING_S), kind],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment_without_secrets() | {"QT_QPA_PLATFORM": "offscreen"},
            )
        except OSError as error:
            log.info("a preview cannot be drawn: %s", error)
            return QImage()
    with process:
        try:
            image = QImage.fromData(_output(process))
        finally:
            process.kill()
    image.setDevicePixelRatio(SCALE)
    return image


def _output(process: subprocess.Popen[bytes]) -> bytes:
    """Return what the process writes within its limits, or nothing."""
    begun = time.monotonic()
    while time.monotonic() - begun < _LONGEST_S and _memory_of(process) < MEMORY_BYTES:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=_POLL_S)[0]
    return b""


def _memory_of(process: subprocess.Popen[bytes]) -> int:
    try:
        return int(psutil.Process(process.pid).memory_info().rss)
    # Besides psutil's own errors, what the system calls of a new macOS raise; the time is still limited.
    except Exception as error:
        log.debug("the memory of a preview's process is unknown: %s", error)
        return 0


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
