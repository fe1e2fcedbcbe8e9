"""Builds the pages of the settings window; those of generation and the network, which add little, are also here.

Imported when the first page opens, because it imports all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QPushButton, QWidget

from app.library.library import Library
from app.models.model_controller import ModelController
from app.models.page import ModelsPage
from app.session.model_service import ModelService
from app.session.session import Session
from app.settings.engine_settings import SAMPLING_KEYS, choice_of_sampling, recommended_of, sampling_values
from app.settings.setting import Setting
from app.settings.store import SettingsStore
from app.settings_window.advanced_page import AdvancedPage
from app.settings_window.api_page import ApiPage
from app.settings_window.history_page import HistoryPage
from app.settings_window.machines_page import MachinesPage
from app.settings_window.speculation_page import SpeculationPage
from app.settings_window.storage_page import StoragePage
from app.settings_window.table_page import TablePage
from app.settings_window.tools_page import ToolsPage
from app.system.hot_key import hot_key
from app.widgets.labels import SentenceLabel, WrappedLabel, show_words
from app.widgets.outside import has_system_tray
from app.widgets.style_class import styled
from app.wording import privacy
from app.wording.errors import error_sentence, joined
from app.wording.models import recommendation_text
from engine.errors import EngineError
from engine.hub.values import ACCEPTED, REFUSED, UNKNOWN, AccessReport


def build_page(page_id: str, library: Library, session: Session, models: ModelController) -> QWidget:
    """Build the page of that id in `PAGES`."""
    settings = library.settings
    builders: dict[str, Callable[[], QWidget]] = {
        "general": lambda: GeneralPage(settings),
        "models": lambda: ModelsPage(library, session, models),
        "speculation": lambda: SpeculationPage(settings, session),
        "generation": lambda: GenerationPage(settings, session.models),
        "tools": lambda: ToolsPage(session),
        "history": lambda: _history_page(session, models),
        "storage": lambda: StoragePage(library, session),
        "network": lambda: _network_page(library, session),
        "api": lambda: ApiPage(library, session.api),
        "machines": lambda: MachinesPage(library, session),
        "advanced": lambda: AdvancedPage(library, session),
    }
    return builders[page_id]()


class GeneralPage(TablePage):
    """Turns off the settings of what this system does not have, and says so, and why a shortcut cannot be used."""

    def __init__(self, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__("general", settings, parent)
        self._enter_shortcut(settings.values.quick_entry)
        self.restyle()

    def _keep(self, setting: Setting, value: Any) -> None:
        if not setting.is_shortcut:
            super()._keep(setting, value)
        elif value != self.settings.values.quick_entry:
            self._enter_shortcut("" if value in ("Backspace", "Del") else value)
            self.retranslate()

    def _enter_shortcut(self, keys: str) -> None:
        shortcut = hot_key()
        self._keys, self._refused = keys, shortcut.choose(keys) if shortcut else ""
        if shortcut and self._refused:
            shortcut.choose(self.settings.values.quick_entry)
        else:
            self.settings.change(quick_entry=keys)

    def retranslate(self) -> None:
        super().retranslate()
        if not has_system_tray():
            self._say("menu_bar", self.tr("This desktop has no place for icons of programs."), enabled=False)
        if hot_key() is None:
            words = self.tr("Works only on a Mac. The command “Quick entry” opens the same window.")
            self._say("quick_entry", words, enabled=False)
        elif self._refused:
            taken = self.tr("{keys} belongs to another app or to macOS. Choose other keys.")
            rule = self.tr("{keys} does not work. Use ⌃, ⌥ or ⌘ with a letter, digit, space or function key.")
            keys = QKeySequence(self._keys).toString(QKeySequence.SequenceFormat.NativeText)
            self._say("quick_entry", (taken if self._refused == "taken" else rule).format(keys=keys))

    def _say(self, key: str, words: str, *, enabled: bool = True) -> None:
        row = next(row for row in self.rows if row.control is self.control(key))
        self.control(key).setEnabled(enabled)
        row.set_words(row.name.text(), words)


def _network_page(library: Library, session: Session) -> NetworkPage:
    settings = library.settings
    page = NetworkPage(library, lambda: privacy.network_sentence(session, settings.values))
    privacy.follow(session, settings, page, page.retranslate)
    return page


def _history_page(session: Session, models: ModelController) -> HistoryPage:
    page = HistoryPage(session.history)

    def show(chat_id: int, message_id: int) -> None:
        session.chats.show_message(chat_id, message_id, lambda _chat: models.chat_wanted.emit())

    page.answer_wanted.connect(show)
    return page


class GenerationPage(TablePage):
    """Shows the sampling in effect: the user's choice, else the authors' recommendation, else Tandem's own."""

    def __init__(self, settings: SettingsStore, models: ModelService, parent: QWidget | None = None) -> None:
        self._models = models
        super().__init__("generation", settings, parent)
        self.recommendation = styled(WrappedLabel(self.widget()), "muted")
        self.recommendation.setContentsMargins(0, 0, 0, 8)
        self._column.insertWidget(3, self.recommendation)
        models.changed.connect(self.show_values)
        self.restyle()

    def _keep(self, setting: Setting, value: Any) -> None:
        if setting.key in SAMPLING_KEYS:
            self.settings.change(**choice_of_sampling(self.settings.values, {setting.key: value}))
        else:
            super()._keep(setting, value)

    def _reset(self) -> None:
        self.settings.change(kept_sampling=())
        super()._reset()

    def values_shown(self) -> dict[str, Any]:
        recommended = recommended_of(self._models.pair.sampling)
        return {**super().values_shown(), **sampling_values(self.settings.values, recommended)}

    def is_changed(self) -> bool:
        return super().is_changed() or bool(self.settings.values.kept_sampling)

    def show_values(self) -> None:
        super().show_values()
        show_words(self.recommendation, recommendation_text(self._models.pair.main))


