"""While a pair goes through its states, all places of window and terminal show one figure of it, or none.

Which figure that is, `test_one_figure` says without a window. Here, the default tier has the states that replace one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace as with_figures
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.__main__ import main
from app.cli import doctor
from app.cli.answers import TextOutput
from app.conversations.measured import PairSpeeds
from app.conversations.request_history import ProgramRequest
from app.session.session import Session
from app.settings_window import advanced_page
from app.speculation.comparison import Comparer
from app.system.paths import speeds_file
from app.window.main_window import MainWindow
from app.window.quick_entry import QuickEntry
from app.wording.models import pair_speed
from engine.bench.pair_check import PairCheck
from engine.events import Finished
from engine.files.system_memory import SystemMemory
from engine.machine import facts
from engine.machine.facts import MachineFacts
from engine.stats import NO_SPEEDUP
from engine.status import LoadedPair, ModelInfo
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import FULL, PLAIN, Script, ScriptedRound, play
from tests.app.shown_library import DRAFT, LARGER, MAIN, WIDE, ShownLibrary, path_of
from tests.app.window_driver import WindowDriver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application

MAC = MachineFacts("Apple M4 Pro", "macOS 26.1", SystemMemory(48 * 10**9, 0, False), None, True, 0, "denied")
HEAD, LOOK_UP = ScriptedRound(4, 4, "dflash"), ScriptedRound(4, 4, "ngram")
AHEAD = ScriptedRound(4, 4, "ahead")
# What an answer says of drafting ahead: on this computer and on another one, and where it is not offered.
HERE = {"ahead": "ready", "ahead_hits": 9, "ahead_misses": 2, "ahead_used": 8, "ahead_hidden_s": 12.31}
THERE = {**HERE, "ahead": "resting-unused", "ahead_host": "studio"}
NOT_WITH_HEADS = {"ahead": "head"}
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support raise")
# They praise: a gain that nobody notices is in none of them.
PRAISING = ("panel", "history", "terminal")


def info(name: str) -> ModelInfo:
    return ModelInfo(name, Path(path_of(name)), "llama", 4096, 0)


def measured(script: Script, gain: float) -> Script:
    """The same script, in which the engine measures this gain."""
    *_, ended = play(script)
    assert isinstance(ended, Finished)
    return replace(script, plain_tps=(ended.stats.decode_tps or 0.0) / gain)


@dataclass
class ShownPair:
    """A pair in a window, and what each place of the window and of the terminal shows of its speed-up."""

    driver: WindowDriver
    engine: ScriptedEngine
    capsys: pytest.CaptureFixture[str]
    names: tuple[str, str] = (MAIN, DRAFT)
    check: PairCheck | None = None
    words: Iterator[str] = field(default_factory=lambda: iter(ascii_letters))
    text: str = ""

    # What happens

    def answer(
        self,
        *rounds: ScriptedRound,
        gain: float | None = None,
        in_quick_entry: bool = False,
        figures: Mapping[str, Any] | None = None,
    ) -> None:
        """Have a question answered in these rounds with more `figures`; the engine measures this gain in them."""
        self.engine.scripts[:] = [self._script(rounds, gain, figures or {})]
        if not in_quick_entry:
            self.driver.ask_and_wait("go")
            return
        self.driver.trigger("quick-entry")
        self.entry.edit.setPlainText("go")
        self.entry.edit.submitted.emit()
        self.driver.wait(lambda: bool(self.entry.chat.turns) and self.entry.chat.turns[-1].answer.ended)

    def answer_programs(self, *rounds: ScriptedRound, gain: float | None = None, at_once: int = 1) -> None:
        """Have the local API answer a program that many times in one call; an answer alone measures this gain."""
        *_, ended = play(self._script(rounds, gain, {}))
        assert isinstance(ended, Finished)
        main, draft = self.names
        stats = with_figures(ended.stats, main=main, draft=draft, **(NO_SPEEDUP if at_once > 1 else {}))
        request = ProgramRequest("an agent", "/v1/chat/completions", 9e8, main, draft, "auto", "stop", stats)
        self.driver.session.api.calls_ended.emit([request] * at_once)

    def compare(self, gain: float) -> None:
        """Compare the newest answer, which is that many times as fast with draft tokens."""
        speculated = Script(self.text, (FULL,))
        *_, ended = play(speculated)
        assert isinstance(ended, Finished)
        plain = Script(self.text, (PLAIN,), round_s=gain / (ended.stats.decode_tps or 0.0))
        self.engine.scripts[:] = [Script("o"), speculated, plain, speculated, plain]
        self.driver.trigger("compare")
        comparer = self.driver.find(Comparer)
        self.driver.wait(lambda: comparer.comparison is not None and not comparer.comparison.running)

    def delete_comparisons(self) -> None:
        self.driver.settings_page("storage").clear.click()

    def measure_again(self) -> None:
        self.driver.settings_page("speculation").measure_again.click()

    def check_in_window(self, gain: float) -> None:
        self._check(gain)
        page = self.driver.settings_page("advanced")
        page.check_button.click()
        self.driver.wait(lambda: not page.check.running)

    def check_in_terminal(self, gain: float) -> str:
        self._check(gain)
        self.capsys.readouterr()
        assert main(["doctor"]) == 0
        return self.capsys.readouterr().out

    def come_back(self) -> None:
        """Come to the window from another program."""
        self.driver.application.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)

    def _check(self, gain: float) -> None:
        self.check = PairCheck(*self.names, plain_tps=20.0, best_tps=60.0, times=gain, accept_rate=0.8)

    def load(self, main_model: str, draft: str) -> None:
        self.engine.loads[:] = [LoadedPair(info(main_model), info(draft) if draft else None)]
        models = self.driver.session.models
        models.load(path_of(main_model), path_of(draft) if draft else None)
        self.driver.wait(lambda: models.pair.names == (main_model, draft) and not models.pair.loading)
        self.names = (main_model, draft)

    def _script(self, rounds: Sequence[ScriptedRound], gain: float | None, figures: Mapping[str, Any]) -> Script:
        """Return the course of an answer, whose text is new: one that was given before says nothing of speed."""
        self.text = " ".join([next(self.words)] * 60)
        script = Script(self.text, rounds, plain_tps=None, figures=figures)
        return script if gain is None else measured(script, gain)

    # What is shown

    @property
    def entry(self) -> QuickEntry:
        return self.driver.find(QuickEntry)

    def shown(self) -> dict[str, set[str]]:
        """The factors that each place shows, as texts."""
        self.settle()
        return {place: set(re.findall(r"(\d[\d.]*)(?:×|x as fast)", text)) for place, text in self._texts().items()}

    def in_picker(self) -> str:
        """What the picker of drafts says of the one that is in use."""
        picker = self.driver.picker("draft")
        picker.open()
        rows: list[str] = picker.rows
        draft = next((row for row, choice in zip(rows, picker.choices, strict=True) if choice.loaded), "")
        picker.close()
        return draft

    def settle(self) -> None:
        session = self.driver.session
        self.driver.wait(lambda: session.answers.is_idle and not session.busy)
        self.driver.settle()

    def _texts(self) -> dict[str, str]:
        driver = self.driver
        history = driver.settings_page("history")
        self.settle()
        cells = [history.table.index(row, 6).data() for row in range(history.table.rowCount())]
        advanced = driver.settings_page("advanced")
        cards = _labels(driver.settings_page("models"))
        driver.settings.close()
        compared = driver.comparison
        return {
            "panel": "\n".join([driver.panel.outcome.text(), driver.panel.speeds.text(), *_labels(driver.panel)]),
            "feet": "\n".join(map(self._foot, range(len(driver.session.chat.turns)))),
            "quick entry": self.entry.figures.line.text(),
            "history": "\n".join([*cells, history.sentences.text()]),
            "picker": self.in_picker(),
            "cards": "\n".join(text for text in cards if "(measured" in text),
            "compare": f"{compared.gain.text()}\n{compared.verdict.text()}" if compared.isVisible() else "",
            "check": advanced.report.view.toPlainText(),
            "terminal": self._terminal(),
            "list": pair_speed(None, PairSpeeds(speeds_file()).figures({}).get(self.names)),
        }

    def _foot(self, index: int) -> str:
        turn = self.driver.turn(index)
        turn.hover()
        return turn.origin

    def _terminal(self) -> str:
        """What the terminal says below an answer with the figures of the newest one."""
        turns = self.driver.session.chat.turns
        if not turns:
            return ""
        stats = with_figures(turns[-1].answer.stats, main=self.names[0], draft=self.names[1])
        self.capsys.readouterr()
        TextOutput().event(Finished("stop", self.text, (1,), stats))
        return self.capsys.readouterr().err


def _labels(widget: Any) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


@pytest.fixture
def pair(
    qapp: Application, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[ShownPair]:
    engine = ScriptedEngine(loads=[LoadedPair(info(MAIN), info(DRAFT))])
    session = Session(lambda: engine, STARTER)
    window = MainWindow(session, qapp, ShownLibrary(tmp_path))
    window.show()
    session.models.load(path_of(MAIN), path_of(DRAFT))
    qtbot.waitUntil(lambda: session.models.pair.draft is not None and session.store.ready)
    shown = ShownPair(WindowDriver(window, session, qtbot.waitUntil), engine, capsys)
    for module in (advanced_page, facts):
        monkeypatch.setattr(module, "read_facts", lambda: MAC)
    monkeypatch.setattr(advanced_page, "check_pair", lambda *_: shown.check)
    monkeypatch.setattr(doctor, "_measure", lambda *_: shown.check)
    yield shown
    window.close()
    window.deleteLater()


def agree_on(shown: dict[str, set[str]], figure: str) -> None:
    """Fail unless each place shows this figure or none; those that praise show it if anybody would notice it."""
    assert {place: found for place, found in shown.items() if found not in (set(), {figure})} == {}
    is_praised = bool(figure) and float(figure) >= 1.1
    assert {place: bool(shown[place]) for place in PRAISING} == dict.fromkeys(PRAISING, is_praised)


@pytest.mark.full
def test_before_anything_is_measured_no_place_has_a_figure(pair: ShownPair) -> None:
    agree_on(pair.shown(), "")
    pair.answer(PLAIN)
    agree_on(pair.shown(), "")
    pair.answer(FULL)
    pair.answer(FULL, in_quick_entry=True)
    agree_on(pair.shown(), "")


@pytest.mark.full
@pytest.mark.parametrize(("gain", "figure"), [(0.8, "0.8"), (1.0499, "1.0"), (1.2, "1.2"), (2.9499, "2.9"), (3.2, "3")])
def test_what_a_comparison_measures_is_in_all_places(pair: ShownPair, gain: float, figure: str) -> None:
    pair.answer(FULL)
    pair.compare(gain)
    shown = pair.shown()
    agree_on(shown, figure)
    assert shown["picker"] == shown["list"] == shown["compare"] == {figure}


@pytest.mark.full
@pytest.mark.parametrize(("gain", "figure"), [(0.8, "0.8"), (1.0499, "1.0"), (1.9, "1.9")])
def test_what_answers_measure_is_in_all_places(pair: ShownPair, gain: float, figure: str) -> None:
    pair.answer(FULL, gain=gain)
    shown = pair.shown()
    agree_on(shown, figure)
    assert shown["picker"] == shown["list"] == {figure}


def test_a_newer_figure_replaces_the_older_one_everywhere(pair: ShownPair) -> None:
    pair.answer(FULL, gain=1.9)
    pair.answer(FULL, gain=1.9)
    pair.answer(FULL, gain=1.9, in_quick_entry=True)
    shown = pair.shown()
    agree_on(shown, "1.9")
    assert shown["feet"] == shown["quick entry"] == {"1.9"}
    pair.compare(2.04)
    shown = pair.shown()
    agree_on(shown, "2.0")
    assert shown["feet"] == shown["quick entry"] == {"2.0"}
    # That lets the engine forget what it has learned of costs, not what was compared.
    pair.measure_again()
    agree_on(pair.shown(), "2.0")
    pair.delete_comparisons()
    agree_on(pair.shown(), "1.9")


@pytest.mark.full
def test_without_the_panel_the_foot_below_an_answer_follows(pair: ShownPair) -> None:
    pair.answer(FULL, gain=1.9)
    pair.driver.trigger("toggle-panel")
    pair.compare(2.04)
    pair.settle()
    assert "2.0× as fast" in pair.driver.turn(0).origin


def test_the_check_counts_as_a_comparison_in_the_window_and_in_the_terminal(pair: ShownPair) -> None:
    pair.answer(FULL)
    pair.check_in_window(2.9499)
    shown = pair.shown()
    agree_on(shown, "2.9")
    assert shown["check"] == {"2.9"}
    page = pair.check_in_terminal(1.5)
    # The median of both, which a window that is open follows.
    assert "2.2× as fast" in page
    pair.come_back()
    agree_on(pair.shown(), "2.2")


def test_another_draft_and_another_main_model_begin_without_a_figure(pair: ShownPair) -> None:
    pair.answer(FULL, gain=1.9)
    pair.load(MAIN, LARGER)
    pair.answer(FULL)
    shown = pair.shown()
    assert shown["panel"] == shown["picker"] == shown["terminal"] == shown["list"] == set()
    # Of the answers before, it is that of their pair.
    assert shown["feet"] == shown["history"] == {"1.9"}
    pair.load(WIDE, DRAFT)
    pair.answer(FULL)
    shown = pair.shown()
    assert shown["panel"] == shown["picker"] == shown["terminal"] == shown["list"] == set()
    pair.load(MAIN, DRAFT)
    pair.answer(FULL)
    agree_on(pair.shown(), "1.9")


@pytest.mark.full
@pytest.mark.parametrize("round_", [HEAD, LOOK_UP])
def test_heads_and_look_ups_have_the_figure_of_their_pair(pair: ShownPair, round_: ScriptedRound) -> None:
    if round_ is LOOK_UP:
        pair.load(MAIN, "")
    pair.answer(round_, gain=1.9)
    agree_on(pair.shown(), "1.9")
    pair.compare(2.04)
    agree_on(pair.shown(), "2.0")


def test_a_pair_whose_answers_accepted_nothing_has_the_figure_of_its_comparisons(pair: ShownPair) -> None:
    pair.answer(ScriptedRound(4, 0))
    agree_on(pair.shown(), "1.0")
    pair.check_in_window(1.5)
    shown = pair.shown()
    assert shown["picker"] == shown["check"] == shown["list"] == {"1.5"}
    assert shown["panel"] == set()


@pytest.mark.full
@pytest.mark.parametrize("ahead", [HERE, THERE])
def test_a_pair_that_drafts_ahead_has_one_figure(pair: ShownPair, ahead: dict[str, Any]) -> None:
    pair.answer(AHEAD, figures=ahead)
    agree_on(pair.shown(), "")
    pair.answer(AHEAD, FULL, gain=1.9, figures=ahead)
    agree_on(pair.shown(), "1.9")
    pair.compare(2.04)
    agree_on(pair.shown(), "2.0")


@pytest.mark.full
def test_a_head_where_drafting_ahead_is_not_offered_has_one_figure(pair: ShownPair) -> None:
    pair.answer(HEAD, figures=NOT_WITH_HEADS)
    agree_on(pair.shown(), "")
    pair.answer(HEAD, gain=1.9, figures=NOT_WITH_HEADS)
    agree_on(pair.shown(), "1.9")


def test_answers_to_programs_count_like_those_in_chats(pair: ShownPair) -> None:
    pair.answer_programs(FULL, gain=1.9)
    pair.driver.wait(lambda: "1.9" in pair.in_picker())
    pair.answer(FULL)
    agree_on(pair.shown(), "1.9")
    pair.compare(2.04)
    pair.answer_programs(FULL, gain=1.2)
    agree_on(pair.shown(), "2.0")


@pytest.mark.full
def test_several_answers_at_once_measure_nothing_and_have_the_figure_of_their_pair(pair: ShownPair) -> None:
    pair.answer_programs(FULL, at_once=4)
    pair.answer(FULL)
    agree_on(pair.shown(), "")
    pair.answer(FULL, gain=1.9)
    pair.answer_programs(FULL, at_once=4)
    agree_on(pair.shown(), "1.9")
