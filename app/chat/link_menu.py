"""The menu of a link in an answer. A model wrote the link, so it may be made to deceive."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.widgets.labels import tip
from app.widgets.popups import Menu

# Anything else could start a program of this computer.
_OPENED = ("http", "https", "mailto")
# In pixels. The host comes first and is always visible.
_WIDEST = 480
_ENCODED = QUrl.ComponentFormattingOption.FullyEncoded


class LinkMenu(Menu):
    """Shows where the link goes; opens and copies it."""

    def fill(self, address: str) -> None:
        self.clear()
        link = QUrl(address)
        user, _, host = link.authority(_ENCODED).rpartition("@")
        if user:
            # The part before the host may look like a host.
            link.setAuthority(host)
        text = _displayed(link) or address
        elided = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, _WIDEST)
        shown = self.addAction(elided.replace("&", "&&"))
        shown.setEnabled(False)
        shown.setToolTip(tip(text) if elided != text else "")
        self.setToolTipsVisible(elided != text)
        self.addSeparator()
        opening = self.addAction(self.tr("Open in the browser"))
        opening.setEnabled(link.scheme() in _OPENED)
        opening.triggered.connect(lambda: QDesktopServices.openUrl(link))
        self.addAction(self.tr("Copy the address")).triggered.connect(
            lambda: QGuiApplication.clipboard().setText(address)
        )


def _displayed(link: QUrl) -> str:
    """The address with its escapes decoded, or encoded where it could be mistaken for another one."""
    encoded, decoded = link.toString(_ENCODED), link.toString()
    return decoded if link.host().isascii() and decoded.isprintable() else encoded
