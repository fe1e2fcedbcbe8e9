"""The request history: what was asked in the window is in its table, its sentences and its files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.conversations.records import AnswerSource
from app.conversations.request_history import ProgramRequest
from app.conversations.store import ConversationStore
from app.settings_window.history_page import HistoryPage
from app.speculation.history_table import COLUMNS
from app.system.language import LANGUAGES
from app.widgets.application import Application
from engine.stats import RequestStats
from tests.app.conftest import OpenShown
from tests.app.window_driver import WindowDriver

FAST = RequestStats(
    generated_tokens=101, rounds=40, drafted=100, accepted=60, accept_rate=0.6, decode_tps=50.0, plain_tps=25.0,
    speedup=2.0, speedup_low=1.95, speedup_high=2.05,
)  # fmt: skip
SLOW = RequestStats(
    generated_tokens=301, rounds=160, drafted=300, accepted=60, accept_rate=0.2, decode_tps=30.0, plain_tps=20.0,
    speedup=1.5, speedup_low=1.45, speedup_high=1.55,
)  # fmt: skip


def fill(store: ConversationStore) -> None:
    chat = store.conversations.create(title="a chat")
    for main, draft, method, stats in (("Big", "Small", "auto", FAST), ("Other", "", "ngram", SLOW)):
        answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource(main, draft, method))
        store.answers.finish(answer, "stop", stats, "text of the answer")


@pytest.fixture
def window(open_shown: OpenShown) -> WindowDriver:
    return open_shown()[0]


@pytest.fixture
def page(window: WindowDriver, qtbot: QtBot) -> HistoryPage:
    qtbot.waitUntil(lambda: window.session.chats.store_ready)
    window.in_store(fill)
    window.settings.open("history")
    shown: HistoryPage = window.settings.page("history")
    qtbot.waitUntil(lambda: len(shown.table.rows) == 2)
    return shown


def column(page: HistoryPage, key: str) -> list[Any]:
    place = [column.key for column in COLUMNS].index(key)
    return [page.table.data(page.table.index(row, place)) for row in range(page.table.rowCount())]


def test_a_column_sorts_when_its_heading_is_pressed(page: HistoryPage, qtbot: QtBot) -> None:
    speedup = [column.key for column in COLUMNS].index("speedup")
    page.view.sortByColumn(speedup, Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: column(page, "speedup") == ["1.5×", "2.0×"])
    page.view.sortByColumn(speedup, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: column(page, "speedup") == ["2.0×", "1.5×"])
    assert column(page, "accept_rate") == ["60%", "20%"]


def test_a_pair_is_filtered_and_summed_up_in_a_sentence(page: HistoryPage, qtbot: QtBot) -> None:
    assert "With Small, Big runs at 2.0× its plain speed on this computer (1 answer)." in page.sentences.text()
    assert "With prompt lookup, Other runs at 1.5× its plain speed" in page.sentences.text()
    page.pair.setCurrentIndex(page.pair.findText("Big + Small"))
    page.pair.activated.emit(page.pair.currentIndex())
    qtbot.waitUntil(lambda: column(page, "main_model") == ["Big"])
    assert "Other" not in page.sentences.text()
    assert page.pair.currentText() == "Big + Small"


def test_what_is_shown_is_exported(page: HistoryPage, tmp_path: Path, qtbot: QtBot) -> None:
    for kind in ("csv", "json"):
        page.export_to(tmp_path / f"out.{kind}", kind)
    qtbot.waitUntil(lambda: "out.json" in page.outcome.text())
    # Excel reads a file without the mark in the system's old encoding.
    assert (tmp_path / "out.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8-sig"))))
    assert [row["main_model"] for row in rows] == ["Other", "Big"]
    assert [one["stats"]["drafted"] for one in json.loads((tmp_path / "out.json").read_text())] == [300, 100]
    page.export_to(tmp_path / "missing" / "out.csv", "csv")
    qtbot.waitUntil(lambda: "could not be saved" in page.outcome.text())


def test_an_answer_of_the_window_appears_while_the_page_is_shown(
    page: HistoryPage, window: WindowDriver, qtbot: QtBot, qapp: Application
) -> None:
    turn = window.session.answers.ask("question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    qtbot.waitUntil(lambda: len(page.table.rows) == 3)
    assert page.table.rows[0].generated_tokens == turn.answer.stats.generated_tokens
    qapp.language.choose("ko")
    place = [column.key for column in COLUMNS].index("accept_rate")
    assert page.table.headerData(place, Qt.Orientation.Horizontal) == "채택"


def test_a_row_leads_to_its_answer(page: HistoryPage, window: WindowDriver) -> None:
    row = next(index for index, row in enumerate(page.table.rows) if row.main_model == "Big")
    page.view.setCurrentIndex(page.table.index(row, 0))
    page.view.activated.emit(page.table.index(row, 0))
    window.settle()
    assert window.settings.isHidden()
    assert window.session.chat.turns[0].answer_node.id == page.table.rows[row].message_id


def test_an_answer_that_failed_says_so(page: HistoryPage, window: WindowDriver, qtbot: QtBot) -> None:
    def fail(store: ConversationStore) -> None:
        chat = store.conversations.create(title="another chat")
        answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("Big", "", "auto"))
        store.answers.fail(answer, "internal", {}, RequestStats(prompt_tokens=3))

    window.in_store(fail)
    qtbot.waitUntil(lambda: len(page.table.rows) == 3)
    assert column(page, "speedup").count("failed") == 1


def test_requests_of_programs_lead_nowhere_and_can_be_deleted(
    page: HistoryPage, window: WindowDriver, qtbot: QtBot
) -> None:
    assert column(page, "client") == ["Chat", "Chat"]
    assert page.forget.isHidden()
    request = ProgramRequest("OpenAI/Python", "/v1/responses", 2e9, "Big", "Small", "auto", "stop", FAST)
    window.session.history.add([request])
    qtbot.waitUntil(lambda: column(page, "client") == ["OpenAI/Python", "Chat", "Chat"])
    assert "only figures are kept" in page.table.data(page.table.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    page.view.activated.emit(page.table.index(0, 0))
    window.settle()
    assert page.isVisible()
    page.forget.click()
    qtbot.waitUntil(lambda: column(page, "client") == ["Chat", "Chat"])
    assert page.forget.isHidden()


def test_every_column_is_in_view_that_is_shown(page: HistoryPage, window: WindowDriver, qapp: Application) -> None:
    header, keys = page.view.horizontalHeader(), [column.key for column in COLUMNS]
    for language in LANGUAGES:
        qapp.language.choose(language)
        for width in (1080, 900, 760, 720):
            window.settings.resize(width, 600)
            window.settle()
            assert header.length() <= page.view.viewport().width(), (language, width)
            shown = [key for index, key in enumerate(keys) if not header.isSectionHidden(index)]
            assert {"finished_at", "main_model", "accept_rate", "speedup"} <= set(shown)
            assert width < 1080 or shown == keys
