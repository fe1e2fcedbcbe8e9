"""Pictures of what a click opens: the panel's details, the thinking menu, other apps' models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtWidgets import QScrollArea

from app.composer.choice_buttons import ThinkingButton
from app.models.page import INSTALLED
from app.widgets.application import Application
from engine.tokenizers.thinking import ThinkingChoice
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shown_library import FOREIGN, MAIN, WIDE, ShownLibrary, stocked
from tests.tools.shown_texts import ANSWERS, PATTERN, QUESTIONS
from tests.tools.window_pictures import opened, rest, save, settle

_SIZES = ((1280, 800), (900, 600))


def opened_parts(application: Application, folder: Path, name: str, code: str) -> None:
    levels = ThinkingChoice(("off", "on", "low", "medium", "high"), "medium")
    engine = ScriptedEngine([Script(ANSWERS[code], PATTERN)], thinking=levels)
    with TemporaryDirectory() as home:
        shown = stocked()
        apps = {MAIN: "lm-studio", FOREIGN: "jan", WIDE: "omlx"}
        installed = tuple(replace(entry, source=apps.get(entry.id, entry.source)) for entry in shown.installed)
        library = ShownLibrary(Path(home), replace(shown, installed=installed))
        window, session = opened(application, engine, library=library)
        session.answers.ask(QUESTIONS[code])
        settle(application, lambda: not session.chat.streaming)
        rest(application)
        window.panel.details.fold.setChecked(True)
        area = window.panel.findChild(QScrollArea)
        for width, height in _SIZES:
            window.resize(width, height)
            if not window.panel.isVisible():
                window.trigger("toggle-panel")
            save(application, window, folder / f"details-{name}-{width}.png")
            area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
            save(application, window, folder / f"details-end-{name}-{width}.png")
            area.verticalScrollBar().setValue(0)
            for role in ("main", "draft"):
                window.trigger(f"choose-{role}")
                save(application, window, folder / f"apps-{role}-{name}-{width}.png")
                window.picker(role).close()
        button = window.find(ThinkingButton)
        button.menu().popup(button.mapToGlobal(button.rect().topLeft()))
        save(application, button.menu(), folder / f"thinking-menu-{name}.png")
        button.menu().close()
        window.settings.resize(1200, 820)
        window.settings.open("models")
        window.settings.page("models").show_tab(INSTALLED)
        save(application, window.settings, folder / f"apps-installed-{name}.png")
        window.close()
