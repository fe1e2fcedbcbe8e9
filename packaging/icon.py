"""Draw Tandem.icns, the icon of the app on macOS, from its SVG in every size that macOS asks for.

python packaging/icon.py SVG ICNS
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

# Pixels: 16 to 512 points, each in normal and in high resolution.
SIZES = (16, 32, 64, 128, 256, 512, 1024)
# macOS leaves a margin around an icon's shape: 824 of 1024.
_SHAPE = 824 / 1024


def main(source: str, target: str) -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _application = QGuiApplication([])
    pictures = [drawn(Path(source), size) for size in SIZES]
    pictures[-1].save(target, format="ICNS", append_images=pictures[:-1])


def drawn(source: Path, size: int) -> Image.Image:
    """Return the icon with `size` x `size` pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    margin = size * (1 - _SHAPE) / 2
    painter.translate(margin, margin)
    painter.scale(_SHAPE, _SHAPE)
    QSvgRenderer(str(source)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return Image.open(io.BytesIO(bytes(buffer.data().data())))


if __name__ == "__main__":
    main(*sys.argv[1:])
