"""A picture as a thumbnail, in the message box and in the transcript, and the large view that a click opens."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QImage,
    QImageIOHandler,
    QImageReader,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.conversations.database.records import Attachment
from app.conversations.pictures import PictureSource, picture_in
from app.system.background import BackgroundCache
from app.widgets import theme
from app.widgets.buttons import CloseButton
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, set_name
from app.widgets.layouts import FlowLayout, fill, hbox
from app.widgets.overlay import Overlay
from app.widgets.theme_aware import ThemeAware

# How many thumbnails stay decoded.
_MOST_THUMBNAILS = 60
# How many large pictures stay decoded. One takes up to 30 MB.
_MOST_LARGE_PICTURES = 2
_CORNER_RADIUS = 8
_THUMBNAIL_GAP = 6
# The smallest side of a thumbnail, in pixels.
_LEAST_SIDE = 24
# In the large view, the space around a picture and the height of the line above it, in pixels.
_FRAME_WIDTH = 24
_HEAD_HEIGHT = 44


class PictureAtSize(NamedTuple):
    """A picture's file or content, and the width and height in device pixels in which it is shown."""

    file: Path | bytes
    width: int
    height: int


@cache
def decoded_pictures(most: int) -> BackgroundCache[PictureAtSize, QImage]:
    """Return a cache of `most` decoded pictures; a null image stands for a picture that is missing."""
    return BackgroundCache("pictures", lambda key: decoded(*key), most)


def decoded(file: Path | bytes, width: int, height: int) -> QImage:
    """Decode the picture in a file or in memory at most at this size, upright. May be called on any thread."""
    buffer = QBuffer()
    if isinstance(file, bytes):
        buffer.setData(file)
        buffer.open(QBuffer.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer) if isinstance(file, bytes) else QImageReader(str(file))
    # The file's name is its digest.
    reader.setDecideFormatFromContent(True)
    reader.setAutoTransform(True)
    box = QSize(width, height)
    if reader.transformation() & QImageIOHandler.Transformation.TransformationRotate90:
        box.transpose()
    if (size := reader.size()).isValid() and (size.width() > box.width() or size.height() > box.height()):
        reader.setScaledSize(size.scaled(box, Qt.AspectRatioMode.KeepAspectRatio).expandedTo(QSize(1, 1)))
    return reader.read()


