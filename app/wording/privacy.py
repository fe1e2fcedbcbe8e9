"""What leaves this computer as things are set up now, for the welcome page and the page of the network."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from shiboken6 import isValid

from app.session.cluster_service import ON, STARTING
from app.session.session import Session
from app.settings.declarations import SETTINGS, SettingsValues
from app.settings.store import SettingsStore
from app.tools.search_services import SERVICES
from app.wording.errors import joined
from app.wording.sentences import translate


def follow(session: Session, settings: SettingsStore, owner: QObject, show: Callable[[], None]) -> None:
    """Call `show` of `owner` whenever the sentences below may have changed."""
    session.tools.changed.connect(show)
    session.chats.opened.connect(show)
    session.models.changed.connect(show)
    session.cluster.changed.connect(show)
    # The settings may outlive the window.
    settings.subscribe(lambda: show() if isValid(owner) else None)


def welcome_sentence(session: Session, values: SettingsValues) -> str:
    """Return words that say where the models run, and what of the chat on screen leaves this computer."""
    cluster = _cluster(session)
    others = joined(_draft_runner(values), _tools_of_chat(session))
    if not cluster and not others:
        return translate("Privacy", "Runs on this Mac. Nothing you type leaves it.")
    return joined(cluster or translate("Privacy", "Runs on this Mac."), others)


def network_sentence(session: Session, values: SettingsValues) -> str:
    """Return words that say what Tandem goes online for, and what leaves this computer."""
    ways = [way for way in (_cluster(session), _draft_runner(values), _tools(session), _api(values)) if way]
    if not ways:
        return translate(
            "Privacy",
            "Tandem goes online only to search Hugging Face, download a model, check for updates or run the test "
            "above. Chats, settings and statistics never leave this Mac. No telemetry.",
        )
    return joined(
        translate(
            "Privacy",
            "Tandem goes online to search Hugging Face, download a model, check for updates or run the test above, and "
            "for what you turned on.",
        ),
        *ways,
        translate("Privacy", "Nothing else of your chats, settings and statistics leaves this Mac. No telemetry."),
    )


def _cluster(session: Session) -> str:
    words = translate("Privacy", "Runs on multiple Macs, which receive the text of your chats.")
    return words if session.cluster.state in (STARTING, ON) else ""


def _draft_runner(values: SettingsValues) -> str:
    """Return words that say what another computer gets that drafts ahead; "" if none was chosen."""
    if values.draft_ahead in SETTINGS["draft_ahead"].values:
        return ""
    words = translate("Privacy", "{name} receives the text of your chats while it drafts ahead.")
    return words.format(name=values.draft_ahead)


def _tools_of_chat(session: Session) -> str:
    """Return words about the tools of the chat on screen; "" if it has none that reach outside."""
    tools = session.tools
    chat = session.chat
    words = translate("Privacy", "Tools are on: what they are asked for can leave this Mac.")
    return words if tools.servers_of(chat) or tools.web_tools_of(chat) else ""


def _tools(session: Session) -> str:
    # A command runs here, but can pass on the arguments that it gets.
    words = translate("Privacy", "In chats with tools on, what the model sends to tool servers can leave this Mac.")
    servers = words if any(server.usable for server in session.tools.settings.servers) else ""
    return joined(servers, _web(session))


def _web(session: Session) -> str:
    """Return words that say what the web tools send; "" while they are off."""
    choice = session.tools.settings.web
    if not choice.on:
        return ""
    words = translate(
        "Privacy",
        "In chats with tools on, sites see the addresses of the pages that the model reads, and {service} sees its "
        "searches.",
    )
    return words.format(service=SERVICES[choice.service].title)


def _api(values: SettingsValues) -> str:
    words = translate("Privacy", "Other computers that have the key can use your models, but cannot read your chats.")
    return words if values.api_serve and values.api_network else ""
