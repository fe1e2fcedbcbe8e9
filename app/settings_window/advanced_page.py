"""The advanced settings, the diagnostics file, and the check of this Mac."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.conversations.database.records import AnswerSource
from app.library.library import Library
from app.session.session import Session
from app.settings.checkup import gather, report, write_diagnostics
from app.settings.declarations import PAGES, SettingsValues
from app.settings.engine_settings import speculation_of
from app.settings.store import SettingsStore
from app.settings_window.pages import PageParts
from app.settings_window.table_page import TablePage
from app.system.background import Background
from app.system.log_buffer import LOG_BUFFER
from app.widgets.buttons import CONFIRMED_MS, CopyButton, button
from app.widgets.labels import label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import record_view
from app.widgets.theme_aware import ThemeAware
from app.wording.checkup import page
from app.wording.errors import error_sentence
from engine.bench.pair_check import PairCheck, check_pair
from engine.machine.facts import MachineFacts, read_facts

_LATEST_ANSWERS = 20
# Of a page whose lines are not wrapped.
_REPORT_HEIGHT = 290


class AdvancedPage(TablePage):
    """The advanced settings and what else few people need.

    `open_page` shows the page of settings whose id it is called with.
    """

    def __init__(
        self,
        library: Library,
        session: Session,
        open_page: Callable[[str], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("advanced", library.settings, parent)
        self._library = library
        self._session = session
        # Once a Mac is named, the page is in the list.
        self.machines = button(self, lambda: open_page("machines"))
        self.machines_row = self.row(self.machines)
        self.check = MacCheck(session, library.settings, self)
        self.check_button = button(self, self.check.toggle)
        self.check_row = self.row(self.check_button)
        self.report = CheckReport(self.check, self)
        self.add(self.report)
        self.export = self.bound("Export diagnostics…", button(self, self._choose_file))
        self.bound(
            "Saves versions, settings, statistics and the log to a file you can review and share",
            self.export,
            QWidget.setToolTip,
        )
        self.add_line(8, self.export)
        self.outcome = label(self, "muted", wraps=True)
        self.add(self.outcome)
        self.check.changed.connect(self._set_check_texts)
        self.restyle()

    def _set_check_texts(self) -> None:
        """Say what the check does, or that it runs."""
        if self.check.running:
            words = self.tr("Checking. The loaded models are measured for about half a minute.")
        else:
            words = self.tr(
                "Reads the chip, memory, power, heat and local network, and measures the loaded models for about half "
                "a minute. macOS may ask about the local network."
            )
        self.check_button.setText(self.tr("Stop") if self.check.running else self.tr("Check now"))
        self.check_row.set_words(self.tr("Check this Mac"), words)

    def show_values(self) -> None:
        super().show_values()
        self.machines_row.set_due(not self.settings.values.machines)

    def _choose_file(self) -> None:
        name = str(Path.home() / "tandem-diagnostics.json")
        file, _ = QFileDialog.getSaveFileName(self, self.tr("Export diagnostics"), name, "JSON (*.json)")
        if file:
            self.export_to(Path(file))

    def export_to(self, file: Path) -> None:
        """Write the diagnostics file and show its path."""
        figures = [turn.answer.stats for turn in self._session.chat.turns[-_LATEST_ANSWERS:]]
        values = self.settings.values
        log = LOG_BUFFER.text
        pair = self._session.models.pair
        facts = ("name", "architecture", "bytes", "context_length")
        loaded = {"main": pair.main, "draft": pair.draft}
        models = {role: model and {name: getattr(model, name) for name in facts} for role, model in loaded.items()}

        good = self.tr("Saved to {file}. It contains no chat text.").format(file=file)
        bad = self.tr("The file could not be saved. Choose another folder.")
        work = partial(write_diagnostics, file, values, log, models, figures)
        say = partial(show_words, self.outcome)
        self._library.background.run(work, lambda _: say(good), lambda _: say(bad), owner=self)

    def retranslate(self) -> None:
        super().retranslate()
        show_words(self.outcome, "")
        self.machines.setText(self.tr("Set up…"))
        title = QCoreApplication.translate("Settings", PAGES["machines"])
        self.machines_row.set_words(title, self.tr("Splits a model too large for one Mac."))
        self._set_check_texts()


class _CheckResult(NamedTuple):
    """The facts that a check read and what it measured of the loaded pair, with the settings at that time."""

    facts: MachineFacts
    pair: PairCheck | None
    values: SettingsValues


class MacCheck(QObject):
    """Reads the facts and measures the loaded pair. `changed` follows its begin and its end.

    `found` has what `gather` makes of it, None before the first check. A question that is asked meanwhile ends it.
    """

    changed = Signal()

    def __init__(self, session: Session, settings: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self._background = Background("mac-check", parent=self)
        self._stopped = threading.Event()
        self._result: _CheckResult | None = None
        self.running = False
        session.answers.asked.connect(lambda: self._stopped.set())
        session.history.measured_changed.connect(self.changed)

    @property
    def found(self) -> dict[str, Any] | None:
        """The check as data, with sentences in the language of the window."""
        if self._result is None:
            return None
        facts, pair, values = self._result
        error = pair.error if pair is not None else None
        pair_times = None if pair is None else self._session.history.speedup_of(*_pair_of(pair, values))
        return gather(facts, values, pair, "" if error is None else error_sentence(error), pair_times)

    def toggle(self) -> None:
        """Start a check, or stop the one that runs."""
        if self.running:
            self._stopped.set()
            return
        stopped = self._stopped = threading.Event()
        models = self._session.models
        loaded = models.pair.main is not None and not models.pair.loading
        main, draft = models.pair.names
        engine = models.engine if loaded else None
        values = self._settings.values

        def work() -> _CheckResult:
            facts = read_facts()
            if engine is None:
                return _CheckResult(facts, None, values)
            return _CheckResult(facts, check_pair(engine, main, draft, stopped, speculation_of(values)), values)

        self.running = True
        self._background.run(work, self._take, owner=self)
        self.changed.emit()

    def _take(self, result: _CheckResult) -> None:
        self.running = False
        self._result = result
        pair = result.pair
        if pair is not None and pair.times is not None:
            self._session.history.add_comparison(*_pair_of(pair, result.values), pair.times)
        self.changed.emit()


def _pair_of(pair: PairCheck, values: SettingsValues) -> tuple[str, str]:
    """Return the key of the checked pair in the history's figures."""
    return AnswerSource(pair.main, pair.draft, speculation_of(values).method).pair


