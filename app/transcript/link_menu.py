"""The menu of a link in an answer."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.widgets.labels import tip
from app.widgets.popups import Menu

# Other schemes could start a program on this computer.
_OPENED = ("http", "https", "mailto")
# In pixels. The host comes first, so it is always visible.
_WIDEST_ADDRESS = 480
_ENCODED = QUrl.ComponentFormattingOption.FullyEncoded


class LinkMenu(Menu):
    """Shows the address of a link, opens it and copies it. A model wrote the link, so it may be deceptive."""

    def fill(self, address: str) -> None:
        self.clear()
        link = QUrl(address)
        user, _, host = link.authority(_ENCODED).rpartition("@")
        if user:
            # The user name may look like a host.
            link.setAuthority(host)
        text = _displayed(link) or address
        elided = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, _WIDEST_ADDRESS)
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
    """Return the address with its escapes decoded, or encoded if it could be mistaken for another one."""
    encoded = link.toString(_ENCODED)
    decoded = link.toString()
    return decoded if link.host().isascii() and decoded.isprintable() else encoded
