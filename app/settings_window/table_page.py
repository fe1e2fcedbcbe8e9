"""A page made from the declared settings: each row's control, words and range follow from its declaration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from app.settings.declarations import settings_of
from app.settings.setting import NEXT_ANSWER, NEXT_MODEL, NEXT_START, Setting
from app.settings.store import SettingsStore
from app.settings_window.form import Form
from app.system.language import LANGUAGES
from app.widgets.controls import Chooser, Number, Switch, WholeNumber, number_box
from app.widgets.layouts import hbox
from app.widgets.popups import round_field_menu
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.errors import joined


class TablePage(Restyled, Form):
    """The rows of one page, which follow the settings whoever changes them.

    `title` is untranslated, of the context "Settings". Whoever makes the finished page calls its `restyle`.
    """

    def __init__(self, page: str, title: str, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.settings, self._title = settings, title
        self._bound: list[tuple[Setting, QWidget, Callable[[Any], None]]] = []
        for setting in settings_of(page):
            control, show = self._control(setting)
            self._bound.append((setting, control, show))
            self.row(control)
        self.reset = styled(QPushButton(self), "link")
        self.reset.clicked.connect(self._reset)
        line = hbox(margins=(0, 4, 0, 0))
        line.addWidget(self.reset)
        line.addStretch(1)
        self._below = QWidget(self)
        self._below.setLayout(line)
        self.add(self._below)
        settings.subscribe(self.show_values)

    def control(self, key: str) -> QWidget:
        return next(control for setting, control, _ in self._bound if setting.key == key)

    def values_shown(self) -> dict[str, Any]:
        """What the rows show, by key."""
        return {setting.key: getattr(self.settings.values, setting.key) for setting, _, _ in self._bound}

    def is_changed(self) -> bool:
        """Whether there is anything to reset."""
        return any(getattr(self.settings.values, one.key) != one.default for one, _, _ in self._bound)

    def show_values(self) -> None:
        values = self.values_shown()
        for setting, control, show in self._bound:
            control.blockSignals(True)
            show(values[setting.key])
            control.blockSignals(False)
            control.update()
        self._below.setVisible(self.is_changed())

    def keep_typed(self) -> None:
        """Take the text of fields that are still being edited."""
        fields = [(setting.key, control) for setting, control, _ in self._bound if isinstance(control, QLineEdit)]
        # All at once: changing one setting shows the kept values of the others.
        self.settings.change(**{key: field.text().strip() for key, field in fields})

    def _reset(self) -> None:
        self.settings.change(**{setting.key: setting.default for setting, _, _ in self._bound})

    def _keep(self, setting: Setting, value: Any) -> None:
        self.settings.change(**{setting.key: value})

    def _control(self, setting: Setting) -> tuple[QWidget, Callable[[Any], None]]:
        def keep(value: Any) -> None:
            self._keep(setting, value)

        if setting.choices:
            chooser = Chooser(self, (value for value, _ in setting.choices), keep)
            return chooser, chooser.set_value
        if isinstance(setting.default, bool):
            switch = Switch(self)
            switch.toggled.connect(keep)
            return switch, switch.setChecked
        if isinstance(setting.default, (int, float)):
            is_whole = isinstance(setting.default, int)
            box = number_box(self, setting.least, setting.most, setting.step, is_whole, keep)
            box.setGroupSeparatorShown(is_whole and setting.grouped)
            box.setMinimumHeight(32)
            return box, box.setValue
        field = QLineEdit(self)
        round_field_menu(field)
        field.setMinimumWidth(220)
        field.editingFinished.connect(lambda: self._keep(setting, field.text().strip()))
        return field, field.setText

    def _word_rows(self) -> None:
        translate = QCoreApplication.translate
        self.title.setText(translate("Settings", self._title))
        self.reset.setText(translate("Settings", "Restore defaults"))
        effects = {
            NEXT_ANSWER: translate("Settings", "Changes apply from the next answer."),
            NEXT_MODEL: translate("Settings", "Applies the next time a model is loaded."),
            NEXT_START: translate("Settings", "Takes effect after a restart."),
        }
        # What holds for most rows is said once, above them; the other rows say when they take effect.
        common, count = Counter(setting.effect for setting, _, _ in self._bound).most_common(1)[0]
        note = effects.get(common, "") if 2 * count > len(self._bound) else ""
        self.note.setText(note)
        self.note.setVisible(bool(note))
        for row, (setting, control, _) in zip(self.rows, self._bound, strict=False):
            help_ = translate("Settings", setting.help)
            if setting.effect in effects and not (note and setting.effect == common):
                help_ = joined(help_, effects[setting.effect])
            row.set_words(translate("Settings", setting.title), help_)
            if isinstance(control, Chooser):
                choices = setting.choices
                control.set_texts(
                    translate("Settings", words) if words else LANGUAGES[value] for value, words in choices
                )
            elif isinstance(control, (WholeNumber, Number)) and setting.least_words:
                control.setSpecialValueText(translate("Settings", setting.least_words))

    def retranslate(self) -> None:
        self._word_rows()
        self.show_values()
