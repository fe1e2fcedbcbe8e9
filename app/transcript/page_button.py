"""Buttons that open a page or a diagram of an answer in the browser."""

from __future__ import annotations

import base64
import json
import logging
import zlib
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QPushButton, QWidget

from app.system.background import Background
from app.system.opened_pages import write_page
from app.widgets.style_class import set_style_class
from app.widgets.theme_aware import ThemeAware

log = logging.getLogger(__name__)

# Characters of a diagram's source. Browsers do not take an address of any length.
_LONGEST_DIAGRAM = 20_000
_MERMAID_LIVE = "https://mermaid.live/edit#pako:"


def is_page(source: str, language: str) -> bool:
    """Whether a code block is HTML."""
    named = language.lower() in ("html", "htm", "xhtml")
    return named or source.lstrip()[:14].lower().startswith(("<!doctype html", "<html"))


def is_mermaid(source: str, language: str) -> bool:
    """Whether a code block is a diagram in Mermaid's language that may be opened."""
    return language.lower() == "mermaid" and source.strip() != "" and len(source) <= _LONGEST_DIAGRAM


def mermaid_address(source: str) -> str:
    """Return the address at which mermaid.live draws a source: packed, behind the "#" that browsers do not send."""
    state = {"code": source, "mermaid": '{"theme": "default"}', "autoSync": True, "updateDiagram": True}
    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(state).encode(), 9))
    return _MERMAID_LIVE + packed.decode().rstrip("=")


class BrowserButton(ThemeAware, QPushButton):
    """Opens something in the browser, once a person has read what that means and agreed.

    `source` returns the code of what is to be opened.
    """

    def __init__(self, parent: QWidget, source: Callable[[], str]) -> None:
        super().__init__(parent)
        set_style_class(self, "small")
        self._source = source
        self.clicked.connect(self._ask)
        self.restyle()

    def _words(self) -> str:
        """Return the words on the button."""
        raise NotImplementedError

    def _question(self) -> tuple[str, str]:
        """Return the question, and what it means to agree."""
        raise NotImplementedError

    def _agree(self, source: str) -> None:
        """Open the code."""
        raise NotImplementedError

    def _ask(self) -> None:
        self.setText(self._words())
        # The answer may go on while a person reads the question.
        source = self._source()
        text, meaning = self._question()
        question = QMessageBox(self)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setText(text)
        question.setInformativeText(meaning)
        question.addButton(self.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
        question.setDefaultButton(question.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        question.accepted.connect(lambda: self._agree(source))
        question.open()

    def _open(self, url: QUrl) -> None:
        if not QDesktopServices.openUrl(url):
            self._fail(OSError("there is no browser"))

    def _fail(self, error: Exception) -> None:
        log.info("code cannot be opened in the browser: %s", error)
        self.setText(self.tr("Could not be opened"))

    def retranslate(self) -> None:
        self.setText(self._words())


class PageButton(BrowserButton):
    """Opens HTML from a file of its own."""

    def __init__(self, parent: QWidget, source: Callable[[], str]) -> None:
        super().__init__(parent, source)
        self._disk = Background("pages", parent=self)

    def _words(self) -> str:
        return self.tr("Open in the browser…")

    def _question(self) -> tuple[str, str]:
        return (
            self.tr("Open this page in the browser?"),
            self.tr("The model wrote it. In the browser, its scripts run and can use the network."),
        )

    def _agree(self, source: str) -> None:
        self._disk.run(lambda: write_page(source), self._open_file, self._fail)

    def _open_file(self, page: Path) -> None:
        self._open(QUrl.fromLocalFile(str(page)))


class MermaidButton(BrowserButton):
    """Opens a diagram in Mermaid's language on mermaid.live."""

    def _words(self) -> str:
        return self.tr("Open in mermaid.live…")

    def _question(self) -> tuple[str, str]:
        return (
            self.tr("Open this diagram on mermaid.live?"),
            self.tr(
                "Its text goes into the part of the address that browsers do not send. The website's scripts read it"
                " there and draw it. They could pass it on."
            ),
        )

    def _agree(self, source: str) -> None:
        self._open(QUrl(mermaid_address(source)))