class NetworkPage(TablePage):
    """The settings of the network and the test. A field takes effect with Enter or when it loses the focus."""

    def __init__(self, library: Library, privacy: Callable[[], str] = str, parent: QWidget | None = None) -> None:
        """`privacy` says what leaves this computer; call `retranslate` when that has changed."""
        super().__init__("network", library.settings, parent)
        self._library, self._say_privacy = library, privacy
        self.token = self.secret_row()
        self.token.typed.connect(lambda token: library.keep_token(token, then=self._token_kept))
        # Whether the typed token is in the keychain; None before one was typed.
        self._kept: bool | None = None
        self._tests_token = False
        self.test = self.bound("Test", styled(QPushButton(self), "button"))
        self.bound("Test the connection", self.test, QWidget.setAccessibleName)
        self.test.clicked.connect(self._test)
        self.test_row = self.row(self.test)
        # The result of the last test, an error included; None before the first.
        self._found: AccessReport | EngineError | None = None
        self._privacy = styled(SentenceLabel(self.widget()), "reason-plain")
        self.add(self._privacy, 16)
        self.restyle()

    def _token_kept(self, kept: bool) -> None:
        self._kept = kept
        self.retranslate()
        if self._tests_token:
            self._tests_token = False
            self._library.check_access(self._tested, self._tested)

    def _test(self) -> None:
        """Test the texts in the fields, including edits that are not applied yet."""
        self.keep_typed()
        self.test.setEnabled(False)
        self.test_row.set_words(self.tr("Connection"), self.tr("Testing…"))
        # The test waits until the keychain has a new token.
        self._tests_token = self.token.take()
        if not self._tests_token:
            self._library.check_access(self._tested, self._tested)

    def _tested(self, found: AccessReport | EngineError) -> None:
        self._found = found
        self.test.setEnabled(True)
        self.retranslate()

    def retranslate(self) -> None:
        super().retranslate()
        self._privacy.setText(self._say_privacy())
        if self._kept is None:
            help_ = self.tr("For gated or private models. Stored only in the system keychain.")
        elif self._kept:
            help_ = self.tr("Your token is in the keychain.")
        else:
            help_ = self.tr("This Mac has no keychain that Tandem can use, so the token was not kept.")
        self.token.set_words(self.tr("Hugging Face token"), help_)
        self.test_row.set_words(self.tr("Connection"), _verdict(self._found))


def _verdict(found: AccessReport | EngineError | None) -> str:
    translate = QCoreApplication.translate
    if found is None:
        return translate("NetworkPage", "Checks the mirror, proxy and token with two small requests.")
    if isinstance(found, Exception):
        return error_sentence(found)
    reached = translate("NetworkPage", "Connected.")
    token = {
        ACCEPTED: translate("NetworkPage", "Token valid (account {user}).").format(user=found.user),
        REFUSED: translate("NetworkPage", "Token rejected: it is wrong, expired or revoked."),
        UNKNOWN: translate("NetworkPage", "The server does not report whether the token is valid."),
    }.get(found.token)
    return reached if token is None else joined(reached, token)
