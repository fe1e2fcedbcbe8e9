"""Where a link of an answer goes, and what can be done with it. A model wrote it, so it may be made to deceive."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu

from app.widgets.labels import tip

# Anything else could start a program of this computer.
_OPENED = ("http", "https", "mailto")
# In pixels; the host comes first, and so is always in sight.
_WIDEST = 480
_ENCODED = QUrl.ComponentFormattingOption.FullyEncoded


class LinkMenu(QMenu):
    """Shows an address; opens and copies it."""

    def fill(self, address: str) -> None:
        self.clear()
        link = QUrl(address)
        user, _, host = link.authority(_ENCODED).rpartition("@")
        if user:
            # It may look like the host, and is not.
            link.setAuthority(host)
        words = _in_words(link) or address
        fitting = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, _WIDEST)
        shown = self.addAction(fitting.replace("&", "&&"))
        shown.setEnabled(False)
        shown.setToolTip(tip(words) if fitting != words else "")
        self.setToolTipsVisible(fitting != words)
        self.addSeparator()
        opening = self.addAction(self.tr("Open in the browser"))
        opening.setEnabled(link.scheme() in _OPENED)
        opening.triggered.connect(lambda: QDesktopServices.openUrl(link))
        self.addAction(self.tr("Copy the address")).triggered.connect(
            lambda: QGuiApplication.clipboard().setText(address)
        )


def _in_words(link: QUrl) -> str:
    """The address as it reads, or in the letters that are sent where it could read as another one."""
    sent, words = link.toString(_ENCODED), link.toString()
    ascii_host = link.host().isascii()
    return words if ascii_host and words.isprintable() else sent
