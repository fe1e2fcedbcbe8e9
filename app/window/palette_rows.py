"""The rows of the command palette: actions, chats, models, pages of the settings and the help of Tandem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from app.session.help_matching import meant_by
from app.session.tandem_help import Fact, known_facts
from app.settings.declarations import PAGES, settings_of
from app.wording.models import entry_name

if TYPE_CHECKING:
    from app.actions.actions import Actions
    from app.models.model_controller import ModelController
    from app.session.list_service import ListService
    from app.session.session import Session

# What edits the text that has the focus, which is the palette's own field, the palette itself and the window that it is
# in, and what its page of the settings has a row for.
_EDITING = ("undo", "redo", "cut", "copy", "paste", "select-all")
_LEFT_OUT = frozenset({*_EDITING, "palette", "main-window", "request-history"})


def _never(_typed: str) -> bool:
    return False


@dataclass(frozen=True)
class PaletteRow:
    """Something to do: `run` does it.

    `name` is shown with its `place`, the path of its menu for example, and its `keys`. Screen readers say `spoken`.
    Besides these words those of `also` find it, or any of `other`, each by itself; and so does all that is typed, if
    `is_named_in` returns True for it.
    """

    name: str
    place: str
    spoken: str
    run: Callable[[], object]
    keys: str = ""
    also: str = ""
    other: str = ""
    is_named_in: Callable[[str], bool] = _never

    @property
    def words(self) -> str:
        """The words by which it is found, the name first."""
        return f"{self.name} {self.spoken} {self.place} {self.also}"

    def matches(self, wanted: str) -> bool:
        """Return whether its words contain every word of `wanted`, in any order and case, or `wanted` names it."""
        has_words = _has_words(self.words, wanted) or (bool(self.other) and _has_words(self.other, wanted))
        return has_words or self.is_named_in(wanted)


def _has_words(text: str, wanted: str) -> bool:
    folded = text.casefold()
    return all(word in folded for word in wanted.casefold().split())


def begun_first(rows: Sequence[PaletteRow], wanted: str) -> list[PaletteRow]:
    """Return what begins with the typed text, then what has all typed words in its name, then the other rows."""
    typed = wanted.casefold()
    return sorted(rows, key=lambda row: (not row.words.casefold().startswith(typed), not _has_words(row.name, wanted)))


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


def help_rows(language: str, show: Callable[[Fact], object]) -> Iterator[PaletteRow]:
    """Yield the questions of the help in a language, "en", "ko", "ja" or "zh"; `show` is called with the chosen one.

    Their answers find them, too, and so do questions in other words about the same.
    """
    place = help_title()
    for fact in known_facts():
        question = fact.questions[language]
        yield PaletteRow(
            question,
            place,
            f"{place}: {question}",
            partial(show, fact),
            also=fact.answers[language],
            is_named_in=partial(_is_meant, fact),
        )


def _is_meant(fact: Fact, typed: str) -> bool:
    """Return whether a question means a fact, in other words or with slips of the keyboard."""
    return fact in meant_by(typed).facts


def help_title() -> str:
    """Return the place of the rows of the help."""
    return QCoreApplication.translate("HelpSearch", "Tandem help")
