"""Tools in the window, by what a person sees: the switch, a card that asks, its result, and the answer from it."""

from __future__ import annotations

import json
import time
from dataclasses import replace as change

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.composer.choice_buttons import ToolsButton
from app.conversations.database.records import Conversation
from app.session.answer import Answer, State
from app.session.attachments import count_tokens
from app.sidebar.list_model import STREAMS
from app.text.answer_parts import AnswerParts
from app.tools.servers import Server
from app.tools.tool import Permission, ToolProgress, ToolResult
from app.transcript.answer_texts import status_text
from app.transcript.call_card import CallCard
from app.transcript.fold_block import FoldBlock
from app.widgets.application import Application
from app.widgets.labels import WrappedLabel
from engine import starter_pair
from engine.call_forms.table import call_form
from tests.app.conftest import EACH_LANGUAGE, OpenWindow
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> FakeHost:
    host = FakeHost()
    host.offered = [tool("now")]
    host.results = {"now": ToolResult("It is 12:00 in Seoul.", seconds=0.25)}
    host.install(monkeypatch)
    return host


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr("app.session.session.data_folder", lambda: tmp_path)


def engine_of(*texts: str) -> ScriptedEngine:
    return ScriptedEngine([Script(text) for text in texts], tool_format="json_tools")


def cards(window: WindowDriver) -> list[CallCard]:
    """The cards on screen, top to bottom."""
    found = [card for card in window.window.findChildren(CallCard) if card.isVisible()]
    return sorted(found, key=lambda card: card.mapTo(window.window, card.rect().topLeft()).y())


def shown(card: CallCard) -> str:
    """The texts of a card's labels, buttons and passages that can be seen."""
    passages = filter(None, (card.question, card.arguments, card.result))
    parts = [*card.findChildren(QPushButton), *card.findChildren(type(card.state)), *passages]
    texts = (part.toPlainText() if hasattr(part, "toPlainText") else part.text() for part in parts if part.isVisible())
    return "\n".join(texts)


def wait_for_consent(window: WindowDriver) -> CallCard:
    window.wait(lambda: bool(cards(window)) and "Deny" in shown(cards(window)[-1]))
    return cards(window)[-1]


def sentence_of(card: CallCard) -> str:
    return "\n".join(one.text() for one in card.findChildren(WrappedLabel) if one.isVisible())


def button(card: CallCard, text: str) -> QPushButton:
    return next(one for one in card.findChildren(QPushButton) if one.text() == text)


def menu_of(window: WindowDriver) -> list[str]:
    tools = window.find(ToolsButton)
    tools.menu_of_tools.aboutToShow.emit()
    return [action.text().strip() for action in tools.menu_of_tools.actions() if action.text()]


def test_cards_ask_show_results_or_why_there_is_none_and_the_answer_follows(
    open_window: OpenWindow, host: FakeHost
) -> None:
    calls = f"{call_text('clock_now', zone='Asia/Seoul')}\n{call_text('clock_now', zone='UTC')}"
    window = open_window(engine_of(f"Let me look.\n{calls}", "It is noon.", "Bye."))
    set_up(window.session, "clock")
    window.ask("What time is it?")
    wait_for_consent(window)
    allowed, denied = cards(window)
    assert shown(allowed).splitlines()[-2:] == ["main wants to use now of “clock”.", "zone: Asia/Seoul"]
    assert "tool_call" not in window.turn(0).text
    assert host.calls == []
    accept = button(allowed, "Allow")
    assert accept.accessibleName() == "Allow: now · clock"
    accept.setFocus()
    QTest.keyClick(accept, Qt.Key.Key_Space)
    button(denied, "Deny").click()
    window.wait_until_answered()
    assert window.turn(0).text == "It is noon."
    assert len(host.calls) == 1
    allowed, denied = cards(window)
    assert "Denied" in shown(denied)
    assert "This call was not allowed." in shown(denied)
    assert "0.25 s" in shown(allowed)
    assert "It is 12:00" not in shown(allowed)
    allowed.head.click()
    assert "It is 12:00 in Seoul." in shown(allowed)
    assert "Allow" not in shown(allowed)
    window.ask_and_wait("Bye")
    assert window.turn(1).text == "Bye."


