"""Builds the pages of the settings window. Imported when the first page opens, because it imports all of them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.library.library import Library
from app.models.model_controller import ModelController
from app.models.page import ModelsPage
from app.session.session import Session
from app.settings.store import SettingsStore
from app.settings_window.advanced_page import AdvancedPage
from app.settings_window.api_page import ApiPage
from app.settings_window.generation_page import GenerationPage
from app.settings_window.history_page import HistoryPage
from app.settings_window.machines_page import MachinesPage
from app.settings_window.network_page import NetworkPage
from app.settings_window.speculation_page import SpeculationPage
from app.settings_window.storage_page import StoragePage
from app.settings_window.table_page import TablePage
from app.settings_window.tools_page import ToolsPage


def build_page(page_id: str, title: str, library: Library, session: Session, models: ModelController) -> QWidget:
    """Build the page of that id in `PAGES`; `title` is untranslated."""
    settings = library.settings
    builders: dict[str, Callable[[], QWidget]] = {
        "general": lambda: _general_page(title, settings),
        "models": lambda: ModelsPage(library, session, models),
        "speculation": lambda: SpeculationPage(title, settings, session),
        "generation": lambda: GenerationPage(title, settings, session.models),
        "tools": lambda: ToolsPage(session.tools),
        "history": lambda: _history_page(title, session, models),
        "storage": lambda: StoragePage(title, library, session),
        "network": lambda: NetworkPage(title, library),
        "api": lambda: ApiPage(title, settings, session.api),
        "machines": lambda: MachinesPage(title, library, session),
        "advanced": lambda: AdvancedPage(title, library, session),
    }
    return builders[page_id]()


def _general_page(title: str, settings: SettingsStore) -> TablePage:
    page = TablePage("general", title, settings)
    page.restyle()
    return page


def _history_page(title: str, session: Session, models: ModelController) -> HistoryPage:
    page = HistoryPage(title, session.history)

    def show(chat_id: int, message_id: int) -> None:
        session.chats.show_message(chat_id, message_id, lambda _chat: models.chat_wanted.emit())

    page.answer_wanted.connect(show)
    return page
