"""The window end to end on a scripted engine: asking, streaming, stopping, switching, failing, closing."""

from __future__ import annotations

import re
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QToolButton

from app.session.answer import State
from app.session.calls import CallState
from app.session.tool_calls import ONCE
from app.system import crash
from app.tools.tool import ToolResult
from app.transcript.answer_texts import figures_text
from app.widgets.application import Application
from app.wording import figures
from engine.errors import InternalFailure
from engine.status import LoadedPair
from tests.app.conftest import OpenWindow
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import STORY, Script, ScriptedRound
from tests.app.shared_window import StartChat
from tests.app.window_driver import texts


def test_text_appears_while_the_answer_is_written(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = start_chat(engine)
    window.ask("Tell me a story")
    window.wait(lambda: window.shown_text() != "")
    assert STORY.startswith(window.shown_text())
    assert not window.answer().ended
    assert window.send_button.toolTip() == window.action("stop").toolTip()
    engine.gate.release(1000)  # type: ignore[union-attr]
    window.wait_until_answered()
    assert window.shown_text() == STORY
    assert window.unsent == ""


def test_a_chat_without_answers_has_nothing_to_show_as_tokens(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script(STORY)]))

    def is_offered() -> bool:
        names = {window.action("show-tokens").whatsThis(), "Tokens"}
        buttons = window.header.findChildren(QAbstractButton)
        return any(one.isVisible() and names & {one.text(), one.accessibleName()} for one in buttons)

    for width in (1440, 560):
        window.resize(width, 900)
        assert not is_offered()
    window.ask_and_wait("Tell me a story")
    for width in (1440, 560):
        window.resize(width, 900)
        assert is_offered()
    window.trigger("new-chat")
    assert not is_offered()


def test_models_in_the_header_are_never_cut_off_and_full_screen_is_left_again(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    header = window.header
    right = max(header.findChildren(QToolButton), key=QToolButton.x)
    assert header.minimumSizeHint().width() <= 312
    for width in (1440, 900, 400, 312):
        header.resize(width, header.height())
        header.layout().activate()
        for chip in (header.main, header.draft):
            assert chip.sizeHint().width() <= chip.width()
            assert chip.geometry().right() < right.x()
    for full in (True, False):
        window.trigger("full-screen")
        assert window.isFullScreen() is full


def test_stop_ends_the_answer_and_keeps_its_text_and_closing_while_one_streams_is_clean(
    open_window: OpenWindow,
) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = open_window(engine)
    window.ask("Tell me a story")
    window.wait(lambda: window.shown_text() != "")
    window.press_send()
    engine.gate.release(1)  # type: ignore[union-attr]
    window.wait_until_answered()
    assert window.answer().state is State.CANCELLED
    assert STORY.startswith(window.shown_text())
    assert "Stopped." in window.footer()
    window.ask("And another")
    engine.gate.release(5)  # type: ignore[union-attr]
    window.wait(lambda: len(window.turns) == 2 and window.shown_text() != "")
    window.close()
    assert engine.closed


def test_another_chat_can_be_read_while_one_streams(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = start_chat(engine)
    session = window.session
    window.ask("Tell me a story")
    first = session.chat
    window.wait(lambda: bool(first.turns[0].answer.text))
    window.trigger("new-chat")
    assert session.chat is not first
    engine.gate.release(1000)  # type: ignore[union-attr]
    window.wait(lambda: first.turns[0].answer.ended)
    assert first.turns[0].answer.text == STORY
    session.chats.open(first)
    assert window.shown_text() == STORY


def test_a_failed_answer_says_why_and_can_be_tried_again(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script(STORY, error=InternalFailure("no luck"), fail_after=2), Script("All is well.")])
    window = start_chat(engine)
    window.ask_and_wait("Tell me a story")
    assert "no luck" in window.turn().note_text
    assert STORY.startswith(window.shown_text())
    window.turn().press_note()
    window.wait_until_answered()
    assert window.shown_text() == "All is well."
    assert [message["content"] for message in engine.requests[-1].messages] == ["Tell me a story"]


def test_header_and_panel_say_the_same_while_an_answer_is_decoded_plainly(start_chat: StartChat) -> None:
    gate = threading.Semaphore(0)
    costly = ScriptedRound(0, 0, "main", "costs-more", (("plain_ms", 20.0), ("round_ms", 90.0)))
    window = start_chat(ScriptedEngine([Script(STORY, (costly,))], gate=gate))
    window.ask("Tell me a story")
    gate.release(6)
    window.wait(lambda: len(window.session.chat.turns[-1].answer.rounds) > 2)
    said = figures.sentence(window.session.chat.turns[-1].answer)[0]
    assert said
    assert said in window.header.draft.accessibleName()
    gate.release(1000)
    window.wait_until_answered()
    assert "Speculation: auto" in window.header.draft.accessibleName()


def test_what_an_answer_gained_is_in_the_panel_or_else_below_the_answer(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script(STORY)]))
    window.ask_and_wait("first", "second")
    window.wait(lambda: window.panel.outcome.text().endswith("as fast"))
    gained = window.panel.outcome.text()
    for index in (0, 1):
        window.turn(index).hover()
    assert window.turn(0).origin.startswith(f"{gained} · ")
    assert window.turn(1).origin.startswith("main · ")
    window.trigger("toggle-panel")
    assert window.turn(1).origin.startswith(f"{gained} · ")


