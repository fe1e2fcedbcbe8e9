"""Models: the page of the models on this Mac and on Hugging Face."""

from __future__ import annotations

from app.models.page import ModelsPage
from app.settings_window.pages import PageParts


def build(parts: PageParts) -> ModelsPage:
    """Return the page Models."""
    return ModelsPage(parts.library, parts.session, parts.models)
