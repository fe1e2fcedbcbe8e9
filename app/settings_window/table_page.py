"""A page made from the declared settings: each declaration gives a row its control, words and range."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.settings.control import SettingControl
from app.settings.declarations import PAGES, settings_of
from app.settings.setting import Setting
from app.settings.store import SettingsStore
from app.settings_window.form import Form, Row
from app.widgets.buttons import button, fold_head
from app.widgets.labels import show_words
from app.widgets.theme import scaled
from app.widgets.theme_aware import ThemeAware

# In pixels at the normal text size: wider controls, such as one with the name of a computer, stand by themselves.
_WIDEST_ALIGNED = 320
# The pages whose changes an answer under way does not follow.
_WITH_NEXT_ANSWER = ("speculation", "generation")


class TablePage(ThemeAware, Form):
    """The rows of one page, which follow every change of the settings. The rare ones are below the others, folded.

    A subclass calls `ThemeAware.restyle` once the page is complete.
    """

    def __init__(self, page: str, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.settings = settings
        self._page = page
        declared = sorted(settings_of(page), key=lambda setting: setting.is_rare)
        self._setting_controls = [SettingControl(setting, self, partial(self._keep, setting)) for setting in declared]
        self.more = fold_head(self)
        self._rare_rows: list[Row] = []
        # A search shows the rows that it finds even while the fold is closed.
        self._is_searched = False
        self._add_setting_rows()
        self.reset = button(self, self._reset, "link")
        self._head.addWidget(self.reset)
        settings.subscribe(self.show_values)

    def _add_setting_rows(self) -> None:
        """Add a row for each setting, and the fold above the first rare one."""
        values = self.settings.values
        for control in self._setting_controls:
            setting = control.setting
            if setting.is_rare and not self._rare_rows:
                self.add_line(8, self.more)
            row = self.row(control.widget)
            if setting.is_rare:
                self._rare_rows.append(row)
                # What was changed is never hidden when the page opens.
                self.more.setChecked(self.more.isChecked() or getattr(values, setting.key) != setting.default)
        self.more.toggled.connect(self._fold_rare)
        self._fold_rare()

    def _fold_rare(self) -> None:
        """Show the rare settings if the fold is open or a search is under way."""
        self.more.setVisible(bool(self._rare_rows) and not self._is_searched)
        for row in self._rare_rows:
            row.set_folded(not self._is_searched and not self.more.isChecked())

    def show_matching(self, text: str) -> bool:
        self._is_searched = bool(text)
        self._fold_rare()
        return super().show_matching(text)

    def control(self, key: str) -> QWidget:
        """Return the widget in which a setting is entered."""
        widgets: dict[str, QWidget] = {control.setting.key: control.widget for control in self._setting_controls}
        return widgets[key]

    def row_of(self, key: str) -> Row:
        """Return the row of a setting."""
        return next(row for row in self.rows if row.control is self.control(key))

    def values_shown(self) -> dict[str, Any]:
        """Return the values to show, by key."""
        values = self.settings.values
        return {control.setting.key: getattr(values, control.setting.key) for control in self._setting_controls}

    def is_changed(self) -> bool:
        """Whether there is anything to reset."""
        values = self.settings.values
        settings = [control.setting for control in self._setting_controls]
        return any(getattr(values, setting.key) != setting.default for setting in settings)

    def show_values(self) -> None:
        """Show the values, and the button that resets them if there is anything to reset."""
        values = self.values_shown()
        for control in self._setting_controls:
            control.show_value(values[control.setting.key])
        self.reset.setVisible(self.is_changed())

    def keep_typed(self) -> None:
        """Apply the text of fields that are still being edited."""
        fields = [
            (control.setting.key, control.widget)
            for control in self._setting_controls
            if isinstance(control.widget, QLineEdit)
        ]
        # All at once, because a change of one setting resets the texts of the others.
        self.settings.change(**{key: field.text().strip() for key, field in fields})

    def _reset(self) -> None:
        """Set all settings of the page to their defaults."""
        self.settings.change(**{control.setting.key: control.setting.default for control in self._setting_controls})

    def _keep(self, setting: Setting, value: Any) -> None:
        """Store a value that the user entered."""
        self.settings.change(**{setting.key: value})

    def retranslate(self) -> None:
        translate = QCoreApplication.translate
        self.title.setText(translate("Settings", PAGES[self._page]))
        self.reset.setText(translate("Settings", "Restore defaults"))
        self.more.setText(translate("Settings", "More"))
        waits = self._page in _WITH_NEXT_ANSWER
        show_words(self.note, translate("Settings", "Changes take effect with the next answer.") if waits else "")
        for row, control in zip(self.rows, self._setting_controls, strict=False):
            setting = control.setting
            # As in the list of pages, the words of its choices and those in English find it, too.
            row.other_words = "\n".join((*setting.texts, *(translate("Settings", text) for text in setting.texts)))
            row.set_words(translate("Settings", setting.title), translate("Settings", setting.help))
            control.retranslate()
        self.show_values()
        self._align_controls()

    def apply_text_size(self) -> None:
        self._align_controls()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._align_controls()

    def _align_controls(self) -> None:
        """Make the controls, all but switches, as wide as the widest that is not very wide: they begin at one place."""
        controls = [control for control in self._setting_controls if control.least_width]
        for control in controls:
            control.widget.ensurePolished()
        widths = [max(control.least_width, control.widget.sizeHint().width()) for control in controls]
        width = max((width for width in widths if width <= scaled(_WIDEST_ALIGNED)), default=0)
        for control in controls:
            control.widget.setMinimumWidth(max(control.least_width, width))
