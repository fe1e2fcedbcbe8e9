"""The process that draws the preview of a code block: SVG by QSvgRenderer, HTML by QTextDocument.

It gets the source from its standard input and writes a PNG to its standard output, or nothing. It opens no file and no
connection for what it draws. The system ends it when it computes for too long, `app.chat.preview` when it takes too
much memory.
"""

from __future__ import annotations

import resource
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QBuffer, QRectF, QSize, Qt, QUrl
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QTextDocument
from PySide6.QtSvg import QSvgRenderer

# The largest preview, and what a smaller drawing is enlarged to, in pixels of the window; each is `SCALE` pixels wide.
BOX, LEAST, SCALE = QSize(680, 1000), QSize(160, 160), 2
# Of a page without a style: its margin, and the size of its letters.
_MARGIN, _LETTERS = 12, 15
_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_UNWANTED = frozenset({"image", "feImage", "script", "foreignObject"})


def main(arguments: Sequence[str]) -> None:
    """Draw the source on the standard input.

    The arguments are the seconds that this process may compute, its start included, and the kind, "svg" or "html".
    """
    seconds, kind = int(arguments[0]), arguments[1]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    _application = QGuiApplication([])
    source = sys.stdin.buffer.read().decode()
    image = svg_image(source) if kind == "svg" else html_image(source)
    buffer = QBuffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    sys.stdout.buffer.write(buffer.data().data())


def svg_image(source: str) -> QImage:
    """Draw an SVG, at its own size if that fits into `BOX`. Raises `ValueError` if it is none."""
    renderer = QSvgRenderer(safe_svg(source))
    size = renderer.defaultSize()
    if not renderer.isValid() or size.isEmpty():
        raise ValueError("not an SVG")
    if size.boundedTo(BOX) != size:
        size.scale(BOX, Qt.AspectRatioMode.KeepAspectRatio)
    elif size.expandedTo(LEAST) == LEAST:
        size.scale(LEAST, Qt.AspectRatioMode.KeepAspectRatio)
    image = _blank(size.expandedTo(QSize(1, 1)))
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        renderer.render(painter, QRectF(0, 0, size.width(), size.height()))
    return image


def safe_svg(source: str) -> bytes:
    """Return an SVG without what names a file or an address, and without entities. Raises `ValueError` or `ParseError`.

    QtSvg reads local files that a picture or a style sheet names.
    """
    if "<!ENTITY" in source:
        raise ValueError("entities can grow without bounds")
    # The parser drops processing instructions, one of which names style sheets.
    root = ET.fromstring(source.strip())
    for element in root.iter():
        for child in [child for child in element if _local(child.tag) in _UNWANTED]:
            element.remove(child)
        element.tag = _local(element.tag)
        for name, value in list(element.attrib.items()):
            del element.attrib[name]
            if _local(name) != "href":
                element.set(_local(name), value)
            elif value.startswith("#"):
                element.set("xlink:href", value)
    root.set("xmlns", _SVG)
    root.set("xmlns:xlink", _XLINK)
    return ET.tostring(root)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def html_image(source: str) -> QImage:
    """Draw HTML on a page as wide as `BOX`, the beginning of one that is higher."""
    page = _Page()
    page.setDocumentMargin(_MARGIN)
    font = page.defaultFont()
    font.setPixelSize(_LETTERS)
    page.setDefaultFont(font)
    page.setHtml(source)
    page.setTextWidth(BOX.width())
    image = _blank(QSize(BOX.width(), round(page.size().height())).boundedTo(BOX))
    with QPainter(image) as painter:
        page.drawContents(painter, QRectF(0, 0, BOX.width(), BOX.height()))
    return image


class _Page(QTextDocument):
    """HTML that loads nothing. A grey pixel stands for every picture: for none, Qt would open the file itself."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:  # noqa: ARG002
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return None
        pixel = QImage(1, 1, QImage.Format.Format_ARGB32)
        pixel.fill(QColor("#d8d8d8"))
        return pixel


def _blank(size: QSize) -> QImage:
    """Return a white picture of that size in pixels of the window."""
    image = QImage(size * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    image.fill(Qt.GlobalColor.white)
    return image
