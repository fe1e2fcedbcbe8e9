"""What the window says about what leaves this computer, as servers, drafters and other Macs come and go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from app.composer.welcome import Welcome
from app.session.cluster_service import OFF, ON, STARTING
from app.tools.servers import Server, WebChoice
from app.widgets.application import Application
from app.widgets.labels import SentenceLabel
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.window_driver import WindowDriver, texts

NOTHING = "Nothing you type leaves it."
NEVER = "Chats, settings and statistics never leave this Mac."
ELSEWHERE = Server(name="weather", url="https://weather.example/mcp").as_approved()
HERE = Server(name="files", command="serve").as_approved()


@pytest.fixture
def window(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> WindowDriver:
    monkeypatch.setattr("app.session.session.data_folder", lambda: tmp_path)
    return open_window(ScriptedEngine())


@pytest.fixture
def sentences(window: WindowDriver) -> Callable[[], tuple[str, str]]:
    """Return what the welcome page and the page of the network say now."""
    page: Any = window.settings_page("network")

    def now() -> tuple[str, str]:
        (said,) = [text for text in texts(window.find(Welcome)) if "Runs on" in text]
        (listed,) = [one.text() for one in page.findChildren(SentenceLabel) if "No telemetry." in one.text()]
        return said, listed

    return now


def set_up(window: WindowDriver, server: Server) -> None:
    window.session.tools.settings.put(server)
    window.session.tools.servers_changed()


@pytest.mark.first
def test_by_itself_nothing_leaves_this_computer(sentences: Any) -> None:
    said, listed = sentences()
    assert said == f"Runs on this Mac. {NOTHING}"
    assert listed.startswith("Tandem goes online only to search")
    assert NEVER in listed


@pytest.mark.full
@pytest.mark.parametrize("server", [ELSEWHERE, HERE], ids=["address", "command"])
def test_a_server_of_tools_may_send_on_what_it_gets_while_it_can_be_used(
    window: WindowDriver, sentences: Any, server: Server
) -> None:
    before = sentences()
    set_up(window, replace(server, approved=""))
    assert sentences() == before
    set_up(window, server)
    said, listed = sentences()
    assert said == before[0]
    assert "what the model sends to tool servers can leave this Mac" in listed
    assert NEVER not in listed
    assert " only " not in listed
    set_up(window, replace(server, enabled=False))
    assert sentences() == before
    set_up(window, server)
    assert sentences() != before
    window.session.tools.settings.remove(server.name)
    window.session.tools.servers_changed()
    assert sentences() == before


def test_other_macs_receive_the_chats_while_they_answer_together(window: WindowDriver, sentences: Any) -> None:
    before, cluster = sentences(), window.session.cluster
    for state in (STARTING, ON):
        cluster.state = state
        cluster.changed.emit()
        said, listed = sentences()
        assert said == "Runs on multiple Macs, which receive the text of your chats."
        assert said in listed
        assert NEVER not in listed
    cluster.state = OFF
    cluster.changed.emit()
    assert sentences() == before


def test_another_computer_that_drafts_ahead_receives_the_chats(window: WindowDriver, sentences: Any) -> None:
    before, settings = sentences(), window.preferences
    settings.change(draft_ahead="here")
    assert sentences() == before
    settings.change(draft_ahead="studio.local")
    said, listed = sentences()
    assert said == "Runs on this Mac. studio.local receives the text of your chats while it drafts ahead."
    assert "studio.local receives the text of your chats" in listed
    assert NEVER not in listed
    settings.change(draft_ahead="off")
    assert sentences() == before


def test_callers_on_the_network_are_named_where_they_are_let_in(window: WindowDriver, sentences: Any) -> None:
    before, settings = sentences(), window.preferences
    settings.change(api_network=True)
    assert sentences() == before
    settings.change(api_serve=True)
    said, listed = sentences()
    assert said == before[0]
    assert "Other computers that have the key can use your models" in listed
    settings.change(api_serve=False)
    assert sentences() == before


@pytest.mark.parametrize("language", ["ko", *(pytest.param(code, marks=pytest.mark.full) for code in ("ja", "zh_CN"))])
def test_all_that_leaves_is_said_in_the_language_in_use(
    window: WindowDriver, sentences: Any, qapp: Application, language: str
) -> None:
    window.preferences.change(api_serve=True, api_network=True)
    set_up(window, ELSEWHERE)
    english, page = sentences(), window.settings_page("network")

    def shown() -> list[str]:
        return [*texts(window.find(Welcome)), *(one.text() for one in page.findChildren(SentenceLabel))]

    assert {*english} <= {*shown()}
    qapp.language.choose(language)
    window.wait(lambda: not {*english} & {*shown()})
    assert not any(word in sentence for sentence in shown() for word in ("Runs on", "telemetry", "leave"))
    qapp.language.choose("en")
    window.wait(lambda: {*english} <= {*shown()})


def test_the_network_page_says_who_sees_what_of_web_tools(window: WindowDriver, sentences: Any) -> None:
    before = sentences()
    window.session.tools.set_web(WebChoice(on=True, service="brave"))
    said, listed = sentences()
    assert said == before[0]
    assert "Brave sees its searches." in listed
    assert NEVER not in listed


def test_an_empty_chat_says_in_a_sentence_that_its_tools_are_on(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setattr("app.session.session.data_folder", lambda: tmp_path)
    window = open_window(ScriptedEngine(tool_format="json_tools"))
    tools = window.session.tools

    def said() -> str:
        return next(text for text in texts(window.find(Welcome)) if "Runs on" in text)

    tools.set_web(WebChoice(on=True))
    assert said() == f"Runs on this Mac. {NOTHING}"
    tools.set_on(window.session.chat, True)
    assert said() == "Runs on this Mac. Tools are on: what they are asked for can leave this Mac."
    tools.set_on(window.session.chat, False)
    assert said() == f"Runs on this Mac. {NOTHING}"
