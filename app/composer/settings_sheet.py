"""The card with a chat's own preset, system prompt and settings."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QPushButton, QToolButton, QWidget

from app.composer.answer_format import AnswerFormatField
from app.composer.choice_buttons import DEFAULTS, choose, chosen_in, name_of, presets_of
from app.composer.prompt_field import PromptField
from app.conversations.chat_settings import ANSWER_FORMAT, SPECULATION_KEYS
from app.conversations.presets import Preset
from app.session import prompt_variables
from app.session.session import Session
from app.settings.control import SettingControl
from app.settings.declarations import SETTINGS
from app.settings.engine_settings import SAMPLING_KEYS
from app.widgets.buttons import CloseButton, fold_head
from app.widgets.controls import Chooser
from app.widgets.icons import icon
from app.widgets.keys import is_escape
from app.widgets.labels import WrappedLabel, label, set_name
from app.widgets.layouts import fill, hbox, keep_right_edge, settle_layouts, vbox
from app.widgets.overlay import HighArea, Overlay
from app.widgets.search_field import TextField
from app.widgets.style_class import named, styled
from app.widgets.theme import scaled
from app.widgets.theme_aware import ThemeAware
from app.wording.models import recommendation_text

# The settings that many people change in a chat; the others are folded.
_FREQUENT = ("temperature", "max_tokens", "thinking", "method")
# The least width of a control in a narrow window, in pixels.
_NARROWEST_CONTROL = 120
# The height of a window, in pixels at the normal text size, below which the system prompt leaves room for the rest.
_LOW_WINDOW_HEIGHT = 600


class SettingRow(QObject):
    """The widgets in one row of a grid. `changed` carries the key and the value, None for the default.

    The sheet with the row calls `retranslate`.
    """

    changed = Signal(str, object)

    def __init__(self, key: str, grid: QGridLayout, parent: QWidget) -> None:
        super().__init__(parent)
        self.setting = SETTINGS[key]
        self.key = key
        self.name = QLabel(parent)
        self.reset = styled(QToolButton(parent), "quiet")
        self.reset.setIcon(icon("retry"))
        self.reset.setFixedSize(24, 24)
        self.reset.setIconSize(QSize(14, 14))
        self._is_own = False
        self._is_folded = False
        self.reset.clicked.connect(lambda: self.changed.emit(key, None))
        line = grid.rowCount()
        self._made = SettingControl(self.setting, parent, lambda value: self.changed.emit(key, value))
        self.control = self._made.widget
        # Otherwise the control keeps its minimum width from another language.
        self.control.setMinimumWidth(_NARROWEST_CONTROL)
        for column, part in enumerate((self.name, self.reset, self.control)):
            grid.addWidget(part, line, column)
        self.set_folded(False)

    def set_folded(self, is_folded: bool) -> None:
        """Hide the row, or show it again."""
        self._is_folded = is_folded
        for part in (self.name, self.control):
            part.setHidden(is_folded)
        # In a row that is shown it keeps its size, so that nothing moves when the chat gets a value of its own.
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(not is_folded)
        self.reset.setSizePolicy(policy)
        self.reset.setVisible(self._is_own and not is_folded)

    def show_value(self, default: Any, override: Any) -> None:
        """Show the chat's own value, or the default if it has none (None)."""
        self._made.show_value(default if override is None else override)
        self._is_own = override is not None
        self.reset.setVisible(self._is_own and not self._is_folded)
        # The name of the chat's own value is bold.
        font = self.name.font()
        font.setBold(override is not None)
        self.name.setFont(font)

    def retranslate(self) -> None:
        translate = QCoreApplication.translate
        name, help_ = (translate("Settings", words) for words in (self.setting.title, self.setting.help))
        self.name.setText(name)
        self.name.setToolTip(help_)
        self.control.setAccessibleName(name)
        self.control.setAccessibleDescription(help_)
        self.control.setToolTip(help_)
        set_name(self.reset, translate("SettingRow", "Reset {name}").format(name=name))
        self._made.retranslate()


