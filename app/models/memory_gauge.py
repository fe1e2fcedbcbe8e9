"""The memory of this computer, once for a list of models: in use, needed by one of them, and free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.widgets.badges import Bar
from app.widgets.labels import WrappedLabel, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.wording.hub import size_words
from app.wording.models import estimate_words

if TYPE_CHECKING:
    from app.library.library import Library
    from app.session.model_service import ModelService


class MemoryGauge(QWidget):
    """A bar over the whole memory, at whose end is what models may not use, with words for it and for speed-ups."""

    def __init__(self, library: Library, models: ModelService, parent: QWidget) -> None:
        super().__init__(parent)
        self._library = library
        self._models = models
        self.bar = Bar(self)
        self.words = styled(WrappedLabel(self), "muted")
        self._estimates = styled(WrappedLabel(self), "caption")
        self._line = fill(hbox(spacing=16), (self.words, 1))
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=4), self.bar, self._line, self._estimates)

    def add_beside(self, view: QWidget) -> None:
        """Add something to the end of the line of words."""
        self._line.addWidget(view)

    def note_estimates(self, are_shown: bool) -> None:
        """Show that speed-ups are estimates if any speed-up in the list is."""
        show_words(self._estimates, estimate_words() if are_shown else "")

    def show_choice(self, size: int = 0, *, is_draft: bool = False) -> None:
        """Show the free memory, now or with a model of so many bytes in place of the loaded main model or draft."""
        inventory = self._library.inventory
        loaded = self._models.in_memory
        if inventory is None:
            self.words.setText(self.tr("Scanning models…"))
            return
        used = sum(pair.bytes for pair in loaded)
        limit = inventory.limit
        current = loaded[0] if size and self._models.pair.main is not None else None
        replaced = current.draft if is_draft and current is not None else current
        stays = used - (replaced.bytes if replaced is not None else 0)
        free = limit - stays - size
        if not size:
            words = self.tr("{free} of {limit} free for models")
        elif free >= 0:
            words = self.tr("This choice: {choice} · then free: {free}")
        else:
            words = self.tr("This choice: {choice} · {free} too much")
        whole = max(inventory.memory, limit, 1)
        sizes = {"free": abs(free), "choice": size, "limit": limit}
        self.words.setText(words.format(**{name: size_words(amount) for name, amount in sizes.items()}))
        parts = ((stays, "main"), (size, "draft"), (max(free, 0), "selection"), (whole - limit, "rejected"))
        self.bar.show_parts([(amount / whole, colour) for amount, colour in parts], self.words.text())
