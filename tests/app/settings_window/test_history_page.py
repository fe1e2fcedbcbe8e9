"""The request history: its table, its sentences and its exported files contain the requests of the window."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionHeader
from pytestqt.qtbot import QtBot

from app.conversations.database.records import AnswerSource
from app.conversations.request_history import ProgramRequest
from app.conversations.store import ConversationStore
from app.settings_window.history_page import COLUMNS, HistoryPage
from app.system.language import LANGUAGES
from app.widgets.application import Application
from app.wording.figures import NONE
from engine.stats import RequestStats
from tests.app.conftest import OpenShown, OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import FULL, Script, ScriptedRound
from tests.app.window_driver import WindowDriver

FAST = RequestStats(
    generated_tokens=101, rounds=40, drafted=100, accepted=60, accept_rate=0.6, decode_tps=50.0, plain_tps=25.0,
    speedup=2.0, speedup_low=1.95, speedup_high=2.05,
)  # fmt: skip
SLOW = RequestStats(
    generated_tokens=301, rounds=160, drafted=300, accepted=60, accept_rate=0.2, decode_tps=30.0, plain_tps=20.0,
    speedup=1.5, speedup_low=1.45, speedup_high=1.55,
)  # fmt: skip


def add_answer(store: ConversationStore, main: str, draft: str, method: str, stats: RequestStats) -> None:
    chat = store.conversations.create(title="a chat")
    answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource(main, draft, method))
    store.answers.finish(answer, "stop", stats, "text of the answer")


def fill(store: ConversationStore) -> None:
    add_answer(store, "Big", "Small", "auto", FAST)
    add_answer(store, "Other", "", "ngram", SLOW)


@pytest.fixture(params=["ko", *(pytest.param(one, marks=pytest.mark.full) for one in LANGUAGES if one != "ko")])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def window(open_settings: OpenShown) -> WindowDriver:
    return open_settings()[0]


@pytest.fixture
def page(window: WindowDriver, qtbot: QtBot) -> HistoryPage:
    window.in_store(fill)
    window.settings.open("history")
    shown: HistoryPage = window.settings.page("history")
    qtbot.waitUntil(lambda: len(shown.table.rows) == 2)
    return shown


KEYS = [column.key for column in COLUMNS]


def column(page: HistoryPage, key: str) -> list[Any]:
    return [page.table.data(page.table.index(row, KEYS.index(key))) for row in range(page.table.rowCount())]


def test_a_column_sorts_when_its_heading_is_pressed(page: HistoryPage, qtbot: QtBot) -> None:
    arrow = QStyleOptionHeader()
    page.view.horizontalHeader().initStyleOptionForIndex(arrow, 0)
    assert arrow.sortIndicator == QStyleOptionHeader.SortIndicator.SortDown
    page.view.sortByColumn(KEYS.index("speedup"), Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: column(page, "speedup") == ["1.5×", "2.0×"])
    page.view.sortByColumn(KEYS.index("speedup"), Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: column(page, "speedup") == ["2.0×", "1.5×"])
    assert column(page, "accept_rate") == ["60 of 100", "60 of 300"]


def test_a_pair_is_exported_filtered_and_summed_up_in_a_sentence(
    page: HistoryPage, tmp_path: Path, qtbot: QtBot
) -> None:
    for kind in ("csv", "json"):
        page.export_to(tmp_path / f"out.{kind}", kind)
    qtbot.waitUntil(lambda: "out.json" in page.outcome.text())
    # Excel reads a file without a byte order mark in the system's legacy encoding.
    assert (tmp_path / "out.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8-sig"))))
    assert [row["main_model"] for row in rows] == ["Other", "Big"]
    assert [one["stats"]["drafted"] for one in json.loads((tmp_path / "out.json").read_text())] == [300, 100]
    page.export_to(tmp_path / "missing" / "out.csv", "csv")
    qtbot.waitUntil(lambda: "could not be saved" in page.outcome.text())
    assert "Big is 2.0× as fast with Small on this Mac." in page.sentences.text()
    assert "Other is 1.5× as fast with prompt lookup" in page.sentences.text()
    page.pair.setCurrentIndex(page.pair.findText("Big + Small"))
    page.pair.activated.emit(page.pair.currentIndex())
    qtbot.waitUntil(lambda: column(page, "main_model") == ["Big"])
    assert "Other" not in page.sentences.text()
    assert page.pair.currentText() == "Big + Small"


def test_nothing_is_said_of_answers_before_they_are_read(window: WindowDriver, qtbot: QtBot) -> None:
    window.settings.open("history")
    page: HistoryPage = window.settings.page("history")
    assert page.sentences.isHidden()
    qtbot.waitUntil(page.sentences.isVisible)
    assert page.sentences.text() == "No answers yet. Each answer adds a row with its speed-up."


def test_answers_appear_while_the_page_is_shown_and_their_rows_lead_to_them(
    page: HistoryPage, window: WindowDriver, qtbot: QtBot, qapp: Application
) -> None:
    turn = window.session.answers.ask("question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    qtbot.waitUntil(lambda: len(page.table.rows) == 3)
    assert page.table.rows[0].generated_tokens == turn.answer.stats.generated_tokens
    qapp.language.choose("ko")
    assert page.table.headerData(KEYS.index("accept_rate"), Qt.Orientation.Horizontal) == "채택된 초안"
    qapp.language.choose("en")

    def fail(store: ConversationStore) -> None:
        chat = store.conversations.create(title="another chat")
        answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("Big", "", "auto"))
        store.answers.finish(answer, None, RequestStats(prompt_tokens=3), error=("internal", {}))

    window.in_store(fail)
    qtbot.waitUntil(lambda: len(page.table.rows) == 4)
    assert column(page, "speedup").count("failed") == 1
    row = next(
        index for index, row in enumerate(page.table.rows) if (row.main_model, row.draft_model) == ("Big", "Small")
    )
    page.view.setCurrentIndex(page.table.index(row, 0))
    page.view.activated.emit(page.table.index(row, 0))
    window.settle()
    assert window.settings.isHidden()
    assert window.session.chat.turns[0].answer_node.id == page.table.rows[row].message_id


def bounds(low: float, high: float, factor: float | None = None) -> RequestStats:
    return replace(FAST, speedup=factor, speedup_low=low, speedup_high=high)


def test_after_a_comparison_that_measured_nothing_compare_is_not_advised_again(
    window: WindowDriver, qtbot: QtBot
) -> None:
    window.in_store(lambda store: add_answer(store, "Big", "Small", "auto", bounds(0.75, 1.2)))
    window.session.history.add_comparison("Big", "Small", None)
    window.settings.open("history")
    page: HistoryPage = window.settings.page("history")
    qtbot.waitUntil(lambda: "this Mac was too busy" in page.sentences.text())
    window.session.history.add_comparison("Big", "Small", 2.0)
    page.refresh()
    qtbot.waitUntil(lambda: page.sentences.text() == "Big is 2.0× as fast with Small on this Mac.")


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        # Each row shows no figure, although their sum is narrow enough for one.
        ([bounds(0.75, 1.2)] * 5, "No speed-up measured yet."),
        pytest.param([bounds(0.6, 0.85)] * 5, "No speed-up measured yet.", marks=pytest.mark.full),
        ([bounds(0.9, 1.0, 0.95)] * 5, "no answers noticeably faster"),
        pytest.param([bounds(1.0, 1.08, 1.04)] * 2, "no answers noticeably faster", marks=pytest.mark.full),
        ([bounds(1.05, 1.15, 1.1)] * 2, "Big is 1.1× as fast with Small on this Mac."),
        # A bound is no figure.
        pytest.param([bounds(1.65, 2.9)] * 2, "No speed-up measured yet.", marks=pytest.mark.full),
    ],
)
def test_only_what_makes_answers_faster_is_a_success(
    open_settings: OpenShown, qtbot: QtBot, answers: list[RequestStats], shown: str
) -> None:
    def fill(store: ConversationStore) -> None:
        for stats in answers:
            add_answer(store, "Big", "Small", "auto", stats)

    window = open_settings()[0]
    window.in_store(fill)
    page: HistoryPage = window.settings_page("history")
    qtbot.waitUntil(lambda: len(page.table.rows) == len(answers))
    assert shown in page.sentences.text()
    is_green = page.sentences.property("styleClass") == "reason"
    assert is_green == ("as fast" in shown)
    if "×" in page.sentences.text():
        assert NONE not in column(page, "speedup")


def test_refusals_and_loops_have_no_ratio_and_are_in_no_sum(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The name that the scripted engine gives to the Starter.
    monkeypatch.setattr("app.session.answer.STARTER", "main")
    refusal = "That is beyond me: I'm only a tiny guide to Tandem. For this, choose a larger model in the header."
    scripts = [
        Script(refusal, (FULL,)),
        Script("A draft model writes a quick draft, and the main model checks all of its tokens at once.", (FULL,)),
        Script("\n More." * 900, (FULL,)),
    ]
    window = open_window(ScriptedEngine(scripts, pace_s=0.001))
    for question in ("Why is the sky blue?", "What is a draft?", "More?"):
        window.ask_and_wait(question)
        if question == "What is a draft?":
            qtbot.waitUntil(lambda: "as fast" in window.panel_text)
        assert ("as fast" in window.panel_text) == (question == "What is a draft?")
    page = window.settings_page("history")
    qtbot.waitUntil(lambda: len(page.table.rows) == 3)
    none, ratio, loop = column(page, "speedup")[::-1]
    # As in the panel, the pair's figure stands only where an answer says something of it.
    assert (none, loop) == (NONE, "repeats itself")
    assert f"{ratio} as fast with" in page.sentences.text()


def test_a_row_has_no_figure_that_its_own_rounds_cannot_have_gained(open_settings: OpenShown, qtbot: QtBot) -> None:
    few = replace(FAST, tokens_per_round=1.3, speedup=None, speedup_low=None, speedup_high=None)

    def fill(store: ConversationStore) -> None:
        for stats in (FAST, FAST, FAST, few):
            add_answer(store, "Big", "Small", "auto", stats)

    window = open_settings()[0]
    window.in_store(fill)
    page: HistoryPage = window.settings_page("history")
    qtbot.waitUntil(lambda: len(page.table.rows) == 4)
    assert sorted(column(page, "speedup")) == ["2.0×", "2.0×", "2.0×", NONE]


def test_an_answer_that_was_given_before_has_no_ratio_and_is_in_no_sum(open_window: OpenWindow, qtbot: QtBot) -> None:
    text = "A draft model writes a quick draft, and the main model checks all of its tokens at once."
    copied = (ScriptedRound(4, 4, "chats"),)
    scripts = [
        Script(text, (FULL,)),
        Script(f"{text} More.", copied),
        Script(text, (ScriptedRound(4, 4, "ngram"),)),
        Script(text, copied),
    ]
    window = open_window(ScriptedEngine(scripts))
    reason = "This text was given before"
    # Again in the same chat, then in another one.
    for number, question in enumerate(("What is a draft?", "And more?", "What was it again?", "What is a draft?")):
        if number == 3:
            window.trigger("new-chat")
        window.ask_and_wait(question)
        is_new = number < 2
        if is_new:
            qtbot.waitUntil(lambda: "as fast" in window.panel_text)
        assert ("as fast" in window.panel_text) == is_new
        assert (reason in window.panel_text) == (not is_new)
    page = window.settings_page("history")
    qtbot.waitUntil(lambda: len(page.table.rows) == 4)
    again, anew, longer, first = column(page, "speedup")
    assert (again, anew) == ("given before", "given before")
    assert longer[-1] == first[-1] == "×"
    # It stays so when the chat is opened again.
    window.settings.close()
    window.trigger("new-chat")
    window.open_chat("What is a draft?")
    assert "as fast" not in window.panel_text


def test_requests_of_programs_lead_nowhere_and_are_deleted_after_a_question(
    page: HistoryPage, window: WindowDriver, qtbot: QtBot
) -> None:
    assert column(page, "client") == ["", ""]
    # Where only chats have asked, there is no column for that.
    assert page.view.isColumnHidden([one.key for one in COLUMNS].index("client"))
    assert page.delete.isHidden()
    request = ProgramRequest("OpenAI/Python", "/v1/responses", 2e9, "Big", "Small", "auto", "stop", FAST)
    window.session.history.add([request, request])
    asked = ["OpenAI/Python", "OpenAI/Python", "", ""]
    qtbot.waitUntil(lambda: column(page, "client") == asked)
    assert "only statistics are kept" in page.table.data(page.table.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    page.view.activated.emit(page.table.index(0, 0))
    window.settle()
    assert page.isVisible()
    page.delete.click()
    assert page.delete.text() == "Delete all of them?"
    page.delete.click()
    qtbot.waitUntil(lambda: column(page, "client") == ["", ""])
    assert page.delete.isHidden()


def test_the_method_is_what_was_used(page: HistoryPage, window: WindowDriver, qtbot: QtBot) -> None:
    # Earlier versions did not record it.
    assert column(page, "method") == ["Prompt lookup (n-gram)", "Automatic"]

    def add(store: ConversationStore) -> None:
        for sources in (("draft",), ("draft", "ngram"), ()):
            drafted = 40 if sources else 0
            add_answer(store, "Big", "Small", "auto", replace(FAST, sources=sources, drafted=drafted))

    window.in_store(add)
    page.refresh()
    qtbot.waitUntil(lambda: page.table.rowCount() == 5)
    assert column(page, "method")[:3] == ["none", "draft and prompt lookup", "draft"]
