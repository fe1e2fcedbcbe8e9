"""Builds the pages of the settings window. Imported when the first page opens, because it imports all of them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from app.library.library import Library
from app.models.model_controller import ModelController
from app.models.page import ModelsPage
from app.session.session import Session
from app.settings_window.advanced_page import AdvancedPage
from app.settings_window.api_page import ApiPage
from app.settings_window.general_page import GeneralPage
from app.settings_window.generation_page import GenerationPage
from app.settings_window.history_page import HistoryPage
from app.settings_window.machines_page import MachinesPage
from app.settings_window.network_page import NetworkPage
from app.settings_window.speculation_page import SpeculationPage
from app.settings_window.storage_page import StoragePage
from app.settings_window.tools_page import ToolsPage
from app.wording import privacy


def build_page(
    page_id: str, library: Library, session: Session, models: ModelController, open_page: Callable[[str], object]
) -> QWidget:
    """Build the page of that id in `PAGES`; `open_page` shows another one."""
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
        "advanced": lambda: AdvancedPage(library, session, open_page),
    }
    return builders[page_id]()


def _network_page(library: Library, session: Session) -> NetworkPage:
    settings = library.settings
    page = NetworkPage(library, lambda: privacy.network_sentence(session, settings.values))
    privacy.follow(session, settings, page, page.retranslate)
    return page


def _history_page(session: Session, models: ModelController) -> HistoryPage:
    page = HistoryPage(session.history)
    show = session.chats.show_message
    page.answer_wanted.connect(lambda chat, message: show(chat, message, lambda _: models.chat_wanted.emit()))
    return page
