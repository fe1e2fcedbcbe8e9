"""The QApplication: name, style, theme, language, icon. The window is made elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFileOpenEvent, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from app.system.language import Language
from app.system.paths import in_bundle, resource
from app.widgets.theme import Theme
from engine.machine import process_info

_NAME = "Tandem"


class Application(QApplication):
    """The only QApplication of the process: applies the theme and the user's language."""

    document_opened = Signal(str)
    """Carries the path of a file that was opened with the app in the Finder or dropped on its icon in the Dock."""
    quit_wanted = Signal(object)
    """Carries the event of a wish to quit, also of the system or the Dock's menu. Who ignores it prevents that."""

    def __init__(self, arguments: list[str], language: str = "system") -> None:
        QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
        info = process_info.process_info()
        if info is not None and not in_bundle():
            info.name_program(_NAME)
        self.setApplicationName(_NAME)
        super().__init__(arguments)
        self.setApplicationDisplayName(_NAME)
        self.setDesktopFileName("tandem")
        self.setStyle("fusion")
        picture = QIcon(str(resource("icons", "tandem.svg")))
        if info is None:
            self.setWindowIcon(picture)
        elif not in_bundle():
            # It replaces Python's icon in the Dock; a bundle has its own.
            self.setWindowIcon(_in_dock(picture))
        self.language = Language(self)
        self.language.choose(language)
        self.theme = Theme(self)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent):
            self.document_opened.emit(event.file())
            return True
        if event.type() == QEvent.Type.Quit:
            self.quit_wanted.emit(event)
            if not event.isAccepted():
                return True
        return super().event(event)


def _in_dock(picture: QIcon) -> QIcon:
    """Return a picture with the margin that macOS leaves around an icon's shape: 824 of 1024."""
    drawn = QPixmap(512, 512)
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        picture.paint(painter, drawn.rect().adjusted(50, 50, -50, -50))
    return QIcon(drawn)
