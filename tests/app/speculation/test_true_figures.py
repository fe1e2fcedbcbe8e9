"""Every place that shows a speed-up shows the true one, within a tenth, while the load on the computer changes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.session.session import Session
from app.settings_window.history_page import HistoryPage
from app.speculation.comparison import Comparer, Step
from app.speculation.comparison_view import ComparisonView
from app.speculation.history_table import COLUMNS
from app.speculation.learned_section import LearnedSection
from app.widgets.application import Application
from app.window.main_window import MainWindow
from app.wording import figures
from engine.speculation.choosing.controller import Controller
from engine.stats import RequestStats
from engine.status import LoadedPair, ModelInfo
from tests.app.conftest import STARTER
from tests.app.shown_library import DRAFT, MAIN, ShownLibrary, path_of
from tests.app.simulated_engine import SimulatedEngine
from tests.app.window_driver import WindowDriver
from tests.engine.speculation.loaded_machine import LOADS, LoadedMachine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

LENGTHS = [300, 120, 420, 700]


def shown_in(text: str) -> float:
    """The speed-up in a text."""
    found = re.search(r"([\d.]+)×", text)
    assert found is not None, text
    return float(found.group(1))


def seconds_in(text: str) -> float:
    """The time in a text, in seconds."""
    found = re.fullmatch(r"(-?[\d.]+) (s|min|h)", text)
    assert found is not None, text
    return float(found.group(1)) * {"s": 1, "min": 60, "h": 3600}[found.group(2)]


def near(truth: float) -> object:
    """A tenth, and what is lost by rounding to what is known."""
    return pytest.approx(truth, abs=0.1 * truth + 0.1)


class World:
    """The window with answers of the simulated engine in it."""

    def __init__(self, window: MainWindow, session: Session, engine: SimulatedEngine, library: ShownLibrary) -> None:
        self.window, self.session, self.engine, self.library = window, session, engine, library

    @property
    def total(self) -> float:
        """The true speed-up over all answers whose speed-up was measured."""
        known = [one for one in self.engine.answered if one.stats.speedup is not None]
        return sum(one.plain_s for one in known) / sum(one.decode_s for one in known)


@pytest.fixture(params=list(LOADS))
def world(
    request: pytest.FixtureRequest, qapp: Application, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    # A pair that has been in use for a while: of a new one only the low end is known.
    machine = LoadedMachine(LOADS[request.param], seed=2)
    for _ in range(40):
        machine.answer(300)
    machine.controller.learned.comparisons.totals.clear()
    monkeypatch.setattr("engine.speculation.choosing.controller.monotonic", lambda: machine.now)
    main, draft = (ModelInfo(name, Path(path_of(name)), "llama", 4096, 0) for name in (MAIN, DRAFT))
    engine = SimulatedEngine(machine=machine, lengths=list(LENGTHS), loads=[LoadedPair(main, draft)])
    session = Session(lambda: engine, STARTER, tmp_path / "chats.db")
    library = ShownLibrary(tmp_path)
    window = MainWindow(session, qapp, library)
    window.show()
    session.models.load(path_of(MAIN), path_of(DRAFT))
    qtbot.waitUntil(lambda: session.models.pair.draft is not None and session.answers.ready)
    for _ in LENGTHS:
        turn = session.answers.ask("go")
        qtbot.waitUntil(lambda turn=turn: turn.answer.ended and session.answers.ready and session.answers.quiet)
    yield World(window, session, engine, library)
    window.close()
    window.deleteLater()


def test_panel_and_foot_show_what_the_last_answer_gained(world: World, qtbot: QtBot) -> None:
    driver = WindowDriver(world.window, world.session, qtbot.waitUntil)
    truth = world.engine.answered[-1].truth
    turn = driver.session.chats.shown.turns[-1]
    foot = " ".join(sentence.format(value=value) for sentence, value in figures.foot(turn.answer))
    assert shown_in(foot) == near(truth)
    assert shown_in(driver.panel.outcome.text()) == shown_in(driver.panel.speed.name) == shown_in(foot)
    answered = world.engine.answered[-1]
    saved = turn.answer.stats.saved_s
    assert saved == pytest.approx(answered.plain_s - answered.decode_s, abs=0.1 * answered.plain_s)
    assert figures.duration(saved) in driver.panel.outcome.text()


def test_the_panel_s_totals_show_it_for_the_chat_and_the_week(world: World, qtbot: QtBot) -> None:
    driver = WindowDriver(world.window, world.session, qtbot.waitUntil)
    driver.panel.make_figures()
    totals = driver.panel.totals
    qtbot.waitUntil(lambda: totals.figures_of(0)[0] == str(len(LENGTHS)))
    for column in (0, 1):
        assert shown_in(totals.figures_of(column)[2]) == near(world.total)
    known = [one for one in world.engine.answered if one.stats.speedup is not None]
    saved = sum(one.plain_s - one.decode_s for one in known)
    plain_s = sum(one.plain_s for one in known)
    assert seconds_in(totals.figures_of(0)[3]) == pytest.approx(saved, abs=0.1 * plain_s + 0.5)


def test_a_fixed_draft_length_has_a_true_speedup_too(world: World, qtbot: QtBot) -> None:
    """Also where nothing was ever measured before: another controller knows nothing."""
    driver = WindowDriver(world.window, world.session, qtbot.waitUntil)
    world.engine.machine.controller = Controller()
    world.engine.lengths += [900, 900, 900, 900]
    settings = world.session.settings
    settings.set_speculation(replace(settings.speculation, depth=4))
    for _ in range(4):
        turn = world.session.answers.ask("go")
        qtbot.waitUntil(lambda turn=turn: turn.answer.ended and world.session.answers.quiet)
    drafted = [record.drafted for record in turn.answer.rounds[1:]]
    assert drafted.count(0) < 0.1 * drafted.count(4)
    assert shown_in(driver.panel.outcome.text()) <= 1.1 * world.engine.answered[-1].truth


def test_the_request_history_shows_it_for_each_answer_and_for_the_pair(world: World, qtbot: QtBot) -> None:
    page = HistoryPage("History", world.session.history)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.table.rowCount() == len(LENGTHS))
    column = [one.key for one in COLUMNS].index("speedup")
    newest_first = [page.table.index(row, column).data() for row in range(len(LENGTHS))]
    for text, answered in zip(newest_first, world.engine.answered[::-1], strict=True):
        if "at least" in text:
            assert shown_in(text) <= 1.1 * answered.truth
        else:
            assert shown_in(text) == near(answered.truth)
    assert shown_in(page.sentences.text()) == near(world.total)


def test_the_picker_shows_what_was_measured(world: World, qtbot: QtBot) -> None:
    driver = WindowDriver(world.window, world.session, qtbot.waitUntil)
    qtbot.waitUntil(lambda: DRAFT in world.library.measured_with(path_of(MAIN)))
    driver.header.draft.click()
    assert shown_in(driver.picker("draft").rows[0].split("Measured")[1]) == near(world.total)


def test_the_learned_table_shows_what_was_measured(world: World, qtbot: QtBot) -> None:
    section = LearnedSection(world.session)
    qtbot.addWidget(section)
    section.show()
    qtbot.waitUntil(lambda: bool(section.table.rows))
    assert shown_in(figures.speedup(section.table.rows[0])) == near(world.total)


def test_compare_shows_it_although_the_load_changes_between_its_runs(world: World, qtbot: QtBot) -> None:
    world.engine.lengths += [400, 400]
    driver = WindowDriver(world.window, world.session, qtbot.waitUntil)
    qtbot.waitUntil(lambda: driver.is_enabled("compare"))
    driver.trigger("compare")
    comparison = driver.find(Comparer).comparison
    assert comparison is not None
    qtbot.waitUntil(lambda: comparison.step is Step.DONE)
    _prefill, speculated, _plain = world.engine.answered[-3:]
    view = driver.find(ComparisonView)
    qtbot.waitUntil(lambda: "×" in view.verdict.text())
    assert shown_in(view.verdict.text()) == near(speculated.truth)


def test_nothing_is_shown_where_no_draft_token_was_accepted() -> None:
    stats = RequestStats(generated_tokens=90, rounds=90, drafted=8, accepted=0, decode_tps=40.0, load=1.0)
    assert figures.speed_text(stats) == "tokens/s"
    assert figures.speedup(stats) == figures.NONE


def test_a_busy_computer_is_given_as_the_reason() -> None:
    assert "computer is busy" in figures.busy(RequestStats(load=2.5))
    assert figures.busy(RequestStats(load=1.1)) == ""
