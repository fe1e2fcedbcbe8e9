"""Builds the pages of the settings window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from PySide6.QtWidgets import QWidget

from app.library.library import Library
from app.models.model_controller import ModelController
from app.session.session import Session
from app.settings.setting import SETTINGS_PAGES
from app.settings_window.table_page import TablePage


@dataclass(frozen=True)
class PageParts:
    """What a page may be made of. `open_page` shows the page of the id that it is called with."""

    library: Library
    session: Session
    models: ModelController
    open_page: Callable[[str], object]


def build_page(page_id: str, parts: PageParts) -> QWidget:
    """Build the page of that id in `SETTINGS_PAGES`, whose module is imported only now."""
    module = SETTINGS_PAGES[page_id].module
    if module:
        page: QWidget = import_module(module).build(parts)
        return page
    table = TablePage(page_id, parts.library.settings)
    table.restyle()
    return table
