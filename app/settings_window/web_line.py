"""The line of Tandem's own web tools, and the sheet with the key, the address and the allowed sites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.session.tool_service import ToolService
from app.settings_window.form import Row, SecretRow
from app.settings_window.tool_choices import CHOICES_BY_SITE, KindOfTools, choice_line
from app.system.background import Background
from app.tools.search_services import DEFAULT_SERVICE, SERVICES
from app.tools.tool import Permission, Tool
from app.tools.web_tools import web_tools
from app.widgets.buttons import CloseButton, button
from app.widgets.controls import Chooser, Switch
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, settle_layouts, vbox
from app.widgets.overlay import Overlay, WrappingArea
from app.widgets.search_field import TextField
from app.widgets.style_class import named
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined
from app.wording.tools import site_name

# In pixels at the normal text size.
_WIDTH = 560


class WebLine(ThemeAware, Row):
    """The switch of the web tools and, while they are on, who searches and whether a call asks.

    `opened` asks for the sheet with the rest.
    """

    opened = Signal()

    def __init__(self, tools: ToolService, parent: QWidget | None = None) -> None:
        self._tools = tools
        controls = QWidget(parent)
        super().__init__(controls, parent, at_end=True)
        self.service = Chooser(controls, tuple(SERVICES), self._choose_service)
        self.service.set_texts(service.title for service in SERVICES.values())
        self.switch = Switch(controls)
        fill(hbox(controls, margins=(0, 0, 0, 0), spacing=8), self.service, self.switch)
        self.reading = KindOfTools(tools, partial(self._tool, 0), self, CHOICES_BY_SITE)
        self.searching = KindOfTools(tools, partial(self._tool, 1), self)
        self.details = self.bound("Details…", button(self, self.opened.emit, "link-small"))
        self._choices = choice_line(self, self.reading, self.searching, self.details)
        self.add_below(self._choices)
        self.switch.clicked.connect(lambda on: tools.set_web(replace(tools.settings.web, on=on)))
        self.restyle()

    def _tool(self, index: int) -> list[Tool]:
        """Return the tool that reads pages (0), or the one that searches (1)."""
        return [web_tools(self._tools.settings.web.service)[index]]

    def _choose_service(self, service: str) -> None:
        """Search with this service from now on, and ask for what it needs."""
        self._tools.set_web(replace(self._tools.settings.web, service=service))
        if service != DEFAULT_SERVICE:
            self.opened.emit()

    def show_choice(self) -> None:
        """Show what the person has chosen."""
        choice = self._tools.settings.web
        self.switch.setChecked(choice.on)
        self.service.set_value(choice.service)
        self.service.setVisible(choice.on)
        self._choices.setVisible(choice.on)
        self.retranslate()

    def retranslate(self) -> None:
        choice = self._tools.settings.web
        self.set_words(self.tr("Web"), joined(self._about(choice.service), self._need(choice.service, choice.searxng)))
        # A search of the settings finds it by any service.
        self.other_words = "\n".join(service.title for service in SERVICES.values())
        self.switch.setAccessibleName(self.name.text())
        self.service.setAccessibleName(self.tr("Search with"))
        self.reading.show_tools(self.tr("Reading"), self.name.text())
        self.searching.show_tools(self.tr("Searching"), self.name.text())
        self.details.setAccessibleName(f"{self.details.text()}: {self.name.text()}")

    def _about(self, service: str) -> str:
        """Say what the tools can do with a service, and what sites see."""
        title = SERVICES[service].title
        if service == DEFAULT_SERVICE:
            words = self.tr("Reads pages, and searches {service}, not all of the web.")
        else:
            words = self.tr("Reads pages, and searches the web with {service}.")
        return joined(words.format(service=title), self.tr("Sites see you as they do in a browser."))

    def _need(self, service: str, searxng: str) -> str:
        """Say that the service has no address yet, for one that needs it."""
        missing = not SERVICES[service].address and not searxng
        return self.tr("Its address is missing.") if missing else ""


class SiteRow(ThemeAware, Row):
    """A site whose pages are always read without a question; the button asks about it again."""

    def __init__(self, tool: Tool, forget: Callable[[Tool], object], parent: QWidget) -> None:
        self.button = button(parent, lambda: forget(tool), "link")
        super().__init__(self.button, parent, at_end=True)
        self.tool = tool
        self.restyle()

    def retranslate(self) -> None:
        self.button.setText(self.tr("Ask again"))
        name = site_name(self.tool.site)
        self.set_words(name, self.tr("Always allowed."))
        self.button.setAccessibleName(f"{self.button.text()}: {name}")


class WebDetails(ThemeAware, Overlay):
    """The key or the address of the service that searches, and the sites whose pages are read without a question."""

    def __init__(self, tools: ToolService, window: QWidget) -> None:
        super().__init__(window, _WIDTH)
        self._tools = tools
        self._background = Background("search-key", parent=self)
        # Whether the key that was typed for a service is in the keychain.
        self._are_stored: dict[str, bool] = {}
        # The sites whose pages are always read without a question.
        self.sites: list[SiteRow] = []

    def open(self) -> None:
        super().open()
        self.show_choice()

    def make(self) -> None:
        self._title = self.bound("Web", label(self, "title"))
        body = named(QWidget(self), "overlayBody")
        self._intro = label(body, "muted", wraps=True)
        self.bound(
            "In chats with tools on, the model can read web pages and documents at public addresses, and search. Each "
            "call shows the address or the words, and asks first unless you choose otherwise.",
            self._intro,
        )
        self.about = Row(None, body)
        self.key = SecretRow(body)
        self.key.typed.connect(self._keep_key)
        self.address = TextField(body)
        self.address.setPlaceholderText("http://localhost:8080")
        self.address.setMinimumWidth(220)
        self.address.editingFinished.connect(self._keep_address)
        self._address_row = Row(self.address, body)
        self._sites = vbox(margins=(0, 0, 0, 0), spacing=0)
        column = fill(vbox(body, margins=(0, 0, 0, 0), spacing=0), self._intro, self.about, self.key)
        fill(column, self._address_row, self._sites, 1)
        area = WrappingArea(self)
        area.setWidget(body)
        head = fill(hbox(margins=(0, 0, 0, 0)), (self._title, 1), CloseButton(self, self.close_overlay))
        fill(self.column, head, (area, 1))
        self.restyle()

    def fill(self) -> None:
        self.show_choice()
        service = SERVICES[self._tools.settings.web.service]
        first = self.key.field if service.needs_key else self.address
        if first.isVisibleTo(self):
            first.setFocus()

    def show_choice(self) -> None:
        """Show what the person has chosen."""
        choice = self._tools.settings.web
        service = SERVICES[choice.service]
        if not self.address.hasFocus():
            self.address.setText(choice.searxng)
        self.key.set_due(service.needs_key)
        self._address_row.set_due(not service.address)
        self._show_sites(self._tools.settings.allowed_sites(web_tools(choice.service)[0]))
        self.retranslate()
        if self.isVisible():
            settle_layouts()
            self.fit_in_window()

    def retranslate(self) -> None:
        service = self._tools.settings.web.service
        self.about.set_words(self.tr("Search with {service}").format(service=SERVICES[service].title), self._about())
        self._address_row.set_words(
            self.tr("Address of SearXNG"), self.tr("Of a server of your own or of your group, also on this Mac.")
        )
        stored = {
            None: self.tr("Stored only in the system keychain."),
            True: self.tr("Your key is in the keychain."),
            False: self.tr("This Mac has no keychain that Tandem can use: the key is for this run only."),
        }[self._are_stored.get(service)]
        self.key.set_words(self.tr("Key for {service}").format(service=SERVICES[service].title), stored)

    def _about(self) -> str:
        """Say what the service finds, and what it needs."""
        about = SERVICES[self._tools.settings.web.service]
        if about.needs_key:
            return self.tr("Searches the web with your key from {page}.").format(page=about.key_page)
        if about.address:
            return self.tr("Needs no account. Finds articles of Wikipedia, not all of the web.")
        return self.tr("Searches the web with your own SearXNG, whose settings have to allow the JSON format.")

    def _show_sites(self, tools: Sequence[Tool]) -> None:
        """Show the sites of these tools, each with a button that takes its permission back."""
        if [row.tool for row in self.sites] == list(tools):
            return
        for row in self.sites:
            self._sites.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.sites = [SiteRow(tool, self._forget, self) for tool in tools]
        fill(self._sites, *self.sites)

    def _forget(self, tool: Tool) -> None:
        """Ask again about the site of a tool."""
        self._tools.settings.permit(tool, Permission.ASK)
        self._tools.changed.emit()

    def _keep_address(self) -> None:
        self._tools.set_web(replace(self._tools.settings.web, searxng=self.address.text().strip()))

    def _keep_key(self, key: str) -> None:
        """Store the key of the service that is shown, which may ask for the keychain."""
        service = self._tools.settings.web.service

        def done(is_stored: bool) -> None:
            self._are_stored[service] = is_stored
            self.show_choice()

        self._background.run(partial(self._tools.settings.keep_search_key, service, key), done, owner=self)