class _Painted(QAbstractButton):
    """Paints a picture into its whole area, once it is decoded. Pictures of its kind share a cache of `most`."""

    def __init__(self, most: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._pictures = decoded_pictures(most)
        self._pictures.ready.connect(self.update)

    def show_file(self, file: Path | bytes, size: QSize, box: QSize) -> None:
        """Show a picture at `size`, decoded for `box`, so that another size needs no decoding."""
        self._file = file
        self._box = box
        self.setFixedSize(size)

    def paintEvent(self, _event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        area = QRectF(self.rect())
        width = round(self._box.width() * ratio)
        height = round(self._box.height() * ratio)
        key = PictureAtSize(self._file, width, height)
        with QPainter(self) as painter:
            painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
            outline = QPainterPath()
            outline.addRoundedRect(area, _CORNER_RADIUS, _CORNER_RADIUS)
            painter.setClipPath(outline)
            shown = self._pictures.known[key] if self._pictures.request(key) else None
            # The model also sees transparent pixels as white.
            painter.fillRect(area, QColor("white" if shown and not shown.isNull() else theme.colours().line))
            if shown is not None and shown.isNull():
                mark = QRectF(0, 0, 18, 18)
                mark.moveCenter(area.center())
                icon("warning").paint(painter, mark.toRect())
            elif shown is not None:
                painter.drawImage(area, shown)
            if self.hasFocus():
                painter.setPen(QPen(QColor(theme.colours().main), 4))
                painter.drawPath(outline)


class PictureButton(ThemeAware, _Painted):
    """A thumbnail as large as `most` allows; small pictures are not enlarged. A click shows the picture large."""

    def __init__(self, attachment: Attachment, files: PictureSource, most: QSize, parent: QWidget) -> None:
        super().__init__(_MOST_THUMBNAILS, parent)
        assert attachment.picture is not None
        self.attachment = attachment
        full = QSize(attachment.picture.width, attachment.picture.height)
        size = full.scaled(full.boundedTo(most), Qt.AspectRatioMode.KeepAspectRatio)
        file = picture_in(files, attachment.picture.digest)
        self.show_file(file, size.expandedTo(QSize(_LEAST_SIDE, _LEAST_SIDE)), size)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clicked.connect(lambda: PictureView.of(self.window()).show_picture(attachment, file))
        self.restyle()

    def retranslate(self) -> None:
        set_name(self, self.tr("Picture: {name}").format(name=self.attachment.name))


class Thumbnails(QWidget):
    """The pictures of a message in rows, hidden if there are none. It sets its own height for its width."""

    def __init__(self, files: PictureSource, most: QSize, parent: QWidget) -> None:
        super().__init__(parent)
        self._files = files
        self._most = most
        self._shown: Sequence[Attachment] = ()
        self._flow = FlowLayout(self, _THUMBNAIL_GAP)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    @property
    def row_width(self) -> int:
        """The width of all pictures in one row."""
        return sum(button.width() + _THUMBNAIL_GAP for button in self.findChildren(PictureButton)) - _THUMBNAIL_GAP

    def show_pictures(self, attachments: Sequence[Attachment]) -> None:
        """Show the pictures; there are only ever more of them."""
        for attachment in attachments[len(self._shown) :]:
            self._flow.addWidget(PictureButton(attachment, self._files, self._most, self))
        self._shown = attachments
        self.setVisible(bool(attachments))
        self._fit()

    def hasHeightForWidth(self) -> bool:
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(max(1, self._flow.heightForWidth(self.width())))


class PictureView(ThemeAware, Overlay):
    """A card with one picture, as large as the window allows."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, 0)
        self._full = QSize()
        self.name = ElidedLabel(self, Qt.TextElideMode.ElideMiddle)
        self.close_button = CloseButton(self, self.close_overlay)
        self._picture = _Painted(_MOST_LARGE_PICTURES, self)
        self._picture.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._picture.clicked.connect(self.close_overlay)
        fill(self.column, fill(hbox(spacing=8), (self.name, 1), self.close_button), self._picture)
        self.restyle()

    @staticmethod
    def of(window: QWidget) -> PictureView:
        """Return the view of a window, which is made when it is first needed."""
        return window.findChild(PictureView) or PictureView(window)

    def show_picture(self, attachment: Attachment, file: Path | bytes) -> None:
        assert attachment.picture is not None
        self._file = file
        self._full = QSize(attachment.picture.width, attachment.picture.height)
        words = self.tr("{name} · {width} × {height} pixels")
        self.name.setText(words.format(name=attachment.name, width=self._full.width(), height=self._full.height()))
        self._picture.setAccessibleName(attachment.name)
        self.open()
        self.close_button.setFocus()

    def fit_in_window(self) -> None:
        room = self._window.size() - QSize(2 * _FRAME_WIDTH, 2 * _FRAME_WIDTH + _HEAD_HEIGHT) - QSize(24, 24)
        ratio = self.devicePixelRatioF()
        full = QSize(max(1, round(self._full.width() / ratio)), max(1, round(self._full.height() / ratio)))
        size = full.scaled(full.boundedTo(room), Qt.AspectRatioMode.KeepAspectRatio)
        self._picture.show_file(self._file, size, self.screen().size())
        self.resize(max(size.width(), 240) + 24, size.height() + _HEAD_HEIGHT + 24)
        self.move((self._window.width() - self.width()) // 2, (self._window.height() - self.height()) // 2)
        self._shade.setGeometry(self._window.rect())
