"""The card "Connect an app": what another program needs to use the local API, written at a click."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton, QWidget

from app.agents.connecting import NotConnected, Plan, connected, plan, take_back, write
from app.agents.endpoint import declared_endpoint
from app.agents.table import APPS, App
from app.settings.store import SettingsStore
from app.widgets.controls import Chooser
from app.widgets.copy_button import CopyButton
from app.widgets.labels import label, show_words
from app.widgets.layouts import fill, hbox
from app.widgets.overlay import Overlay
from app.widgets.popups import record_view
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.agents import next_sentence, plan_sentence, refusal_sentence, written_sentence


class ConnectCard(Restyled, Overlay):
    """Shows all that it would write, writes it at a click, and takes it back."""

    def __init__(self, settings: SettingsStore, window: QWidget) -> None:
        super().__init__(window, 620)
        self._settings = settings
        self._plan: Plan | None = None
        self._said = ""

    def make(self) -> None:
        title = self.bound("Connect an app", label(self, "title"))
        self.apps = self.bound("App", Chooser(self, APPS, lambda _id: self._choose()), QWidget.setAccessibleName)
        self.apps.set_texts([app.name for app in APPS.values()])
        self.intro, self.then, self.result = (label(self, "muted", wraps=True) for _ in range(3))
        self.text = self.bound("What is written", record_view(self), QWidget.setAccessibleName)
        self.write = self.bound("Write the file", styled(QPushButton(self), "button"))
        self.undo = self.bound("Take back", styled(QPushButton(self), "button"))
        self.copy_text = CopyButton(self, self.text.toPlainText)
        self.copy_command = CopyButton(self, lambda: self._plan.start_command if self._plan else "")
        self.bound("Copy the command", self.copy_command, QWidget.setAccessibleName)
        close = self.bound("Close", styled(QPushButton(self), "button"))
        self.write.clicked.connect(self._write)
        self.undo.clicked.connect(self._take_back)
        close.clicked.connect(self.close_overlay)
        buttons = fill(hbox(margins=(0, 4, 0, 0), spacing=8), self.write, self.undo, self.copy_text, 1, close)
        then = fill(hbox(margins=(0, 0, 0, 0), spacing=12), (self.then, 1), self.copy_command)
        fill(self.column, title, self.apps, self.intro, self.text, then, self.result, buttons)
        self.restyle()

    def fill(self) -> None:
        self._choose()
        self.apps.setFocus()

    def retranslate(self) -> None:
        self._show()

    @property
    def _app(self) -> App:
        return APPS[self.apps.currentData()]

    def _choose(self) -> None:
        self._said = ""
        self._show()

    def _show(self) -> None:
        """Plan again, because the file may have changed, and show that."""
        self._plan = shown = plan(self._app, declared_endpoint(self._settings.values))
        off = "" if self._settings.values.api_serve else self.tr("The local API is off: turn it on for the app.")
        self.intro.setText(plan_sentence(shown))
        self.text.setPlainText(shown.text)
        self.then.setText("\n".join(filter(None, (next_sentence(shown), off))))
        by_hand = shown.after is None
        self.write.setVisible(not by_hand)
        self.write.setEnabled(shown.writes)
        # What Tandem writes itself is of no use elsewhere.
        self.copy_text.setVisible(by_hand)
        self.copy_command.setVisible(bool(shown.start_command))
        self.undo.setVisible(connected(self._app))
        show_words(self.result, self._said)
        self.fit_in_window()

    def _write(self) -> None:
        planned = self._plan
        assert planned is not None
        self._try(lambda: written_sentence(write(planned)))

    def _take_back(self) -> None:
        self._try(lambda: self.tr("Taken back: {file}").format(file=take_back(self._app)))

    def _try(self, act: Callable[[], str]) -> None:
        try:
            self._said = act()
        except NotConnected as error:
            self._said = refusal_sentence(error)
        self._show()
