"""The check of this Mac in the settings: it runs on a thread of its own, and its report can be copied."""

from __future__ import annotations

import json
import threading
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from app.session.session import Session
from app.settings.checkup import gather, page
from app.system.background import Background
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import record_view
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.errors import error_sentence
from engine.bench.pair_check import PairCheck, check_pair
from engine.machine.facts import MachineFacts, read_facts

# Of a page whose lines are not wrapped.
_HEIGHT = 290


class MacCheck(QObject):
    """Reads the facts and measures the loaded pair. `changed` follows its begin and its end.

    `found` has what `gather` makes of it, None before the first check. A question that is asked meanwhile ends it.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._background = Background("mac-check", parent=self)
        self._stop = threading.Event()
        self._result: tuple[MachineFacts, PairCheck | None] | None = None
        self.running = False
        session.answers.asked.connect(self._stop_measuring)

    @property
    def found(self) -> dict[str, Any] | None:
        """The check as data, with sentences in the language of the window."""
        if self._result is None:
            return None
        facts, pair = self._result
        error = pair.error if pair is not None else None
        return gather(facts, pair, "" if error is None else error_sentence(error))

    def toggle(self) -> None:
        """Start a check, or stop the one that runs."""
        if self.running:
            self._stop_measuring()
            return
        stop = self._stop = threading.Event()
        models = self._session.models
        loaded, (main, draft) = models.pair.main is not None and not models.pair.loading, models.pair.names
        engine = models.engine if loaded else None

        def work() -> tuple[MachineFacts, PairCheck | None]:
            return read_facts(), None if engine is None else check_pair(engine, main, draft, stop)

        self.running = True
        self._background.run(work, self._take, owner=self)
        self.changed.emit()

    def _stop_measuring(self) -> None:
        self._stop.set()

    def _take(self, result: tuple[MachineFacts, PairCheck | None]) -> None:
        self.running, self._result = False, result
        self.changed.emit()


class CheckReport(Restyled, QWidget):
    """The page of the last check, with buttons that copy it as a page or as JSON. Hidden before the first check."""

    def __init__(self, check: MacCheck, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._check = check
        self.view = self.bound("Results of the check", record_view(self), QWidget.setAccessibleName)
        self.view.setFixedHeight(_HEIGHT)
        self.copy_page = self.bound("Copy as text", styled(QPushButton(self), "button"))
        self.copy_json = self.bound("Copy as JSON", styled(QPushButton(self), "button"))
        self.copy_page.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.view.toPlainText()))
        self.copy_json.clicked.connect(
            lambda: QGuiApplication.clipboard().setText(json.dumps(self._check.found, ensure_ascii=False, indent=1))
        )
        buttons = fill(hbox(margins=(0, 8, 0, 0), spacing=8), self.copy_page, self.copy_json, 1)
        fill(vbox(self, margins=(0, 12, 0, 12), spacing=0), self.view, buttons)
        check.changed.connect(self.retranslate)
        self.restyle()

    def retranslate(self) -> None:
        found = self._check.found
        self.setVisible(found is not None)
        if found is not None:
            self.view.setPlainText(page(found))
