"""A sheet with every notice of the window."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsOpacityEffect, QToolButton

from app.widgets.application import Application
from tests.app.every_notice import EVERY_NOTICE
from tests.app.scripts import Script
from tests.app.shown_library import ShownLibrary
from tests.app.window_driver import WindowDriver
from tests.tools.window_pictures import SIZES, opened, settle

_GAP = 8


def notices(application: Application, folder: Path, name: str) -> None:
    """Save all notices below each other, in a window of each size."""
    for width, height in SIZES:
        with TemporaryDirectory() as home:
            library = ShownLibrary(Path(home))
            shown, _ = opened(application, [Script("One.")], library=library)
            shown.resize(width, height)
            sheet = _sheet(application, shown, library)
            sheet.save(str(folder / f"notices-{name}-{width}.png"))
            shown.close()


def _sheet(application: Application, shown: WindowDriver, library: ShownLibrary) -> QPixmap:
    pictures = []
    # The one that cannot be closed comes last.
    for notice in sorted(EVERY_NOTICE.values(), key=lambda one: one is EVERY_NOTICE["unsaved"]):
        notice.tell(shown, library)
        settle(application, lambda: bool(shown.notices))
        shown.settle()
        # Until it has faded in.
        settle(application, lambda: not shown.banner.findChildren(QGraphicsOpacityEffect))
        pictures.append(shown.banner.grab())
        for one in shown.banner.shown:
            if notice is not EVERY_NOTICE["unsaved"]:
                one.findChild(QToolButton).click()
    sizes = [one.deviceIndependentSize().toSize() for one in pictures]
    ratio = pictures[0].devicePixelRatio()
    # Drawn in points, of which a sharp screen has fewer than pixels.
    sheet = QPixmap(
        round(ratio * max(size.width() for size in sizes)),
        round(ratio * sum(size.height() + _GAP for size in sizes)),
    )
    sheet.setDevicePixelRatio(ratio)
    sheet.fill(shown.window.palette().window().color())
    painter, top = QPainter(sheet), 0
    for one, size in zip(pictures, sizes, strict=True):
        painter.drawPixmap(0, top, one)
        top += size.height() + _GAP
    painter.end()
    return sheet
