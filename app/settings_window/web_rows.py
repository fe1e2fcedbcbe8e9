"""The rows of Tandem's own web tools: whether models have them, who searches, and whether a call asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from app.session.tool_service import ToolService
from app.settings_window.form import Row, SecretRow
from app.system.background import Background
from app.tools.search_services import SERVICES
from app.tools.tool import TANDEM, Permission, Tool
from app.tools.web_results import READ_PAGE, SEARCH_WEB
from app.tools.web_tools import web_tools
from app.widgets.buttons import button
from app.widgets.controls import Chooser, Switch
from app.widgets.layouts import fill, vbox
from app.widgets.search_field import TextField
from app.widgets.theme_aware import ThemeAware
from app.wording.tools import site_name, tool_name

# What a person may choose for a tool in all chats.
CHOICES = (Permission.ASK, Permission.ALWAYS, Permission.DENY)
# The same for one whose calls are allowed always by site, where they ask.
_CHOICES_BY_SITE = (Permission.ASK, Permission.DENY)


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


class WebRows(ThemeAware, QWidget):
    """The switch of the web tools and, while it is on, their service and the permission of each tool."""

    def __init__(self, tools: ToolService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tools = tools
        self._background = Background("search-key", parent=self)
        # Whether the key that was typed for a service is in the keychain.
        self._are_stored: dict[str, bool] = {}
        self.switch = Switch(self)
        self.service = Chooser(self, tuple(SERVICES), self._choose_service)
        self.service.set_texts(tuple(service.title for service in SERVICES.values()))
        self.key = SecretRow(self)
        self.key.typed.connect(self._keep_key)
        self.address = TextField(self)
        self.address.setPlaceholderText("http://localhost:8080")
        self.address.setMinimumWidth(220)
        self.address.editingFinished.connect(self._keep_address)
        self.permissions = [
            Chooser(self, _CHOICES_BY_SITE, partial(self._permit, 0)),
            Chooser(self, CHOICES, partial(self._permit, 1)),
        ]
        self._switch_row = Row(self.switch, self, at_end=True)
        self._service_row = Row(self.service, self)
        self._address_row = Row(self.address, self)
        self._tool_rows = [Row(chooser, self, at_end=True) for chooser in self.permissions]
        self.rows: list[Row] = [self._switch_row, self._service_row, self.key, self._address_row, *self._tool_rows]
        # The sites whose pages are always read without a question.
        self.sites: list[SiteRow] = []
        self._sites = vbox(margins=(24, 0, 0, 0), spacing=0)
        *first, pages, search = self.rows
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=0), *first, pages, self._sites, search)
        self.switch.clicked.connect(lambda on: tools.set_web(replace(tools.settings.web, on=on)))
        self.restyle()

    def show_choice(self) -> None:
        """Show what the person has chosen."""
        choice = self._tools.settings.web
        self.switch.setChecked(choice.on)
        self.service.set_value(choice.service)
        if not self.address.hasFocus():
            self.address.setText(choice.searxng)
        settings = self._tools.settings
        pages, search = web_tools(choice.service)
        for tool, chooser in zip((pages, search), self.permissions, strict=True):
            chooser.set_value(settings.permission(tool))
        self._service_row.set_due(choice.on)
        self.key.set_due(choice.on and SERVICES[choice.service].needs_key)
        self._address_row.set_due(choice.on and not SERVICES[choice.service].address)
        for row in self._tool_rows:
            row.set_due(choice.on)
        self._show_sites(settings.allowed_sites(pages) if choice.on else [])
        self._say_key(choice.service)
        self._service_row.set_words(self.tr("Search with"), self._about(choice.service))

    def retranslate(self) -> None:
        self._switch_row.set_words(
            self.tr("Read and search the web"),
            self.tr(
                "In chats with tools on, the model can read web pages and documents at public addresses, and search. "
                "Each call shows the address or the words, and asks first unless you choose otherwise. Sites see what "
                "they would see of a browser."
            ),
        )
        self._address_row.set_words(
            self.tr("Address of SearXNG"), self.tr("Of a server of your own or of your group, also on this Mac.")
        )
        names = {
            Permission.ASK: self.tr("Ask"),
            Permission.ALWAYS: self.tr("Always allow"),
            Permission.DENY: self.tr("Off"),
        }
        of_pages, of_search = self.permissions
        of_pages.set_texts(names[choice] for choice in _CHOICES_BY_SITE)
        of_search.set_texts(names[choice] for choice in CHOICES)
        pages, search = self._tool_rows
        by_site = self.tr("Asks, except about sites that you chose to always allow.")
        pages.set_words(tool_name(TANDEM, READ_PAGE), by_site)
        search.set_words(tool_name(TANDEM, SEARCH_WEB), "")
        self.show_choice()

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

    def _about(self, service: str) -> str:
        """Say what a service finds, and what it needs."""
        about = SERVICES[service]
        if about.needs_key:
            return self.tr("Searches the web with your key from {page}.").format(page=about.key_page)
        if about.address:
            return self.tr("Needs no account. Finds articles of Wikipedia, not all of the web.")
        return self.tr("Searches the web with your own SearXNG, whose settings have to allow the JSON format.")

    def _say_key(self, service: str) -> None:
        words = {
            None: self.tr("Stored only in the system keychain."),
            True: self.tr("Your key is in the keychain."),
            False: self.tr("This Mac has no keychain that Tandem can use: the key is for this run only."),
        }[self._are_stored.get(service)]
        self.key.set_words(self.tr("Key for {service}").format(service=SERVICES[service].title), words)

    def _choose_service(self, service: str) -> None:
        self._tools.set_web(replace(self._tools.settings.web, service=service))

    def _keep_address(self) -> None:
        self._tools.set_web(replace(self._tools.settings.web, searxng=self.address.text().strip()))

    def _keep_key(self, key: str) -> None:
        """Store the key of the service that is shown, which may ask for the keychain."""
        service = self._tools.settings.web.service

        def done(is_stored: bool) -> None:
            self._are_stored[service] = is_stored
            self.show_choice()

        self._background.run(partial(self._tools.settings.keep_search_key, service, key), done, owner=self)

    def _permit(self, index: int, chosen: str) -> None:
        """Store the person's choice for one of the two tools."""
        # Qt returns a plain text.
        self._tools.settings.permit(web_tools(self._tools.settings.web.service)[index], Permission(chosen))
        self._tools.changed.emit()
