"""A button that opens a page of an answer in the browser."""

from __future__ import annotations

import logging
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


def is_page(source: str, language: str) -> bool:
    """Whether a code block is HTML."""
    named = language.lower() in ("html", "htm", "xhtml")
    return named or source.lstrip()[:14].lower().startswith(("<!doctype html", "<html"))


class PageButton(ThemeAware, QPushButton):
    """Opens the HTML that `source` returns in the browser, once a person has read what that means and agreed."""

    def __init__(self, parent: QWidget, source: Callable[[], str]) -> None:
        super().__init__(parent)
        set_style_class(self, "small")
        self._source = source
        self._disk = Background("pages", parent=self)
        self.bound("Open in the browser…", self)
        self.clicked.connect(self._ask)
        self.restyle()

    def _ask(self) -> None:
        self.setText(self.tr("Open in the browser…"))
        # The answer may go on while a person reads the question.
        source = self._source()
        question = QMessageBox(self)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setText(self.tr("Open this page in the browser?"))
        question.setInformativeText(
            self.tr("The model wrote it. In the browser, its scripts run and can use the network.")
        )
        question.addButton(self.tr("Open"), QMessageBox.ButtonRole.AcceptRole)
        question.setDefaultButton(question.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        question.accepted.connect(lambda: self._disk.run(lambda: write_page(source), self._open, self._fail))
        question.open()

    def _open(self, page: Path) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(page))):
            self._fail(OSError("there is no browser"))

    def _fail(self, error: Exception) -> None:
        log.info("a page cannot be opened: %s", error)
        self.setText(self.tr("Could not be opened"))
