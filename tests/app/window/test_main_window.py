"""The window end to end on a scripted engine: asking, streaming, stopping, switching, failing, closing."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton

from app.session.answer import State
from app.system import crash
from app.wording import figures
from engine.errors import InternalFailure, ModelNotUsable
from engine.status import LoadedPair
from tests.app.scripted_engine import PLAIN, Script, ScriptedEngine, model_info
from tests.app.window_driver import texts

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.session.answer import Answer
    from app.widgets.application import Application
    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver

STORY = "Once upon a time there was a draft model that guessed what comes next, and it was right most of the time."


def ask(window: WindowDriver, text: str) -> None:
    window.ask(text)


def answer_of(window: WindowDriver) -> Answer:
    return window.answer()


def wait_for_end(window: WindowDriver, _qtbot: QtBot) -> None:
    window.wait_until_answered()


def shown_text(window: WindowDriver) -> str:
    return window.shown_text()


def test_a_question_is_answered(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    assert window.shown_text() == STORY
    assert window.unsent == ""


def test_text_appears_while_the_answer_is_written(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = open_window(engine)
    window.ask("Tell me a story")
    qtbot.waitUntil(lambda: window.shown_text() != "")
    assert STORY.startswith(window.shown_text())
    assert not window.answer().ended
    assert window.send_button.toolTip() == window.action("stop").toolTip()
    engine.gate.release(1000)  # type: ignore[union-attr]
    window.wait_until_answered()
    assert window.shown_text() == STORY


def test_the_bubble_of_a_short_question_is_no_wider_than_its_words(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    for question in ("Why?", "And why is it as it is, and not as it is not? " * 8):
        window.ask(question)
        window.wait_until_answered()
    short, long = (window.turn(index).bubble for index in range(2))
    qtbot.waitUntil(lambda: short.width() < 100 and long.width() > 400)
    assert short.geometry().right() == long.geometry().right()
    assert short.text.height() < 2 * short.text.fontMetrics().lineSpacing()


def test_models_in_the_header_are_never_cut_off(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    header = window.header
    right = max(header.findChildren(QToolButton), key=QToolButton.x)
    assert header.minimumSizeHint().width() <= 312
    for width in (1440, 900, 400, 312):
        header.resize(width, header.height())
        header.layout().activate()
        for chip in (header.main, header.draft):
            assert chip.sizeHint().width() <= chip.width()
            assert chip.geometry().right() < right.x()


def test_the_whole_chat_is_sent_with_the_next_question(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("First answer.")])
    window = open_window(engine)
    window.ask("one")
    window.wait_until_answered()
    window.ask("two")
    window.wait_until_answered()
    assert [message["content"] for message in engine.requests[-1].messages] == ["one", "First answer.", "two"]


def test_stop_ends_the_answer_and_keeps_its_text(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = open_window(engine)
    window.ask("Tell me a story")
    qtbot.waitUntil(lambda: window.shown_text() != "")
    window.press_send()
    engine.gate.release(1)  # type: ignore[union-attr]
    window.wait_until_answered()
    assert window.answer().state is State.CANCELLED
    assert STORY.startswith(window.shown_text())
    assert "Stopped." in window.foot()


def test_another_chat_can_be_read_while_one_streams(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = open_window(engine)
    session = window.session
    window.ask("Tell me a story")
    first = session.chat
    qtbot.waitUntil(lambda: bool(first.turns[0].answer.text))
    window.trigger("new-chat")
    assert session.chat is not first
    engine.gate.release(1000)  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: first.turns[0].answer.ended)
    assert first.turns[0].answer.text == STORY
    session.chats.open(first)
    assert window.shown_text() == STORY


def test_closing_while_it_streams_is_clean(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script(STORY)], gate=threading.Semaphore(5))
    window = open_window(engine)
    window.ask("Tell me a story")
    qtbot.waitUntil(lambda: window.shown_text() != "")
    window.close()
    assert not engine.running


def test_closing_while_models_load_is_clean(open_window: OpenWindow) -> None:
    engine = ScriptedEngine(load_gate=threading.Event())
    window = open_window(engine, load=False)
    window.close()
    assert engine.closed


def test_the_window_can_be_used_while_models_load(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("Hi there.")], load_gate=threading.Event())
    window = open_window(engine, load=False)
    assert "loading" in window.header.main.accessibleName()
    assert "loading" in window.context_text
    window.ask("hello")
    assert window.session.chat.turns == []
    assert window.unsent == "hello"
    engine.load_gate.set()  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: window.session.answers.ready)
    window.send()
    window.wait_until_answered()
    assert window.shown_text() == "Hi there."


def test_a_question_need_not_wait_for_the_draft(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script("Hi there.")], draft_gate=threading.Event())
    window = open_window(engine, load=False)
    session = window.session
    qtbot.waitUntil(lambda: session.answers.ready)
    assert session.models.pair.loading == "draft"
    # The answer is recorded as one of the pair that is on its way.
    assert session.models.pair.names == ("main", "starter/draft")
    assert "You can ask already" in window.header.draft.toolTip()
    assert not window.is_enabled("compare")
    window.ask("hello")
    window.wait_until_answered()
    assert window.shown_text() == "Hi there."
    assert session.models.pair.loading == "draft"
    engine.draft_gate.set()  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: not session.models.pair.loading)
    assert session.models.pair.draft is not None


def test_a_draft_that_fails_behind_its_main_model_says_why(open_window: OpenWindow, qtbot: QtBot) -> None:
    problem = ModelNotUsable("models/draft", "vocabulary", "32000 and 151936 ids")
    engine = ScriptedEngine(loads=[problem], draft_gate=threading.Event())
    window = open_window(engine, load=False)
    qtbot.waitUntil(lambda: window.session.answers.ready)
    assert window.banner.isHidden()
    engine.draft_gate.set()  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: not window.session.models.pair.loading)
    assert "vocabularies differ" in window.banner_text
    assert window.session.answers.ready


def test_a_broken_model_is_told_with_what_to_do(open_window: OpenWindow, qtbot: QtBot) -> None:
    problem = ModelNotUsable("models/big", "incomplete", "model.safetensors")
    engine = ScriptedEngine(loads=[problem])
    window = open_window(engine)
    assert window.banner.isVisible()
    assert "model.safetensors" in window.banner_text
    assert "No main model" in window.context_text
    window.press_banner()
    qtbot.waitUntil(lambda: window.session.answers.ready)
    assert window.banner.isHidden()


def test_a_failed_change_keeps_the_models_that_were_there(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine()
    window = open_window(engine)
    engine.loads.append(ModelNotUsable("models/other", "missing"))
    window.session.models.load("models/other", None)
    qtbot.waitUntil(lambda: not window.session.models.pair.loading)
    assert window.session.answers.ready
    assert window.session.models.pair.draft is not None


def test_a_draft_that_does_not_fit_says_why(open_window: OpenWindow, tmp_path: Path) -> None:
    problem = ModelNotUsable("models/draft", "vocabulary", "32000 and 151936 ids")
    pair = LoadedPair(model_info(tmp_path / "main"), None, problem)
    window = open_window(ScriptedEngine(loads=[pair]))
    assert "vocabularies differ" in window.header.draft.toolTip()
    assert "vocabularies differ" in window.banner_text
    assert window.session.answers.ready


def test_a_failed_answer_says_why_and_can_be_tried_again(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script(STORY, error=InternalFailure("no luck"), fail_after=2), Script("All is well.")])
    window = open_window(engine)
    window.ask("Tell me a story")
    window.wait_until_answered()
    assert "no luck" in window.turn().note_text
    assert STORY.startswith(window.shown_text())
    window.turn().press_note()
    window.wait_until_answered()
    assert window.shown_text() == "All is well."
    assert [message["content"] for message in engine.requests[-1].messages] == ["Tell me a story"]


def test_the_header_says_that_speculation_is_switched_off(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    assert "Speculation is on" in window.header.draft.accessibleName()
    window.trigger("speculation-off")
    assert "switched off" in window.header.draft.accessibleName()
    assert window.session.settings.speculation.method == "off"


def test_an_answer_without_guesses_says_why(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(STORY, (PLAIN,))]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    assert "speculation is switched off" in window.foot()


def test_every_figure_on_the_panel_is_the_engine_s(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    panel, stats = window.panel, window.answer().stats
    assert stats.drafted > 0
    assert panel.rate.text() == f"{stats.accept_rate:.0%}"
    assert panel.per_round.text == f"{stats.tokens_per_round:.1f}"
    assert panel.speed.text == f"{stats.decode_tps:.1f}"
    assert panel.first.text == f"{stats.ttft_s:.2f} s"
    guessed = [record.drafted for record in window.answer().rounds if record.drafted]
    assert panel.depth_figure.text == f"{sum(guessed) / len(guessed):.1f}"
    assert f"{stats.accepted} guesses accepted of {stats.drafted}." in window.panel_text
    assert panel.strip.visible_rounds() == window.answer().rounds[-panel.strip.columns :]


def test_the_language_changes_everywhere_while_the_window_is_open(
    open_window: OpenWindow, qapp: Application, qtbot: QtBot
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("이야기해 주세요")
    window.wait_until_answered()
    qapp.language.choose("ko")
    qtbot.waitUntil(lambda: "새 대화" in texts(window.sidebar.pane))
    assert window.edit.placeholderText() == "메시지"
    assert "초안" in window.header.draft.accessibleName()
    assert "채택" in window.foot()
    assert "추측" in window.panel_text
    assert window.action("new-chat").text() == "새 대화"
    assert window.panel.rate.text() == figures.percent(window.answer().stats.accept_rate)


def test_side_panes_make_room_by_themselves_and_obey_the_user(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window.resize(1300, 800)
    assert window.panel.isVisible()
    window.resize(900, 600)
    assert not window.panel.isVisible()
    assert window.sidebar.pane.isVisible()
    window.resize(700, 600)
    assert not window.sidebar.pane.isVisible()
    window.trigger("toggle-panel")
    assert window.panel.isVisible()


def test_a_chat_ends_where_its_last_answer_ends(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A paragraph that is long enough to be wrapped.\n\n" * 40)]))
    window.ask("A question of many words, so that its bubble has to be wrapped as well when it is narrow. " * 4)
    window.wait_until_answered()
    body = window.transcript.widget()
    view = window.turn().view
    for width in (1400, 700, 1200):
        window.resize(width, 700)
        qtbot.waitUntil(lambda: body.height() - view.mapTo(body, view.rect().bottomLeft()).y() < 40)
        assert view.height() - view.answer_row.geometry().bottom() < 8
        assert window.turn().foot_label.height() < 60


def test_reading_further_up_is_not_disturbed_by_new_text(open_window: OpenWindow, qtbot: QtBot) -> None:
    long = "\n\n".join(f"Paragraph number {number} of a long answer." for number in range(80))
    engine = ScriptedEngine([Script(long), Script(long)])
    window = open_window(engine)
    window.ask("long please")
    window.wait_until_answered()
    bar = window.transcript.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    engine.gate = threading.Semaphore(30)
    window.ask("and again")
    qtbot.waitUntil(lambda: bool(window.answer().text))
    bar.setValue(bar.maximum() // 3)
    place = bar.value()
    engine.gate.release(100_000)
    window.wait_until_answered()
    assert bar.value() == place
    newest = window.find(QToolButton, "newest")
    assert newest.isVisible()
    newest.click()
    assert bar.value() == bar.maximum()


def test_a_click_on_a_link_shows_the_address_and_opens_nothing(open_window: OpenWindow, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    opened: list[str] = []
    monkeypatch.setattr("app.chat.link_menu.QDesktopServices.openUrl", lambda url: opened.append(url.toString()))
    window = open_window(ScriptedEngine([Script("See [this](https://example.org/a) page.")]))
    window.ask("where?")
    window.wait_until_answered()
    menu = window.transcript.link_menu
    menu.fill("https://example.org/a")
    assert menu.actions()[0].text() == "https://example.org/a"
    assert opened == []
    menu.actions()[2].trigger()
    assert opened == ["https://example.org/a"]


@pytest.mark.parametrize(
    ("address", "shown", "opens"),
    [
        ("https://ko.wikipedia.org/wiki/%ED%95%9C%EA%B5%AD", "https://ko.wikipedia.org/wiki/한국", True),
        ("https://example.org/a?x=1&y=2", "https://example.org/a?x=1&&y=2", True),
        # Letters that look like others, signs that turn the direction, and a user who looks like a host.
        ("https://аррӏе.com/", "https://xn--80ak6aa92e.com/", True),
        ("https://example.org/%E2%80%AEgnp.exe", "https://example.org/%E2%80%AEgnp.exe", True),
        ("https://example.com@example.org/", "https://example.org/", True),
        ("mailto:a@example.org", "mailto:a@example.org", True),
        ("file:///Applications/Calculator.app", "file:///Applications/Calculator.app", False),
        ("javascript:alert(1)", "javascript:alert(1)", False),
        ("notes/a.md", "notes/a.md", False),
    ],
)
def test_a_link_shows_where_it_really_goes_and_opens_only_what_a_browser_reads(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, address: str, shown: str, opens: bool
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr("app.chat.link_menu.QDesktopServices.openUrl", opened.append)
    menu = open_window(ScriptedEngine()).transcript.link_menu
    menu.fill(address)
    text, open_it, copy_it = (action for action in menu.actions() if not action.isSeparator())
    assert (text.text(), text.isEnabled(), open_it.isEnabled()) == (shown, False, opens)
    open_it.trigger()
    assert [url.userInfo() for url in opened] == [""] * opens
    copy_it.trigger()
    assert QGuiApplication.clipboard().text() == address


def test_a_very_long_address_does_not_make_the_menu_wider_than_the_screen(open_window: OpenWindow) -> None:
    menu = open_window(ScriptedEngine()).transcript.link_menu
    menu.fill("https://example.org/" + "a" * 5000)
    assert menu.sizeHint().width() < 700
    assert menu.actions()[0].text().startswith("https://example.org/aaa")


def test_settings_of_the_panel_reach_the_next_request(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Hi.")])
    window = open_window(engine)
    window.trigger("speculation-on")
    window.ask("hello")
    window.wait_until_answered()
    assert engine.requests[-1].speculation == replace(window.session.settings.speculation, method="draft")


def test_a_first_syllable_that_is_still_composed_can_be_sent(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("네.")])
    window = open_window(engine)
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
    assert str(report) in window.banner_text
    assert "division by zero" in report.read_text()


def test_full_screen_is_entered_and_left(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window.trigger("full-screen")
    assert window.isFullScreen()
    window.trigger("full-screen")
    assert not window.isFullScreen()
