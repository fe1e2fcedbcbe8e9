"""The settings of sampling and context, below the sampling presets."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtWidgets import QPushButton, QWidget

from app.session.model_service import ModelService
from app.settings.engine_settings import (
    PRESETS,
    RECOMMENDED,
    SAMPLING_KEYS,
    as_recommended,
    choice_of_sampling,
    preset_in_use,
    recommended_of,
    sampling_values,
)
from app.settings.setting import Setting
from app.settings.store import SettingsStore
from app.settings_window.table_page import TablePage
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import WrappedLabel, show_words
from app.widgets.style_class import styled
from app.wording.models import recommendation_text


class GenerationPage(TablePage):
    """Shows the sampling in effect: the user's choice, else the recommendation of the loaded model's authors."""

    def __init__(self, settings: SettingsStore, models: ModelService, parent: QWidget | None = None) -> None:
        self._models = models
        super().__init__("generation", settings, parent)
        self.presets: dict[str, QPushButton] = {}
        line = QWidget(self.widget())
        row = FlowLayout(line, 8)
        for name in (RECOMMENDED, *PRESETS):
            button = styled(QPushButton(line), "button")
            button.setCheckable(True)
            button.clicked.connect(partial(self._use, name))
            row.addWidget(button)
            self.presets[name] = button
        self._word_presets()
        self._column.insertWidget(3, line)
        self.recommendation = styled(WrappedLabel(self.widget()), "muted")
        self.recommendation.setContentsMargins(0, 0, 0, 8)
        self._column.insertWidget(4, self.recommendation)
        models.changed.connect(self.show_values)
        self.restyle()

    def _use(self, name: str) -> None:
        chosen = as_recommended() if name == RECOMMENDED else choice_of_sampling(self.settings.values, PRESETS[name])
        self.settings.change(**chosen)
        self.show_values()

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
        chosen = preset_in_use(self.settings.values)
        for name, button in self.presets.items():
            button.setChecked(name == chosen)
        show_words(self.recommendation, recommendation_text(self._models.pair.main))

    def _word_presets(self) -> None:
        show = (QWidget.setToolTip, QWidget.setAccessibleDescription)
        recommended, precise, balanced, creative = self.presets.values()
        self.bound("Model's recommendation", recommended)
        self.bound("As the authors of the loaded model recommend", recommended, *show)
        self.bound("Precise", precise)
        self.bound("Always the most likely token", precise, *show)
        self.bound("Balanced", balanced)
        self.bound("Some variety, few surprises", balanced, *show)
        self.bound("Creative", creative)
        self.bound("Full variety, minus very unlikely tokens", creative, *show)