class CheckReport(ThemeAware, QWidget):
    """The page of the last check, with a button that copies it. Hidden before the first check."""

    def __init__(self, check: MacCheck, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._check = check
        self.view = self.bound("Results of the check", record_view(self), QWidget.setAccessibleName)
        self.view.setFixedHeight(_REPORT_HEIGHT)
        self.copy_page = CopyButton(self, self.view.toPlainText)
        self.bound("Copy as text", self.copy_page, QWidget.setAccessibleName)
        self.copy_report = self.bound("Copy report", button(self, self._copy_report))
        self.bound(
            "Copies the figures and the names of published models as one JSON object, for the table in Tandem's "
            "README. Nothing is sent.",
            self.copy_report,
            QWidget.setToolTip,
        )
        buttons = fill(hbox(margins=(0, 8, 0, 0), spacing=8), self.copy_page, self.copy_report, 1)
        fill(vbox(self, margins=(0, 12, 0, 12), spacing=0), self.view, buttons)
        check.changed.connect(self.retranslate)
        self.restyle()

    def _copy_report(self) -> None:
        if (checkup := self._check.found) is not None:
            QGuiApplication.clipboard().setText(report(checkup))
            self.copy_report.setText(self.tr("Copied"))
            QTimer.singleShot(CONFIRMED_MS, self, lambda: self.copy_report.setText(self.tr("Copy report")))

    def retranslate(self) -> None:
        checkup = self._check.found
        self.setVisible(checkup is not None)
        if checkup is not None:
            self.view.setPlainText(page(checkup))


def build(parts: PageParts) -> AdvancedPage:
    """Return the page Advanced."""
    return AdvancedPage(parts.library, parts.session, parts.open_page)
