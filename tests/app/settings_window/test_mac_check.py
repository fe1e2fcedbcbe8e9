"""Check this Mac: a page in the window's language, the same as JSON, and a way to stop."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.settings.checkup import gather
from app.settings.checkup import page as markdown
from app.settings_window import advanced_page
from app.settings_window.advanced_page import AdvancedPage
from app.widgets.application import Application
from engine.bench.pair_check import PairCheck
from engine.errors import NotEnoughMemory
from engine.files.system_memory import SystemMemory
from engine.machine.facts import MachineFacts
from engine.requests import MAX_DEPTH
from engine.tuning import KeyRange, Rounding, WidthCost
from tests.app.conftest import EACH_LANGUAGE, OpenShown

MAC = MachineFacts("Apple M4 Pro", "macOS 26.1", SystemMemory(48 * 10**9, 0, False), None, True, 0, "denied")
MEASURED = PairCheck("Qwen3-8B", "Qwen3-0.6B", 36 * 10**9, 32.8, 70.5, 2.15, 0.71, 12)


@pytest.fixture
def page(open_settings: OpenShown, monkeypatch: pytest.MonkeyPatch) -> AdvancedPage:
    monkeypatch.setattr(advanced_page, "read_facts", lambda: MAC)
    monkeypatch.setattr(advanced_page, "check_pair", lambda *_: MEASURED)
    page = open_settings()[0].settings_page("advanced")
    assert isinstance(page, AdvancedPage)
    return page


def check(page: AdvancedPage, qtbot: QtBot) -> str:
    page.check_button.click()
    qtbot.waitUntil(lambda: not page.check.running)
    assert page.report.isVisible()
    return page.report.view.toPlainText()


@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_the_page_is_in_the_language_of_the_window_and_the_json_is_not(
    page: AdvancedPage, qtbot: QtBot, qapp: Application, language: str
) -> None:
    assert not page.report.isVisible()
    english = check(page, qtbot)
    assert "- With speculation: 70.5 tokens/s, 2.15× as fast. 71% of the draft tokens were accepted." in english
    assert "- Memory: 48.0 GB. The system does not report how much of it is free." in english
    assert "This Mac is hot" in english
    qapp.language.choose(language)
    qapp.processEvents()
    shown = page.report.view.toPlainText()
    assert len(shown.splitlines()) == len(english.splitlines())
    for figure in ("Apple M4 Pro", "70.5", "2.15", "48.0 GB", "36.0 GB"):
        assert figure in shown
    # Full-width punctuation has its own space.
    assert "。 " not in shown
    if language != "en":
        # The names of programs.
        assert not {*english.splitlines()} & {*shown.splitlines()} - {""}
    page.report.copy_page.click()
    assert QGuiApplication.clipboard().text() == shown
    page.report.copy_json.click()
    found = json.loads(QGuiApplication.clipboard().text())
    assert (found["speed"]["times"], found["low_power_mode"], found["local_network"]) == (2.15, None, "denied")


@pytest.mark.parametrize(
    ("rounding", "words"),
    [
        (None, "Not measured."),
        (Rounding((KeyRange(1117, 1, 1),), 0.1), "With draft tokens, rounding always differs from plain decoding."),
        (
            Rounding((KeyRange(1117, 2, 5),), 0.1),
            "Up to 4 draft tokens per round, rounding stays the same, but differs from plain decoding.",
        ),
        (
            Rounding((KeyRange(1117, 1, 5),), 0.1),
            "Up to 4 draft tokens per round, rounding is the same as in plain decoding.",
        ),
        (
            Rounding((KeyRange(1117, 1, MAX_DEPTH + 1),), 0.0),
            "rounding is the same as in plain decoding. This is true up to 1117 tokens of context.",
        ),
        (Rounding((KeyRange(1117, 1, 5),), 0.25, leads=500, narrow=10), "of context. Otherwise about one token in 200"),
        (
            Rounding((KeyRange(1117, 1, 8),), 0.0, kernels=(WidthCost(4, 2.46, 1.23, used=True, alike=True),)),
            "costs as much as 1.2 plain tokens with Tandem's kernels, and 2.5 with MLX's.",
        ),
        (
            Rounding((KeyRange(1117, 2, 8),), 0.0, kernels=(WidthCost(4, 1.46, None, used=False, alike=False),)),
            "costs as much as 1.5 plain tokens.",
        ),
    ],
)
def test_the_page_says_how_this_mac_rounds(rounding: Rounding | None, words: str) -> None:
    assert words in markdown(gather(MAC, replace(MEASURED, rounding=rounding)))


def test_an_error_is_said_in_words(page: AdvancedPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = PairCheck("Qwen3-8B", "", ended="failed", error=NotEnoughMemory("Qwen3-8B", 9 * 10**9, 10**9, 100, 0, ()))
    monkeypatch.setattr(advanced_page, "check_pair", lambda *_: failed)
    assert "9.0 GB of memory for a context of 100 tokens" in check(page, qtbot)


@pytest.mark.parametrize("by", ["button", "question"])
def test_a_check_ends_by_the_button_and_by_a_question(
    open_settings: OpenShown, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    window, _, engine = open_settings()
    monkeypatch.setattr(advanced_page, "read_facts", lambda: MAC)
    page = window.settings_page("advanced")
    engine.gate = gate = threading.Semaphore(0)
    page.check_button.click()
    assert page.check_button.text() == "Stop"
    if by == "button":
        page.check_button.click()
    else:
        window.session.answers.ask("a question")
    gate.release(10_000)
    qtbot.waitUntil(lambda: not page.check.running)
    assert page.check_button.text() == "Check now"
    assert "Stopped before it was measured." in page.report.view.toPlainText()
