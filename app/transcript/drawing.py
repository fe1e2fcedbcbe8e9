"""Draws SVG by QSvgRenderer, in a sandbox. Nothing is opened for it: no file, no address."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import cache

from PySide6.QtCore import QBuffer, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from engine.files.safe_xml import safe_xml
from engine.sandbox.access import Access, declare_access
from engine.sandbox.tasks import before_tasks, task

# The largest drawing, and what a smaller one is enlarged to, in pixels of the window; each is `SCALE` pixels wide.
BOX = QSize(680, 1000)
LEAST = QSize(160, 160)
SCALE = 2
_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_UNWANTED = frozenset({"image", "feImage", "script", "foreignObject"})

# Fonts, and what says which ones to take, may be in folders of the person.
declare_access(__name__, Access(reads=True))


@before_tasks
@cache
def _application() -> QGuiApplication:
    """Return the application that fonts need, without a screen."""
    return QGuiApplication(["tandem", "-platform", "offscreen"])


@task
def draw_svg(source: str) -> bytes:
    """Draw an SVG, and return a PNG."""
    buffer = QBuffer()
    svg_image(source).save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def svg_image(source: str) -> QImage:
    """Draw an SVG, at its own size if that fits into `BOX`. Raises `ValueError` or `ET.ParseError` if it is none."""
    renderer = QSvgRenderer(safe_svg(source))
    size = renderer.defaultSize()
    if not renderer.isValid() or size.isEmpty():
        raise ValueError("not an SVG")
    if size.boundedTo(BOX) != size:
        size.scale(BOX, Qt.AspectRatioMode.KeepAspectRatio)
    elif size.expandedTo(LEAST) == LEAST:
        size.scale(LEAST, Qt.AspectRatioMode.KeepAspectRatio)
    image = QImage(size.expandedTo(QSize(1, 1)) * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer.render(painter, QRectF(0, 0, size.width(), size.height()))
    return image


def safe_svg(source: str) -> bytes:
    """Return an SVG without what names a file or an address, and without entities.

    Raises `ValueError` or `ET.ParseError` if it is none.

    QtSvg reads local files that a picture or a style sheet names.
    """
    # The parser drops processing instructions, one of which names style sheets.
    root = safe_xml(source.strip())
    for element in root.iter():
        for child in [child for child in element if child.tag in _UNWANTED]:
            element.remove(child)
        reference = element.attrib.pop("href", "")
        if reference.startswith("#"):
            element.set("xlink:href", reference)
    root.set("xmlns", _SVG)
    root.set("xmlns:xlink", _XLINK)
    return ET.tostring(root)