@pytest.mark.full
def test_while_a_call_asks_nothing_is_said_to_be_written(open_window: OpenWindow, host: FakeHost) -> None:
    window = open_window(engine_of(f"Let me look.\n{call_text('clock_now', zone='UTC')}", "It is noon."))
    set_up(window.session, "clock")
    window.ask("What time is it?")
    card = wait_for_consent(window)
    window.wait(lambda: "Waiting for you to allow a tool" in window.panel_text)
    assert "tokens a second" not in window.panel_text
    chat_id = window.session.chat.id
    row = window.sidebar.model.row_of(Conversation, chat_id)
    window.wait(lambda: row.data(STREAMS) is False)
    assert window.session.answers.chat_ids == {chat_id}
    button(card, "Allow").click()
    window.wait_until_answered()
    assert window.turn(0).text == "It is noon."
    assert len(host.calls) == 1


@pytest.mark.usefixtures("host")
def test_an_answer_that_repeats_the_refusal_of_a_call_shows_it_folded(open_window: OpenWindow) -> None:
    echo = "<tool_response> The user denied this call. Do not repeat it; answer without it. </tool_response>"
    window = open_window(engine_of(call_text("clock_now", zone="UTC"), f"{echo}\n\nI do not know the time."))
    set_up(window.session, "clock")
    window.ask("What time is it?")
    button(wait_for_consent(window), "Deny").click()
    window.wait_until_answered()
    assert window.turn(0).text == "I do not know the time."
    [fold] = window.turn(0).view.findChildren(FoldBlock)
    assert fold.head.text() == "Result of a tool"
    # What is stored and given to the model is its own text.
    assert window.answer(0).reply.startswith(echo)


@pytest.mark.usefixtures("host")
def test_a_card_says_that_the_same_call_was_made_before(open_window: OpenWindow) -> None:
    same, other = call_text("clock_now", zone="UTC"), call_text("clock_now", zone="Asia/Seoul")
    window = open_window(engine_of(same, f"{other}\n{same}", "It is noon."))
    set_up(window.session, "clock")
    window.ask("What time is it?")
    first = wait_for_consent(window)
    said = "The same call was made before in this answer."
    assert said not in sentence_of(first)
    button(first, "Allow").click()
    window.wait(lambda: len(cards(window)) == 3 and "Deny" in shown(cards(window)[-1]))
    assert [said in sentence_of(card) for card in cards(window)] == [False, False, True]
    window.session.answers.stop()


def test_tools_are_counted_before_the_first_question(open_window: OpenWindow, host: FakeHost) -> None:
    window = open_window(engine_of("Yes."))
    starter = starter_pair()[0]
    window.session.models.load(str(starter), None)
    window.wait(lambda: not window.session.models.pair.loading)
    set_up(window.session, "clock")
    tools = window.session.tools.known_tools(window.session.chat)
    assert tools[-1].called == "clock_now"
    tokens = count_tokens(starter, "\n\n".join(json.dumps(tool.for_template()) for tool in tools))
    window.wait(lambda: window.context_text == f"{tokens} of 4,096 tokens")
    assert host.calls == []
    # Without tools an empty chat has none.
    window.session.tools.set_on(window.session.chat, False)
    window.wait(lambda: window.context_text == "")


def test_the_tool_is_named_while_its_call_is_written() -> None:
    clock = change(tool("now"), called="clock_now", title="Current time")
    answer = Answer(State.WRITING, separator=AnswerParts(call_form("json_tools"), [clock.for_template()]))
    shown_texts = []
    for piece in ("<tool_call>", '\n{"name": "clock_now", "arguments": {"zone": '):
        answer.separator.add(piece)
        shown_texts.append(status_text(answer, [clock]))
    assert shown_texts == ["Preparing to use a tool…", "Calling Current time…"]
    assert status_text(answer, ()) == "Preparing to use a tool…"


UNCLEAR = {
    "en": "Not called: it isn't clear where the model's text ends",
    "ko": "호출하지 않았어요. 호출을 끝내는 표시가",
    "ja": "呼び出しませんでした。呼び出しの終わりを示す記号が",
    "zh_CN": "未调用：表示调用结束的标记",
}


def test_a_card_says_why_a_call_whose_end_cannot_be_told_did_not_run(
    open_window: OpenWindow, host: FakeHost, qapp: Application
) -> None:
    zone = "Begin with <parameter=a> here."
    call = f"<tool_call>\n<function=clock_now>\n<parameter=zone>\n{zone}\n</parameter>\n</function>\n</tool_call>"
    window = open_window(ScriptedEngine([Script(call), Script("I cannot look.")], tool_format="qwen3_coder"))
    set_up(window.session, "clock")
    window.session.tools.permit(window.session.chat, host.offered[0], Permission.ALWAYS)
    window.ask_and_wait("What time is it?")
    [card] = cards(window)
    assert "Failed" in shown(card)
    assert host.calls == []
    for code, sentence in UNCLEAR.items():
        qapp.language.choose(code)
        window.wait(lambda sentence=sentence: sentence in shown(card))
    qapp.language.choose("en")


