"""Applies changed settings to the window and the session, and stores choices made elsewhere in the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from app.composer.composer import Composer
from app.session.api_service import ApiChoice
from app.session.session import Session
from app.settings.engine_settings import engine_settings_of, is_chosen, recommended_of, sampling_of, speculation_of
from app.settings.store import SettingsStore
from app.widgets.application import Application


class SettingsApplier(QObject):
    """Applies changed settings to the window and the session, and stores choices made elsewhere in the window.

    Language and theme are set before the window opens, so only their changes are applied.
    """

    def __init__(
        self, settings: SettingsStore, application: Application, session: Session, composer: Composer, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._application = application
        self._session = session
        self._composer = composer
        self._shown = settings.values
        self._closed = False
        self._apply_to_chats()
        application.theme.set_text_size(self._shown.text_size)
        settings.subscribe(self._changed)
        session.settings.speculation_changed.connect(self._keep_speculation)
        session.models.changed.connect(self._apply_to_answers)

    def close(self) -> None:
        """Ignore changes from now on: while the window closes they are no choices of the user."""
        self._closed = True

    def _changed(self) -> None:
        """Apply the settings that have changed."""
        if self._closed:
            return
        before = self._shown
        now = self._settings.values
        self._shown = now
        if now.language != before.language:
            self._application.language.choose(now.language)
        if now.theme != before.theme:
            self._application.theme.set_mode(now.theme)
        if now.text_size != before.text_size:
            self._application.theme.set_text_size(now.text_size)
        self._apply_to_chats()

    def _apply_to_chats(self) -> None:
        """Give the session, and the composer, the settings that they use."""
        values = self._settings.values
        session = self._session
        self._apply_to_answers()
        session.models.configure(engine_settings_of(values))
        session.api.configure(
            ApiChoice(
                serve=values.api_serve,
                port=values.api_port,
                network=values.api_network,
                origins=tuple(values.api_origins.split()),
                model_folders=tuple(Path(folder) for folder in values.model_folders),
                same_text=values.same_text,
            )
        )
        session.cluster.configure(values.machines)
        self._composer.set_send_key(values.send_key)

    def _apply_to_answers(self) -> None:
        """Set the defaults of answers, with the sampling that was chosen, is recommended, or is Tandem's own."""
        if self._closed:
            return
        values = self._settings.values
        session = self._session
        session.settings.temperature_chosen = is_chosen(values, "temperature")
        chosen = replace(
            session.settings.defaults,
            sampling=sampling_of(values, recommended_of(session.models.pair.sampling)),
            speculation=speculation_of(values),
            max_tokens=values.max_tokens or None,
            overflow=values.overflow,
            thinking=values.thinking,
        )
        session.settings.set_defaults(chosen)

    def _keep_speculation(self) -> None:
        """Store the speculation that was chosen elsewhere, for example in the picker of models."""
        chosen = self._session.settings.defaults.speculation
        self._settings.change(method=chosen.method, depth=chosen.depth or 0, acceptance=chosen.acceptance)