# The margins leave space for the focus frame on the left and for the scroll bar on the right.
_SIDES = (4, 0, 12, 0)
_GENERATION = (*SAMPLING_KEYS, "max_tokens", "seed", "thinking", "overflow")
_SHOWN = (*(key for key in SETTINGS if key in _GENERATION), *SPECULATION_KEYS)
_FOLDED = tuple(key for key in _SHOWN if key not in _FREQUENT)


class ChatSettingsSheet(ThemeAware, Overlay):
    """The card. Every change takes effect from the next answer on. What few people change is folded below the rest."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window, 640)
        self._session = session

    def open(self) -> None:
        super().open()
        # Only a card that is shown has the height that its rows need.
        settle_layouts()
        self.fit_in_window()

    def make(self) -> None:
        self._title = self.bound("Chat settings", label(self, "title"))
        self._saved = label(self, "muted", wraps=True)
        self.presets = self.bound("Preset", Chooser(self, chosen=self._choose), QWidget.setAccessibleName)
        # Its text is elided before the buttons next to it are cut off.
        self.presets.setMinimumWidth(96)
        self.name = self.bound("Preset name", TextField(self), QLineEdit.setPlaceholderText, QWidget.setAccessibleName)
        self.save = self.bound("Save as preset", styled(QPushButton(self), "button"))
        self.delete = self.bound("Delete", styled(QPushButton(self), "button"))
        self.bound("Delete the preset", self.delete, QWidget.setAccessibleName)
        self.begin = self.bound("Use for new chats", styled(QPushButton(self), "button"))
        self.reset = self.bound("Reset all", styled(QPushButton(self), "button"))
        self.prompt = PromptField(self)
        self.format = AnswerFormatField(self)
        self.recommendation = styled(WrappedLabel(self), "muted")
        self.rows: dict[str, SettingRow] = {}
        self.more = fold_head(self)
        self._build()
        self._connect()
        self.restyle()

    def _build(self) -> None:
        body = named(QWidget(self), "overlayBody")
        line = fill(hbox(spacing=8), (self.presets, 1), (self.name, 1), self.save, self.delete)
        # One grid, so that the folded ones have the same columns.
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(2, 1)
        for key in _FREQUENT:
            self.rows[key] = SettingRow(key, grid, body)
        grid.addWidget(self.more, grid.rowCount(), 0, 1, 3, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self.recommendation, grid.rowCount(), 0, 1, 3)
        for key in _FOLDED:
            self.rows[key] = SettingRow(key, grid, body)
        column = vbox(body, margins=_SIDES, spacing=12)
        fill(column, line, self.prompt, self.format, grid, 1)
        area = HighArea(self)
        area.setWidget(body)
        keep_right_edge(area, column)
        head = fill(hbox(margins=_SIDES), (self._title, 1), CloseButton(self, self.close_overlay))
        footer = fill(hbox(margins=_SIDES, spacing=8), (self._saved, 1), self.begin, self.reset)
        fill(self.column, head, (area, 1), footer)

    def _connect(self) -> None:
        self.prompt.edited.connect(lambda text: self._keep(text, self._session.chat.own))
        self.format.edited.connect(lambda chosen: self._changed(ANSWER_FORMAT, chosen or None))
        self.save.clicked.connect(self._save)
        self.name.returnPressed.connect(self._save)
        self.delete.clicked.connect(self._delete)
        self.begin.clicked.connect(self._begin_with)
        self.more.toggled.connect(self._fold)
        self.reset.clicked.connect(lambda: self._choose(DEFAULTS))
        for row in self.rows.values():
            row.changed.connect(self._changed)
        settings = self._session.settings
        for changed in (
            *(self._session.chats.opened, settings.chat_changed, settings.presets_changed),
            *(settings.speculation_changed, settings.defaults_changed),
        ):
            changed.connect(self.refresh)

    def fill(self) -> None:
        self._saved.setText("")
        self.name.hide()
        self.presets.show()
        self.more.setChecked(False)
        self.refresh()
        self._fold()
        self.prompt.edit.setFocus()

    def fit_in_window(self) -> None:
        self.prompt.make_low(self._window.height() < scaled(_LOW_WINDOW_HEIGHT))
        super().fit_in_window()

    def _fold(self) -> None:
        is_open = self.more.isChecked()
        self.recommendation.setVisible(is_open and bool(self.recommendation.text()))
        for key in _FOLDED:
            self.rows[key].set_folded(not is_open)
        if self.isVisible():
            settle_layouts()
            self.fit_in_window()

    def refresh(self) -> None:
        """Show the settings of the chat on screen."""
        session = self._session
        chat = self._session.chat
        self.prompt.show_prompt(chat.system_prompt, prompt_variables.values(session.models.pair))
        self.format.show_format(chat.own.get(ANSWER_FORMAT, ""))
        defaults = session.settings.defaults.values()
        for key, row in self.rows.items():
            row.show_value(defaults[key], chat.own.get(key))
        # What the chat has chosen is not hidden.
        self.more.setChecked(self.more.isChecked() or any(key in chat.own for key in _FOLDED))
        self.recommendation.setText(recommendation_text(session.models.pair.main))
        self.recommendation.setVisible(self.more.isChecked() and bool(self.recommendation.text()))
        chosen = chosen_in(session)
        listed = presets_of(session)
        self.presets.clear()
        for preset in listed if chosen is not None else [None, *listed]:
            self.presets.addItem(name_of(preset), preset)
        self.presets.setCurrentIndex(listed.index(chosen) if chosen is not None else 0)
        self.delete.setEnabled(chosen is not None and bool(chosen.name))
        self.reset.setEnabled(bool(chat.system_prompt or chat.own))
        now = session.chats.preset_of_new_chats
        self.begin.setEnabled((now.system_prompt, now.own) != (chat.system_prompt, chat.own))

    def _keep(self, prompt: str, overrides: dict[str, Any]) -> None:
        self._saved.setText("")
        self._session.settings.set_own(self._session.chat, prompt, overrides)

    def _changed(self, key: str, value: Any) -> None:
        chat = self._session.chat
        overrides = {name: other_value for name, other_value in chat.own.items() if name != key}
        if value is not None:
            overrides[key] = value
        self._keep(chat.system_prompt, overrides)

    def _choose(self, preset: Preset | None) -> None:
        if preset is not None:
            self._saved.setText("")
            choose(self._session, preset)

    def _save(self) -> None:
        """Replace the chooser by a field for the name; when called again, save the preset."""
        if self.name.isHidden():
            self.presets.hide()
            self.name.clear()
            self.name.show()
            self.name.setFocus()
            return
        if name := self.name.text().strip():
            self._session.settings.save_preset(name)
            self._saved.setText(self.tr("Saved as “{name}”.").format(name=name))
        self.name.hide()
        self.presets.show()
        self.presets.setFocus()

    def _delete(self) -> None:
        if (chosen := chosen_in(self._session)) is not None:
            self._session.settings.delete_preset(chosen.name)

    def _begin_with(self) -> None:
        chat = self._session.chat
        self._session.settings.begin_chats_with(chat.system_prompt, chat.own)
        self.refresh()
        self._saved.setText(self.tr("New chats will use these settings."))

    def retranslate(self) -> None:
        self.more.setText(QCoreApplication.translate("Settings", "More"))
        for row in self.rows.values():
            row.retranslate()
        self.refresh()

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        is_pressed = event.type() == QEvent.Type.KeyPress and is_escape(event)
        if is_pressed and watched is self.name and not self.name.isHidden():
            self.name.hide()
            self.presets.show()
            return True
        return super().eventFilter(watched, event)
