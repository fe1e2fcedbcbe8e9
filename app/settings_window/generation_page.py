"""The settings of generation: sampling, length, thinking, and what happens when the context is full."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from app.session.model_service import ModelService
from app.settings.engine_settings import SAMPLING_KEYS, choice_of_sampling, recommended_of, sampling_values
from app.settings.setting import Setting
from app.settings.store import SettingsStore
from app.settings_window.pages import PageParts
from app.settings_window.table_page import TablePage
from app.widgets.labels import WrappedLabel, show_words
from app.widgets.style_class import styled
from app.wording.models import recommendation_text


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


def build(parts: PageParts) -> GenerationPage:
    """Return the page Generation."""
    return GenerationPage(parts.library.settings, parts.session.models)
