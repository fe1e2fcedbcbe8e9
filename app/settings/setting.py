"""The declaration of one setting: default, allowed values, texts, page. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine.computers.hosts import is_name

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """One setting. `choices` are its values with their words, as in the module `declarations`.

    A computer's name is a value, too, if there are words for {name} in `others`.

    Numbers lie between `least` and `most`; with `grouped`, thousands are separated. `least_words` stand for the least,
    with `first` as the number that is offered instead, or for no shortcut. `is_shortcut`: a text in Qt's portable form.
    `page` is "" if no page has a row for the setting. A setting of requests has the help of its option of `tandem chat`
    in `terminal`; with `in_chats`, a chat may have a value of its own. One that `is_rare` is changed by few people: its
    page has it behind a fold. A search finds it by `other_names`, too: those that it had, or has in other apps.
    """

    key: str
    default: Any
    page: str = ""
    title: str = ""
    help: str = ""
    choices: tuple[tuple[Any, str], ...] = ()
    others: str = ""
    least: float = 0
    most: float = 0
    step: float = 1
    least_words: str = ""
    first: float = 0
    grouped: bool = True
    is_shortcut: bool = False
    terminal: str = ""
    in_chats: bool = True
    is_rare: bool = False
    other_names: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Its title, its other names and the words of its choices, of which a person remembers one, in English."""
        return [text for text in (self.title, *self.other_names, *(words for _, words in self.choices)) if text]

    @property
    def texts(self) -> list[str]:
        """Its English texts, of the translation context "Settings"."""
        words = (words for _, words in self.choices)
        shown = self.title, self.help, self.least_words, self.others, *words
        return [text for text in (*shown, *self.other_names) if text]

    @property
    def values(self) -> list[Any]:
        """The values to choose from; none if any value of the type is allowed."""
        return [value for value, _ in self.choices]

    def accepts(self, value: object) -> bool:
        """Whether a value from a file may be used."""
        if type(value) is not type(self.default):
            return False
        if self.choices:
            return value in self.values or (bool(self.others) and is_name(str(value)))
        if isinstance(value, (int, float)) and self.page and not isinstance(value, bool):
            return self.least <= value <= self.most
        return True


@dataclass(frozen=True)
class SettingsPage:
    """A page of the settings window, with its title in English.

    The function "build" of its module returns its widget. A page without a module has the rows of its settings and
    nothing else.
    """

    name: str
    title: str
    module: str = ""

    def setting(self, default: T, **declared: Any) -> T:
        """Return a field of the settings with a row on this page; its metadata are arguments of `Setting`."""
        return field(default=default, metadata={"page": self.name, **declared})


# The pages by name, in the order of the settings window.
SETTINGS_PAGES: dict[str, SettingsPage] = {}


def _page(name: str, title: str, module: str = "") -> SettingsPage:
    """Declare a page of the settings window, after those that are declared already."""
    page = SettingsPage(name, title, module)
    SETTINGS_PAGES[name] = page
    return page


NO_PAGE = SettingsPage("", "")
GENERAL = _page("general", "General", "app.settings_window.general_page")
MODELS = _page("models", "Models", "app.settings_window.models_page")
SPECULATION = _page("speculation", "Speculation", "app.settings_window.speculation_page")
GENERATION = _page("generation", "Generation", "app.settings_window.generation_page")
TOOLS = _page("tools", "Tools", "app.settings_window.tools_page")
HISTORY = _page("history", "Request history", "app.settings_window.history_page")
STORAGE = _page("storage", "Storage", "app.settings_window.storage_page")
NETWORK = _page("network", "Privacy and network", "app.settings_window.network_page")
API = _page("api", "Local API", "app.settings_window.api_page")
MACHINES = _page("machines", "Multiple Macs", "app.settings_window.machines_page")
ADVANCED = _page("advanced", "Advanced", "app.settings_window.advanced_page")