@pytest.mark.full
def test_what_a_server_tells_the_model_is_in_the_prompt_once_while_its_tools_are(
    open_window: OpenWindow, host: FakeHost
) -> None:
    host.offered = [change(tool(name), instructions="Zones have the form Area/City.") for name in ("now", "later")]
    engine = engine_of("Hello.", "Hello again.", "Bye.")
    window = open_window(engine)
    window.session.chat.system_prompt = "Be brief."
    window.ask_and_wait("Hello")
    set_up(window.session, "clock")
    window.ask_and_wait("Hello")
    window.session.tools.set_on(window.session.chat, False)
    window.ask_and_wait("Bye")
    systems = [[one["content"] for one in request.messages if one["role"] == "system"] for request in engine.requests]
    with_tools = 'Instructions of "clock" for its tools:\nZones have the form Area/City.\n\nBe brief.'
    assert systems == [["Be brief."], [with_tools], ["Be brief."]]


def test_a_card_shows_how_far_its_tool_has_come(open_window: OpenWindow, host: FakeHost) -> None:
    host.results = {}
    window = open_window(engine_of(call_text("clock_now", zone="Asia/Seoul"), "It is noon."))
    set_up(window.session, "clock")
    window.session.tools.permit(window.session.chat, host.offered[0], Permission.ALWAYS)
    window.ask("What time is it?")
    window.wait(lambda: len(host.calls) == 1)
    host.reported(ToolProgress(3.0, 10.0, "Reading page 3", time.monotonic()))
    window.wait(lambda: "Working: 3 of 10. Reading page 3" in shown(cards(window)[0]))
    host.calls[0][2].set_result(ToolResult("It is 12:00 in Seoul."))
    window.wait_until_answered()
    assert "Working" not in shown(cards(window)[0])


@pytest.mark.full
def test_arguments_are_shown_to_their_end_with_all_that_is_in_them(open_window: OpenWindow, host: FakeHost) -> None:
    window = open_window(engine_of(call_text("clock_now", zone=f"{'A' * 30_000}\u202e\u200bend")))
    set_up(window.session, "clock")
    window.ask("What time is it?")
    card = wait_for_consent(window)
    assert shown(card).count("A") > 30_000
    assert "\\u202e\\u200bend" in shown(card)
    assert not card.arguments.verticalScrollBar().maximum()
    assert host.calls == []
    window.session.answers.stop()


def test_the_find_bar_finds_words_of_results_and_unfolds_their_cards(open_window: OpenWindow, host: FakeHost) -> None:
    window = open_window(engine_of(call_text("clock_now", zone="Asia/Seoul"), "It is noon in Seoul."))
    set_up(window.session, "clock")
    window.session.tools.permit(window.session.chat, host.offered[0], Permission.ALWAYS)
    window.ask_and_wait("What time is it?")
    window.find_bar.search_for("seoul", window.session.chat.turns[0], True)
    window.wait(lambda: window.turn(0).highlighted == ["Seoul", "Seoul"])
    assert "It is 12:00 in Seoul." in shown(cards(window)[0])


@pytest.mark.usefixtures("host")
def test_the_switch_lists_servers_and_tools_and_is_off_at_first(open_window: OpenWindow) -> None:
    window = open_window(engine_of("Hello."))
    window.session.models.load("some/model", None)
    window.wait(lambda: not window.session.models.pair.loading)
    tools = window.find(ToolsButton)
    # Nothing is said of tools to somebody who has set up none.
    assert not tools.isVisible()
    set_up(window.session, "clock")
    assert tools.isVisible()
    assert tools.text() == "Tools: on"
    assert menu_of(window) == ["Use tools in this chat", "Tandem", "clock · 1 tool ready."]
    menus = [action.menu() for action in tools.menu_of_tools.actions()[-2:]]
    names = [[action.text() for action in menu.actions()] for menu in menus if isinstance(menu, QMenu)]
    assert names == [["Models on this Mac", "Today's acceptance rate"], ["In all chats", "now"]]
    tools.menu_of_tools.actions()[0].trigger()
    assert tools.text() == "Tools: off"


