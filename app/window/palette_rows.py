"""The rows of the command palette: actions, chats, folders, presets, models, settings and the help of Tandem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from app.composer.choice_buttons import choose, chosen_in, name_of, named_presets
from app.session.help_matching import is_prepared, meant_by
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
    Besides these words those of `also` find it, or any of `other`, each by itself. What is typed may mean it in other
    words: `is_named_in` then returns True.
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
        """Return whether its words contain every word of `wanted`, in any order and case."""
        return _has_words(self.words, wanted) or (bool(self.other) and _has_words(self.other, wanted))


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


def page_rows(open_page: Callable[[str, str], object]) -> Iterator[PaletteRow]:
    """Yield the pages of the settings, which in every language their English names find, too.

    `open_page` is called with the name of the page and "".
    """
    place = settings_title()
    for page_id, title in PAGES.items():
        page = QCoreApplication.translate("Settings", title)
        yield PaletteRow(page, place, f"{place}: {page}", partial(open_page, page_id, ""), also=f"{title} Settings")


def setting_rows(open_page: Callable[[str, str], object]) -> Iterator[PaletteRow]:
    """Yield the single settings, which their other names find, too, and all of these in English.

    `open_page` is called with the name of its page, and its title.
    """
    translate = QCoreApplication.translate
    place = settings_title()
    for page_id, title in PAGES.items():
        for setting in settings_of(page_id):
            name = translate("Settings", setting.title)
            path = f"{translate('Settings', title)}: {name}"
            choices = ", ".join(translate("Settings", words) for _, words in setting.choices)
            others = [*setting.names, *(translate("Settings", text) for text in setting.names)]
            yield PaletteRow(
                f"{path} ({choices})" if choices else path,
                place,
                f"{place}: {path}",
                partial(open_page, page_id, name),
                also=" ".join(others),
            )


def settings_title() -> str:
    """Return the place of the rows of the settings."""
    return QCoreApplication.translate("Settings", "Settings")


def chat_rows(chats: ListService, session: Session) -> Iterator[PaletteRow]:
    """Yield the chats of the list."""
    place = chats_title()
    for chat in chats.chats:
        yield PaletteRow(chat.title, place, f"{place}: {chat.title}", partial(session.chats.open_id, chat.id))


def chats_title() -> str:
    """Return the place of the rows of chats."""
    return QCoreApplication.translate("ChatPane", "Chats")


def folder_rows(chats: ListService, show: Callable[[int], object]) -> Iterator[PaletteRow]:
    """Yield the folders of chats; `show` is called with the id of the chosen one."""
    place = folders_title()
    for folder in chats.folders:
        yield PaletteRow(folder.name, place, f"{place}: {folder.name}", partial(show, folder.id))


def folders_title() -> str:
    """Return the place of the rows of folders."""
    return QCoreApplication.translate("ChatPane", "Folders")


def preset_rows(session: Session) -> Iterator[PaletteRow]:
    """Yield the presets that the chat on screen could have instead of its own."""
    place = presets_title()
    chosen = chosen_in(session)
    for preset in named_presets(session):
        if preset != chosen:
            name = name_of(preset)
            # In every language the English name finds a preset that came with Tandem.
            yield PaletteRow(name, place, f"{place}: {name}", partial(choose, session, preset), also=preset.built_in)


def presets_title() -> str:
    """Return the place of the rows of presets."""
    return QCoreApplication.translate("ChatSettingsSheet", "Preset")


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
    """Return whether a question means a fact, in other words or with slips of the keyboard.

    False until the help has been read.
    """
    if not is_prepared():
        return False
    meant = meant_by(typed)
    return meant.is_about_tandem and fact in meant.facts


def help_title() -> str:
    """Return the place of the rows of the help."""
    return QCoreApplication.translate("HelpSearch", "Tandem help")
