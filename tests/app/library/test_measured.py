"""Measured speed-ups of pairs, from stored figures and in the advice of the next start."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.database.records import AnswerSource
from app.conversations.opening import open_store
from app.conversations.request_history import Totals
from app.library.measured import measured_pairs
from app.session.session import Session
from app.widgets.application import Application
from app.window.main_window import MainWindow
from engine.stats import RequestStats
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine
from tests.app.shown_library import DRAFT, MAIN, ShownLibrary, path_of
from tests.app.window_driver import WindowDriver

USED = Totals(3, 0.75, 1.8, 1.7, 1.9, None, 400, 300, 900, "main", "draft", "auto")


@pytest.mark.parametrize(
    "summary",
    [
        replace(USED, draft_model=""),
        replace(USED, method="ngram"),
        replace(USED, drafted=0),
        replace(USED, speedup=None),
        replace(USED, speedup_low=0.7, speedup_high=2.2),
    ],
)
def test_what_says_nothing_of_a_pair_is_left_out(summary: Totals) -> None:
    assert measured_pairs([summary]) == {}


def test_the_method_that_wrote_the_most_speaks_for_the_pair() -> None:
    once = replace(USED, method="draft", generated_tokens=50, speedup=3.0)
    assert measured_pairs([USED, once]) == {("main", "draft"): USED}
    assert measured_pairs([once, USED]) == measured_pairs([USED, once])
    # Perhaps only a bound is known.
    assert measured_pairs([replace(USED, speedup_low=1.64, speedup_high=3.0)])["main", "draft"].factor == 1.6


def test_a_pair_of_which_no_draft_token_was_accepted_is_no_faster() -> None:
    nothing = replace(USED, accept_rate=0.0, speedup=None, speedup_low=None, speedup_high=None)
    assert measured_pairs([nothing]) == {("main", "draft"): replace(nothing, speedup=1.0)}
    # What another method measured says more, however little it wrote.
    other = replace(USED, method="draft", generated_tokens=50)
    assert measured_pairs([nothing, other]) == measured_pairs([other])


def test_an_earlier_run_is_remembered_at_the_next_start(qapp: Application, qtbot: QtBot, tmp_path: Path) -> None:
    chats = tmp_path / "chats.db"
    store, _damaged = open_store(chats)
    chat = store.conversations.create()
    asked = store.messages.add_user_turn(chat, "hello")
    answer = store.answers.start(asked, AnswerSource(MAIN, DRAFT, "auto", {}, None))
    figures = RequestStats(
        generated_tokens=201,
        rounds=70,
        drafted=200,
        accepted=150,
        decode_tps=50.0,
        plain_tps=25.0,
        draft=DRAFT,
        speedup=2.0,
        speedup_low=1.95,
        speedup_high=2.05,
    )
    store.answers.finish(answer, "stop", figures, "Hello.")
    store.close()
    session = Session(lambda: ScriptedEngine([]), STARTER, chats)
    library = ShownLibrary(tmp_path)
    window = MainWindow(session, qapp, library)
    try:
        window.show()
        session.models.load(path_of(MAIN), path_of(DRAFT))
        known = Totals(1, 0.75, 2.0, 1.95, 2.05, 4.0, 200, 150, 201, MAIN, DRAFT, "auto")
        qtbot.waitUntil(lambda: library.measured_with(path_of(MAIN)) == {DRAFT: known})
        driver = WindowDriver(window, session, qtbot.waitUntil)
        driver.header.draft.click()
        assert "2.0× as fast (measured, 75% accepted)" in driver.picker("draft").rows[0]
    finally:
        window.close()
        window.deleteLater()