def test_every_figure_on_the_panel_is_the_engine_s_and_stands_there_or_below_the_answer(
    start_chat: StartChat,
) -> None:
    window = start_chat(ScriptedEngine([Script(STORY)]))
    window.ask_and_wait("Tell me a story")
    panel, stats = window.panel, window.answer().stats
    assert stats.drafted > 0
    accepted = f"{stats.accepted} of {stats.drafted} drafts accepted"
    a_round = f"{stats.tokens_per_round:.1f} tokens a round instead of 1"
    assert panel.speeds.text() == f"{accepted} · {a_round} · {figures.speed_sentence(stats)}"
    assert panel.details.words.text().startswith(f"First token after {stats.ttft_s:.2f} s")
    assert panel.strip.visible_rounds() == window.answer().rounds[-panel.strip.columns :]
    turn = window.turn()
    assert panel.isVisible()
    assert turn.foot_label.isHidden()
    assert accepted in turn.view.answer_row.toolTip()
    window.trigger("toggle-panel")
    assert accepted in window.footer().replace("&nbsp;", " ").replace("\u00a0", " ")
    assert turn.foot_label.isVisible()
    assert turn.view.answer_row.toolTip() == ""
    window.trigger("toggle-panel")
    assert turn.foot_label.isHidden()


def test_the_language_changes_everywhere_while_the_window_is_open(start_chat: StartChat, qapp: Application) -> None:
    window = start_chat(ScriptedEngine([Script(STORY)]))
    window.ask_and_wait("이야기해 주세요")
    qapp.language.choose("ko")
    window.wait(lambda: "새 대화" in texts(window.sidebar.pane))
    assert window.edit.placeholderText() == "메시지"
    assert "초안" in window.header.draft.accessibleName()
    assert "채택" in window.turn().view.answer_row.toolTip()
    assert "초안 27개 중 21개 채택" in window.panel_text
    assert window.action("new-chat").text() == "새 대화"