def state_of_tools(window: WindowDriver) -> tuple[str, list[tuple[str, bool, bool]]]:
    """What the button says, and of each line of its menu the text, whether it is ticked, and whether it is grey."""
    texts = menu_of(window)
    lines = [action for action in window.find(ToolsButton).menu_of_tools.actions() if action.text()]
    return window.find(ToolsButton).text(), [
        (text, line.isChecked(), not line.isEnabled()) for text, line in zip(texts, lines, strict=True)
    ]


@pytest.mark.usefixtures("host")
def test_what_the_switch_shows_for_the_starter_is_what_a_question_gets(open_window: OpenWindow) -> None:
    engine = engine_of(*["Hello."] * 6)
    window = open_window(engine)
    session, server = window.session, Server(name="clock", command="serve")
    switch = window.find(ToolsButton).menu_of_tools

    def tools_of_a_question() -> list[str]:
        window.ask_and_wait("Hello")
        return [one["function"]["name"] for one in engine.requests[-1].tools]

    own = ["list_models", "acceptance_today"]
    for put, state in (
        (server, "Not allowed to run yet."),
        (replace(server, enabled=False).as_approved(), "Turned off."),
        (server.as_approved(), "Not used in this chat"),
    ):
        session.tools.settings.put(put)
        session.tools.servers_changed()
        text, lines = state_of_tools(window)
        assert text == "Tools: Tandem only"
        assert lines[0][:2] == ("Use all tools in this chat", False)
        assert [line[0] for line in lines[1:]] == ["Tandem", f"clock · {state}"]
        assert tools_of_a_question() == own
    menu_of(window)
    switch.actions()[0].trigger()
    text, lines = state_of_tools(window)
    assert text == "Tools: on"
    assert lines == [
        ("Use tools in this chat", True, False),
        ("Tandem", False, False),
        ("clock · 1 tool ready.", False, False),
    ]
    assert tools_of_a_question() == [*own, "clock_now"]
    session.tools.settings.put(server)
    session.tools.servers_changed()
    assert state_of_tools(window)[0] == "Tools: Tandem only"
    assert tools_of_a_question() == own
    session.tools.settings.put(server.as_approved())
    session.tools.servers_changed()
    menu_of(window)
    switch.actions()[0].trigger()
    text, lines = state_of_tools(window)
    assert text == "Tools: off"
    assert [line[:2] for line in lines] == [
        ("Use tools in this chat", False),
        ("Tandem · Not used in this chat", False),
        ("clock · Not used in this chat", False),
    ]
    assert tools_of_a_question() == []


@pytest.mark.usefixtures("host")
def test_tools_are_listed_in_a_chat_that_uses_them_and_servers_alone_in_others(open_window: OpenWindow) -> None:
    window = open_window(engine_of("Hello."))
    set_up(window.session, "clock")
    for on, names in ((True, ["now"]), (False, [])):
        window.session.tools.set_on(window.session.chat, on)
        menu_of(window)
        lines = window.find(ToolsButton).menu_of_tools.actions()
        menus = [menu for line in lines if isinstance(menu := line.menu(), QMenu)]
        assert [line.text() for menu in menus for line in menu.actions() if line.isEnabled()] == names
        assert [line.isEnabled() for line in lines[-2:]] == [on, on]


def test_a_tool_that_is_off_is_neither_told_to_the_model_nor_called(open_window: OpenWindow, host: FakeHost) -> None:
    engine = engine_of("Hello.", call_text("clock_later", zone="UTC"))
    window = open_window(engine)
    host.offered = [tool("now"), tool("later")]
    set_up(window.session, "clock")
    tools = window.session.tools
    tools.permit(window.session.chat, host.offered[1], Permission.DENY)
    lines = menu_of(window)
    assert lines[-1] == "clock · 1 tool ready. Off: later."
    menu = window.find(ToolsButton).menu_of_tools.actions()[-1].menu()
    assert isinstance(menu, QMenu)
    assert [(line.text(), line.isChecked()) for line in menu.actions()[1:]] == [("now", True), ("later", False)]
    window.ask_and_wait("Hello")
    assert [one["function"]["name"] for one in engine.requests[-1].tools][2:] == ["clock_now"]
    # A model may know of it from before.
    window.ask_and_wait("Later?")
    assert not cards(window)
    assert host.calls == []


