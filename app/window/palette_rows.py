"""The rows of the command palette: actions, chats, models and pages of the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from app.settings.declarations import PAGES, settings_of
from app.wording.models import entry_name

if TYPE_CHECKING:
    from app.actions.actions import Actions
    from app.models.model_controller import ModelController
    from app.session.list_service import ListService
    from app.session.session import Session

# What edits the text that has the focus, which is the palette's own field, the palette itself, and what its page of the
# settings has a row for.
_LEFT_OUT = frozenset({"palette", "undo", "redo", "cut", "copy", "paste", "select-all", "request-history"})


@dataclass(frozen=True)
class PaletteRow:
    """Something to do: `run` does it.

    `name` is shown with its `place`, the path of its menu for example, and its `keys`. Screen readers say `spoken`.
    Besides these words those of `also` find it, or any of `other`, each by itself.
    """

    name: str
    place: str
    spoken: str
    run: Callable[[], object]
    keys: str = ""
    also: str = ""
    other: str = ""

    @property
    def words(self) -> str:
        """The words by which it is found, the name first."""
        return f"{self.name} {self.spoken} {self.place} {self.also}"

    def matches(self, wanted: str) -> bool:
        """Return whether its words contain every word of `wanted`, in any order and case."""
        return _has_words(self.words, wanted) or (bool(self.other) and _has_words(self.other, wanted))


def _has_words(text: str, wanted: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in wanted.casefold().split())


def action_rows(actions: Actions) -> Iterator[PaletteRow]:
    """Yield the actions that are possible now, in the order of the menus."""
    for spec in actions.specs:
        action = actions[spec.id]
        if spec.id in _LEFT_OUT or not action.isEnabled():
            continue
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        # In every language the English names find it, too.
        in_english = f"{spec.text} {spec.other_text} {spec.name}".replace("&", "")
        place = actions.path(spec)
        yield PaletteRow(actions.name(spec), place, action.whatsThis(), action.trigger, keys, other=in_english)


def page_rows(open_page: Callable[[str], object]) -> Iterator[PaletteRow]:
    """Yield the pages of the settings, which the names of their settings find, in English, too."""
    translate = QCoreApplication.translate
    for page_id, title in PAGES.items():
        name = translate("Settings", title)
        settings = [text for setting in settings_of(page_id) for text in setting.names]
        words = " ".join((title, "Settings", *settings, *(translate("Settings", text) for text in settings)))
        yield PaletteRow(name, settings_title(), f"{settings_title()}: {name}", partial(open_page, page_id), also=words)


def settings_title() -> str:
    """Return the place of the rows of the settings."""
    return QCoreApplication.translate("Settings", "Settings")


def chat_rows(chats: ListService, session: Session) -> Iterator[PaletteRow]:
    """Yield the chats of the list, without the one on the screen."""
    place = chats_title()
    for chat in chats.chats:
        if chat.id != session.chat.id:
            yield PaletteRow(chat.title, place, f"{place}: {chat.title}", partial(session.chats.open_id, chat.id))


def chats_title() -> str:
    """Return the place of the rows of chats."""
    return QCoreApplication.translate("ChatPane", "Chats")


def model_rows(models: ModelController) -> Iterator[PaletteRow]:
    """Yield the installed models that could be used instead of the loaded one."""
    place = models_title()
    for entry in models.not_in_use():
        name = entry_name(entry)
        yield PaletteRow(name, place, f"{place}: {name}", partial(models.use, entry), also=entry.id)


def models_title() -> str:
    """Return the place of the rows of models."""
    return QCoreApplication.translate("Settings", "Models")