def test_reading_further_up_is_not_disturbed_by_new_text(start_chat: StartChat) -> None:
    long = "\n\n".join(f"Paragraph number {number} of a long answer." for number in range(40))
    engine = ScriptedEngine([Script(long), Script(long)])
    window = start_chat(engine)
    window.ask_and_wait("long please")
    bar = window.transcript.verticalScrollBar()
    window.wait(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    engine.gate = threading.Semaphore(30)
    window.ask("and again")
    window.wait(lambda: bool(window.answer().text))
    bar.setValue(bar.maximum() // 3)
    place = bar.value()
    engine.gate.release(1000)
    window.wait_until_answered()
    assert bar.value() == place
    newest = window.find(QToolButton, "newest")
    assert newest.isVisible()
    newest.click()
    assert bar.value() == bar.maximum()


def test_the_method_of_speculation_is_in_the_header_and_in_the_next_request(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script("Hi.")])
    window = start_chat(engine)
    assert "Speculation: auto" in window.header.draft.accessibleName()
    window.trigger("speculation-off")
    assert "Speculation is off" in window.header.draft.accessibleName()
    assert window.session.settings.speculation.method == "off"
    window.trigger("speculation-on")
    window.ask_and_wait("hello")
    assert engine.requests[-1].speculation == replace(window.session.settings.speculation, method="draft")


def test_a_first_syllable_that_is_still_composed_can_be_sent(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script("네.")])
    window = start_chat(engine)
    window.compose("네")
    window.press_send()
    window.wait_until_answered()
    assert engine.requests[-1].messages[-1]["content"] == "네"


def test_an_unexpected_error_is_told_in_place_and_kept_in_a_file(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    window = open_window(ScriptedEngine())
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    crash.catch_in_slots(window.notifications.show_error)
    error = ZeroDivisionError("division by zero")
    sys.excepthook(ZeroDivisionError, error, None)
    assert "Something unexpected" in window.banner_text
    report = next(own_home.rglob("last-error.txt"))
    assert report.name in window.banner_text
    assert "division by zero" in report.read_text()


def test_an_engine_that_ends_by_itself_is_replaced_and_the_window_says_so(open_window: OpenWindow) -> None:
    first, second = ScriptedEngine([Script("One.")]), ScriptedEngine([Script("Two.")])
    window = open_window(first, others=[second])
    window.ask_and_wait("first")
    first.end_by_itself()
    window.wait(lambda: "started again" in window.banner_text)
    window.wait(lambda: window.session.answers.ready)
    assert second.pair == starter_pair()
    window.ask_and_wait("second")
    assert window.session.chat.turns[-1].answer.text == "Two."
    assert first.closed


def starter_pair() -> LoadedPair:
    return LoadedPair(model_info("starter/main"), model_info("starter/draft"))


def test_a_model_with_which_the_engine_ended_twice_gives_way_to_the_starter(open_window: OpenWindow) -> None:
    engines = [ScriptedEngine() for _ in range(3)]
    window = open_window(engines[0], others=engines[1:])
    window.session.models.load("/models/wild", None)
    for ended, successor, loaded in ((0, 1, "wild"), (1, 2, "main")):
        window.wait(lambda: not window.session.models.pair.loading)
        engines[ended].end_by_itself()
        window.wait(lambda successor=successor: engines[successor].pair.main is not None)
        assert engines[successor].pair.main.path.name == loaded  # type: ignore[union-attr]
    window.wait(lambda: "starter pair" in window.banner_text)
    assert "wild" in window.banner_text


@pytest.mark.full
def test_the_panel_shows_the_figures_of_the_foot_after_calls_of_tools(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = FakeHost()
    host.offered, host.results = [tool("now")], {"now": ToolResult("12:00")}
    host.install(monkeypatch)
    call = Script(call_text("clock_now", zone="UTC"), (ScriptedRound(4, 4),))
    engine = ScriptedEngine([call, Script(STORY, (ScriptedRound(4, 1),))], tool_format="json_tools")
    window = open_window(engine)
    set_up(window.session, "clock")
    window.ask("What time is it?")
    turn = window.session.chat.turns[0]
    window.wait(lambda: [call.state for call in turn.calls] == [CallState.ASKS])
    window.session.answers.choose(turn, turn.calls[0], ONCE)
    window.wait_until_answered()
    panel, shown = window.panel, figures_text(window.answer())
    said = f"{panel.outcome.text()} {panel.speeds.text()}"
    accepted, a_round = re.findall(r"[\d,]+ of [\d,]+ drafts accepted|[\d.]+ tokens a round", said)
    assert accepted in shown
    assert a_round in shown
