"""The page of advanced settings and the card of the log: diagnostics and the check of this Mac."""

from __future__ import annotations

import json
import logging
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.settings.checkup import gather, report
from app.settings.declarations import SettingsValues
from app.settings_window import advanced_page
from app.settings_window.advanced_page import AdvancedPage
from app.system.log_buffer import LOG_BUFFER
from app.system.versions import installed_version
from app.widgets.application import Application
from app.window.session_log import SessionLog
from app.wording import checkup
from engine.bench.pair_check import PairCheck
from engine.errors import NotEnoughMemory
from engine.files.system_memory import SystemMemory
from engine.machine.facts import MachineFacts
from engine.tuning import KeyRange, Rounding, WidthCost
from tests.app.conftest import EACH_LANGUAGE, OpenShown
from tests.engine.tiers import by_tier


def test_the_page_exports_diagnostics_without_chat_text(open_settings: OpenShown, qtbot: Any, tmp_path: Path) -> None:
    window, library, _ = open_settings()
    library.settings.change(proxy="http://name:password@proxy:8080")
    turn = window.session.answers.ask("a secret question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    turn.answer.stats = structs.replace(turn.answer.stats, unchecked=("#/properties/secret/not",), problems=("secret",))
    advanced = window.settings_page("advanced")
    advanced.export_to(tmp_path / "out.json")
    text = (tmp_path / "out.json").read_text()
    assert "secret" not in text
    assert "Hello" not in text
    assert "password" not in text
    assert json.loads(text)["answers"][0]["generated_tokens"] == turn.answer.stats.generated_tokens
    assert json.loads(text)["versions"]["mlx"] == installed_version("mlx")
    assert str(tmp_path / "out.json") in advanced.outcome.text()
    advanced.export_to(tmp_path / "missing" / "out.json")
    assert "could not be saved" in advanced.outcome.text()


def test_the_log_has_the_records_of_its_level(open_shown: OpenShown) -> None:
    window, _, _ = open_shown()
    LOG_BUFFER.start()
    try:
        logging.getLogger("engine.test").debug("too fine")
        logging.getLogger("engine.test").info("taken in")
    finally:
        LOG_BUFFER.stop()
    window.trigger("show-log")
    log = window.find(SessionLog)
    assert "taken in" in log.view.toPlainText()
    assert "too fine" not in log.view.toPlainText()
    log.close_overlay()


MAC = MachineFacts("Apple M4 Pro", "macOS 26.1", SystemMemory(48 * 10**9, 0, False), None, True, 0, "denied")
MEASURED = PairCheck("Qwen/Qwen3-8B", "annas-draft", 36 * 10**9, 32.8, 70.5, 2.15, 0.71, 12, identical=True)


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
    check(page, qtbot)
    # The store adds the check to the comparisons of the pair.
    qtbot.waitUntil(lambda: "as fast" in page.report.view.toPlainText())
    english = page.report.view.toPlainText()
    assert "- With speculation: 70 tokens/s, 2.1× as fast. 71% of the draft tokens were accepted." in english
    assert "- Memory: 48.0 GB. The system does not report how much of it is free." in english
    assert "This Mac is hot" in english
    qapp.language.choose(language)
    qapp.processEvents()
    shown = page.report.view.toPlainText()
    assert len(shown.splitlines()) == len(english.splitlines())
    for figure in ("Apple M4 Pro", "70", "2.1", "48.0 GB", "36.0 GB"):
        assert figure in shown
    # Full-width punctuation has its own space.
    assert "。 " not in shown
    if language != "en":
        # The names of programs.
        assert not {*english.splitlines()} & {*shown.splitlines()} - {""}
    page.report.copy_page.click()
    assert QGuiApplication.clipboard().text() == shown
    page.report.copy_report.click()
    copied = json.loads(QGuiApplication.clipboard().text())
    assert (copied["chip"], copied["speed"]["times"], copied["speed"]["identical"]) == ("Apple M4 Pro", 2.15, True)
    # The one has a page on the Hub; the other is a folder, of which nobody needs to know the name.
    assert copied["models"] == {"main": "Qwen/Qwen3-8B", "draft": None}


@pytest.mark.parametrize(
    ("rounding", "words"),
    [
        (None, "Not measured."),
        (Rounding((KeyRange(1117, 5),)), "With Qwen3 8B, rounding stays the same up to 4 draft tokens per round"),
        (
            Rounding((KeyRange(1117, 8),), kernels=(WidthCost(4, 2.46, 1.23, used=True, alike=True),)),
            "costs as much as 1.2 plain tokens with Tandem's kernels, and 2.5 with MLX's.",
        ),
        (
            Rounding((KeyRange(1117, 8),), kernels=(WidthCost(4, 1.46, None, used=False, alike=False),)),
            "costs as much as 1.5 plain tokens.",
        ),
        (
            Rounding((KeyRange(1, 1),), stalled=True),
            "- Verification: Tandem's kernels have stalled on this Mac. When that happens, MLX's kernels are used",
        ),
    ],
)
def test_the_page_says_how_this_mac_rounds(rounding: Rounding | None, words: str) -> None:
    assert words in checkup.page(gather(MAC, SettingsValues(), replace(MEASURED, rounding=rounding)))


DIFFERS, PARTLY, ALIKE = Rounding((KeyRange(1117, 1),)), Rounding((KeyRange(1117, 5),)), Rounding((KeyRange(1117, 33),))
# What a check measures without draft tokens, and with those that make it slower.
PLAIN = replace(MEASURED, best_tps=None, times=None, accept_rate=None)
SLOWER = replace(MEASURED, best_tps=29.2, times=0.89)
STRICT, LOOSE, OFF = SettingsValues(same_text=True), SettingsValues(), SettingsValues(method="off")
FASTER, NO_TOKENS = "70 tokens/s, 2.1× as fast. 71% of the draft tokens were accepted.", "No draft tokens were used."
MAY_DIFFER = "“Always the same text with and without speculation” is off, so the text may differ by rounding."
IS_OFF = "Speculation is off in the settings."
NO_FASTER = (
    "29 tokens/s, 0.9× as fast. That is not noticeably faster than plain decoding. "
    "71% of the draft tokens were accepted."
)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("values", "rounding", "pair", "said", "speed"),
    [
        (STRICT, DIFFERS, PLAIN, "on this Mac, so answers are written without draft tokens.", NO_TOKENS),
        (STRICT, PARTLY, MEASURED, "Beyond that, there may be fewer draft tokens.", FASTER),
        (STRICT, PARTLY, SLOWER, "Beyond that, there may be fewer draft tokens.", NO_FASTER),
        (STRICT, ALIKE, MEASURED, "Beyond that, there may be fewer draft tokens.", FASTER),
        (LOOSE, DIFFERS, MEASURED, MAY_DIFFER, FASTER),
        (LOOSE, DIFFERS, SLOWER, MAY_DIFFER, NO_FASTER),
        (LOOSE, PARTLY, MEASURED, MAY_DIFFER, FASTER),
        (LOOSE, PARTLY, PLAIN, MAY_DIFFER, NO_TOKENS),
        (LOOSE, ALIKE, MEASURED, "This is true up to 1,116 tokens of context.", FASTER),
        (
            OFF,
            DIFFERS,
            PLAIN,
            "rounding differs at every draft length on this Mac.",
            IS_OFF,
        ),
        (OFF, PARTLY, PLAIN, "This is true up to 1,116 tokens of context.", IS_OFF),
        (OFF, ALIKE, PLAIN, "This is true up to 1,116 tokens of context.", IS_OFF),
    ],
)
def test_the_lines_on_rounding_and_speed_agree_with_each_other_and_with_the_json(
    values: SettingsValues, rounding: Rounding, pair: PairCheck, said: str, speed: str
) -> None:
    found = gather(MAC, values, replace(pair, rounding=rounding), pair_times=pair.times)
    lines = dict(line.removeprefix("- ").split(": ", 1) for line in checkup.page(found).splitlines()[2:])
    assert lines["Rounding"].endswith(said)
    assert lines["With speculation"] == speed
    assert ("without draft tokens" in lines["Rounding"]) <= (speed == NO_TOKENS)
    copied = json.loads(report(found))
    assert copied["speculation"] == {
        "method": values.method,
        "same_text": values.same_text,
        "draft_ahead": values.draft_ahead,
    }
    assert lines["Draft ahead"] == "Off"
    assert (copied["speed"]["times"] is None) == ("×" not in speed)
    assert (copied["speed"]["best_tokens_per_second"] is None) == ("tokens/s" not in speed)


def test_an_error_is_said_in_words(page: AdvancedPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = PairCheck("Qwen3-8B", "", ended="failed", error=NotEnoughMemory("Qwen3-8B", 9 * 10**9, 10**9, 100, 0, ()))
    monkeypatch.setattr(advanced_page, "check_pair", lambda *_: failed)
    assert "9.0 GB of memory for a context of 100 tokens" in check(page, qtbot)


@pytest.mark.parametrize("by", by_tier(["button", "question"], ["question"]))
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
