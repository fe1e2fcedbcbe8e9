"""The window About Tandem: the version and the licences, as the first command of the app's menu shows them on macOS."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from app.settings.window_geometry import within
from app.system.paths import resource
from app.system.versions import installed_version
from app.widgets import theme
from app.widgets.buttons import button
from app.widgets.icons import Mark, icon
from app.widgets.labels import label
from app.widgets.layouts import fill, vbox
from app.widgets.theme_aware import ThemeAware

# The full licence texts of all packages.
_NOTICES = resource("NOTICES.txt")
# Pixels at the normal text size.
_WINDOW_WIDTH = 340
_MARK_SIZE = 56


class AboutWindow(ThemeAware, QWidget):
    """A small window above the main one. Its widgets are made when it first opens."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Dialog)
        self.setObjectName("about")

    def open(self) -> None:
        """Show the window and bring it to the front."""
        if not self._is_built:
            self._make()
        if not self.isVisible():
            self._place()
        self.show()
        self.activateWindow()

    def _make(self) -> None:
        """Make the widgets."""
        centre = Qt.AlignmentFlag.AlignHCenter
        mark = Mark(_MARK_SIZE, self, icon("tandem"))
        name = label(self, "title")
        # A checkout has no version.
        name.setText(f"Tandem {installed_version('tandem-chat')}".strip())
        self._licence = label(self, "muted", wraps=True)
        self._qt = label(self, "muted", wraps=True)
        for line in (name, self._licence, self._qt):
            line.setAlignment(centre)
            line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.licences = button(self, lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(_NOTICES))), "link")
        self.bound("Show all licenses", self.licences)
        # The file exists only in bundles; elsewhere each package comes with its own licence.
        self.licences.setVisible(_NOTICES.is_file())
        column = vbox(self, margins=(24, 24, 24, 24), spacing=8)
        for widget in (mark, name):
            column.addWidget(widget, 0, centre)
        fill(column, self._licence, self._qt)
        column.addWidget(self.licences, 0, centre)
        self.restyle()

    def _place(self) -> None:
        """Stand above the middle of the main window, as far as the screen allows."""
        window = self.parentWidget()
        assert window is not None
        place = self.geometry()
        place.moveCenter(window.frameGeometry().center())
        self.setGeometry(within(place, window.screen()))

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("About Tandem"))
        self._licence.setText(self.tr("{name}, under the Apache License 2.0.").format(name="Tandem"))
        self._qt.setText(
            self.tr(
                "The interface is built with Qt, used unmodified under the GNU Lesser General Public License, version "
                "3. You may replace Qt with your own version; its source code is available from the Qt Project."
            )
        )
        self.apply_text_size()

    def apply_text_size(self) -> None:
        for text in (self._licence, self._qt):
            text.setFixedWidth(theme.scaled(_WINDOW_WIDTH))
            text.setFixedHeight(text.heightForWidth(text.width()))
        self.resize(self.sizeHint())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape or event.matches(QKeySequence.StandardKey.Close):
            self.close()
        else:
            super().keyPressEvent(event)
