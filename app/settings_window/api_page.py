"""The page of the local API: its state, what other programs need to connect, and their newest requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from app.agents.connecting import ConfigChange, NotConnected, connected, plan, take_back, write
from app.agents.table import APPS, App, declared_endpoint
from app.library.library import Library
from app.session.api_service import ApiService, network_address
from app.settings_window.pages import PageParts
from app.settings_window.table_page import TablePage
from app.widgets.buttons import CopyButton, button
from app.widgets.controls import Chooser
from app.widgets.labels import fixed_font, label, show_words
from app.widgets.layouts import fill, hbox
from app.widgets.overlay import Overlay
from app.widgets.popups import record_view
from app.widgets.theme_aware import ThemeAware
from app.wording.agents import next_sentence, plan_sentence, refusal_sentence, room_sentence, written_sentence
from app.wording.api import call_line, problem_sentence
from app.wording.figures import joined_lines
from app.wording.tools import DOTS

_CALLS_SHOWN = 8
_CURL = (
    "curl {address}/v1/chat/completions{key} -H 'Content-Type: application/json' "
    """-d '{{"messages": [{{"role": "user", "content": "Hello"}}]}}'"""
)
# The variables that the official libraries of both APIs read.
_VARIABLES = """\
export OPENAI_BASE_URL={address}/v1
export OPENAI_API_KEY={key}
export ANTHROPIC_BASE_URL={address}
export ANTHROPIC_API_KEY={key}
"""


class ConnectCard(ThemeAware, Overlay):
    """Sets a program up to use the API: shows all that it would write, writes it at a click, and takes it back."""

    def __init__(self, library: Library, window: QWidget) -> None:
        super().__init__(window, 620)
        self._library = library
        self._settings = library.settings
        self._plan: ConfigChange | None = None
        self._said = ""

    def make(self) -> None:
        """Make the widgets of the card, when it first opens."""
        title = self.bound("Connect an app", label(self, "title"))
        self.apps = self.bound("App", Chooser(self, APPS, lambda _id: self._choose()), QWidget.setAccessibleName)
        self.apps.set_texts([app.name for app in APPS.values()])
        self.intro, self.then, self.result = (label(self, "muted", wraps=True) for _ in range(3))
        self.text = self.bound("What is written", record_view(self), QWidget.setAccessibleName)
        self.write = self.bound("Write the file", button(self, self._write))
        self.turn_on = self.bound("Turn on the local API", button(self, self._turn_on))
        self.undo = self.bound("Take back", button(self, self._take_back))
        self.copy_text = CopyButton(self, self.text.toPlainText)
        self.copy_command = CopyButton(self, lambda: self._plan.start_command if self._plan else "")
        self.bound("Copy the command", self.copy_command, QWidget.setAccessibleName)
        close = self.bound("Close", button(self, self.close_overlay))
        buttons = fill(
            hbox(margins=(0, 4, 0, 0), spacing=8), self.write, self.undo, self.turn_on, self.copy_text, 1, close
        )
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
        inventory = self._library.inventory
        installed = inventory.installed if inventory is not None else ()
        contexts = {
            model.name: model.context or 0 for model in installed if "main" in model.kinds and not model.partial
        }
        endpoint = replace(declared_endpoint(self._settings.values), contexts=contexts)
        self._plan = shown = plan(self._app, endpoint)
        is_on = self._settings.values.api_serve
        self.turn_on.setVisible(not is_on)
        off = "" if is_on else self.tr("The local API is off: turn it on for the app.")
        self.intro.setText(plan_sentence(shown))
        self.text.setPlainText(shown.text)
        self.then.setText(joined_lines(next_sentence(shown), off, room_sentence(self._app, endpoint)))
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

    def _turn_on(self) -> None:
        self._settings.change(api_serve=True)
        self._show()

    def _take_back(self) -> None:
        self._try(lambda: self.tr("Taken back: {file}").format(file=take_back(self._app)))

    def _try(self, act: Callable[[], str]) -> None:
        """Do what writes a file, and show the sentence that it returns, or why it was refused."""
        try:
            self._said = act()
        except NotConnected as error:
            self._said = refusal_sentence(error)
        self._show()


class ApiPage(TablePage):
    """Shows the state of the service, with buttons that copy the texts."""

    def __init__(self, library: Library, api: ApiService, parent: QWidget | None = None) -> None:
        super().__init__("api", library.settings, parent)
        self._library = library
        self._api = api
        self.state = self.row(None)
        self.copy_address, self.copy_example, self.copy_key, self.copy_variables, self.copy_ollama = (
            CopyButton(self, text)
            for text in (self._base, self._example, lambda: api.key, self._variables, lambda: self._address)
        )
        self.new_key = self.bound("New key", button(self, api.renew_key))
        self.show_key = button(self, self._show)
        self.show_key.setCheckable(True)
        self.address = self.row(self.copy_address)
        keys = QWidget(self)
        fill(hbox(keys, margins=(0, 0, 0, 0), spacing=8), self.show_key, self.copy_key, self.new_key)
        self.key = self.row(keys)
        self.example = self.row(self.copy_example)
        for row in (self.address, self.key, self.example):
            row.help.setFont(fixed_font())
        self.connect_app = self.bound("Connect an app…", button(self, self._connect_app))
        self.apps = self.row(self.connect_app)
        self.card: ConnectCard | None = None
        self.programs = self.row(self.copy_variables)
        self.ollama = self.row(self.copy_ollama)
        self.calls = self.row(None)
        self.lines = label(self, "muted", wraps=True)
        api.changed.connect(self._show)
        self.restyle()

    def _connect_app(self) -> None:
        if self.card is None:
            self.card = ConnectCard(self._library, self.window())
        self.card.open()

    @property
    def _address(self) -> str:
        status = self._api.status
        return status.address if status is not None else ""

    def _base(self) -> str:
        return f"{self._address}/v1"

    def _example(self) -> str:
        return self._example_with(self._api.key)

    def _example_with(self, key: str) -> str:
        return _CURL.format(address=self._address, key=f" -H 'Authorization: Bearer {key}'" if key else "")

    def _variables(self) -> str:
        # The libraries require a key.
        return _VARIABLES.format(address=self._address, key=self._api.key or "none")

    def _show(self, *_: object) -> None:
        """Show the state of the server and what programs need to reach it."""
        is_shown = self.show_key.isChecked()
        self.show_key.setText(self.tr("Hide") if is_shown else self.tr("Show"))
        status = self._api.status
        problem = self._api.problem
        for row in (self.address, self.example, self.programs, self.ollama, self.calls):
            row.set_due(status is not None)
        self.key.set_due(status is not None and bool(self._api.key))
        if problem is not None:
            state = problem_sentence(problem)
        elif status is None:
            state = self.tr("The local API is off.")
        elif status.local:
            state = self.tr("Running, for programs on this Mac only.")
        elif network_address():
            state = self.tr("Running, for programs on your network.")
        else:
            state = self.tr("Running, but this Mac has no network address.")
        self.state.set_words(self.tr("Status"), state)
        self.apps.set_words(
            self.tr("Agents and editors"),
            self.tr(
                "Sets up coding agents, editors and other apps to use the loaded model. You first see what is written."
            ),
        )
        if status is None:
            return
        self.address.set_words(self.tr("Address"), self._base())
        key = self._api.key if is_shown or not self._api.key else DOTS
        self.key.set_words(self.tr("Key"), key)
        self.example.set_words(self.tr("Try it in a terminal"), self._example_with(key))
        self.programs.set_words(
            self.tr("In other programs"),
            self.tr(
                "Choose “OpenAI-compatible” as the provider, enter the address above as the base URL, and any model "
                "name or “default”. As the key, enter the one above, or anything if there is none. For tools in a "
                "terminal, copy the variables that the official libraries read."
            ),
        )
        words = self.tr("The base address, without a path.")
        if self._api.key:
            words = self.tr(
                "The base address, without a path. For programs without a field for a key, put the key into the "
                "address: http://KEY@{place} or {address}/KEY"
            ).format(place=status.address.removeprefix("http://"), address=status.address)
        self.ollama.set_words(self.tr("For programs that use Ollama"), f"{status.address}\n{words}")
        newest = [*reversed(status.under_way), *reversed(self._api.ended)][:_CALLS_SHOWN]
        lines = "\n".join(call_line(call) for call in newest)
        self.calls.set_words(self.tr("Requests"), lines or self.tr("No requests yet."))

    def hideEvent(self, event: QHideEvent) -> None:
        """Hide the key again."""
        super().hideEvent(event)
        self.show_key.setChecked(False)
        self._show()

    def retranslate(self) -> None:
        super().retranslate()
        self._show()


def build(parts: PageParts) -> ApiPage:
    """Return the page Local API."""
    return ApiPage(parts.library, parts.session.api)