def test_a_click_on_a_tool_in_the_menu_turns_it_off_and_on(open_window: OpenWindow, host: FakeHost) -> None:
    engine = engine_of(*["Hello."] * 3)
    window = open_window(engine)
    host.offered = [tool("now"), tool("later")]
    set_up(window.session, "clock")

    def click(name: str) -> None:
        menu_of(window)
        menus = [action.menu() for action in window.find(ToolsButton).menu_of_tools.actions()]
        lines = [line for menu in menus if isinstance(menu, QMenu) for line in menu.actions()]
        next(line for line in lines if line.text() == name).trigger()

    def told() -> list[str]:
        window.ask_and_wait("Hello")
        return [one["function"]["name"] for one in engine.requests[-1].tools][2:]

    assert told() == ["clock_now", "clock_later"]
    click("later")
    assert menu_of(window)[-1] == "clock · 1 tool ready. Off: later."
    assert told() == ["clock_now"]
    click("later")
    assert told() == ["clock_now", "clock_later"]
    assert window.session.tools.permission(window.session.chat, host.offered[1]) is Permission.ASK
    # A permission is not revoked by that.
    window.session.tools.permit(window.session.chat, host.offered[1], Permission.ALWAYS)
    click("later")
    assert menu_of(window)[-1] == "clock · 1 tool ready. Off: later."
    click("later")
    assert window.session.tools.permission(window.session.chat, host.offered[1]) is Permission.ALWAYS
    # The tools of Tandem are always on.
    click("Models on this Mac")
    assert [one["function"]["name"] for one in engine.requests[-1].tools][:2] == ["list_models", "acceptance_today"]


@pytest.mark.usefixtures("host")
def test_the_switch_says_at_a_click_why_a_model_has_no_tools_and_opens_the_choice_of_another(
    open_window: OpenWindow,
) -> None:
    window = open_window(ScriptedEngine([Script("Hello.")]))
    set_up(window.session, "clock")
    tools = window.find(ToolsButton)
    assert tools.isEnabled()
    assert tools.text() == "Tools: off"
    assert tools.property("styleClass") == "small-faint"
    assert "chat template" in tools.toolTip()
    reason, template, choose = menu_of(window)
    assert (reason, template) == ("This model can't use tools.", "Its chat template has no place for them.")
    assert choose == "Choose a model that can…"
    picker = window.models.main_picker
    assert not picker.isVisible()
    tools.menu_of_tools.actions()[-1].trigger()
    assert picker.isVisible()


@pytest.mark.usefixtures("host")
def test_the_starter_tells_the_models_by_a_tool_of_tandem_without_a_question(open_window: OpenWindow) -> None:
    engine = engine_of(call_text("list_models"), "You have the Starter.", call_text("acceptance_today"), "None yet.")
    window = open_window(engine)
    assert not window.find(ToolsButton).isVisible()
    window.ask_and_wait("Which models are here?")
    assert [one["function"]["name"] for one in engine.requests[0].tools] == ["list_models", "acceptance_today"]
    assert engine.requests[1].messages[-1]["content"] == "Models on this computer: Starter."
    assert window.turn(0).text == "You have the Starter."
    assert cards(window)[0].head.text() == "Models on this Mac"
    window.ask_and_wait("What was my acceptance today?")
    stats = [answer.stats for answer in window.session.chat.turns[0].answers] + [
        window.session.chat.turns[1].steps[0].answer.stats
    ]
    drafted, accepted = sum(one.drafted for one in stats), sum(one.accepted for one in stats)
    said = f"Accepted today: {accepted / drafted:.0%} ({accepted} of {drafted} draft tokens)."
    assert engine.requests[3].messages[-1]["content"] == said


@pytest.mark.parametrize("code", EACH_LANGUAGE)
@pytest.mark.usefixtures("host")
def test_a_card_fits_a_narrow_window(open_window: OpenWindow, qapp: Application, qtbot: QtBot, code: str) -> None:
    window = open_window(engine_of(call_text("clock_now", zone="Asia/Seoul " * 30)))
    set_up(window.session, "clock")
    window.window.resize(window.window.minimumSize())
    window.ask("What time is it?")
    wait_for_consent(window)
    qapp.language.choose(code)
    qtbot.waitUntil(lambda: cards(window)[0].width() > 0)
    card = cards(window)[0]
    inside = card.rect()
    buttons = [one for one in card.findChildren(QPushButton) if one.isVisible()]
    assert len(buttons) == 3
    assert [one.x() for one in buttons] == sorted(one.x() for one in buttons)
    assert all(inside.contains(QRect(one.mapTo(card, QPoint(0, 0)), one.size())) for one in buttons)
    window.session.answers.stop()
