"""Every place that shows a speed-up shows the true one, within a tenth, while the load on the computer changes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.session.answer import Answer, State
from app.session.session import Session
from app.settings_window.history_page import COLUMNS, HistoryPage
from app.speculation.comparison import Comparer, ComparisonStep
from app.speculation.comparison_view import ComparisonView
from app.transcript.answer_texts import origin_text
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
from tests.engine.speculation.loaded_machine import LOADS, LoadedMachine, quiet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

LENGTHS = [300, 120, 420, 700]
# The load of the default tier.
DEFAULT = "waves"


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
    """Within a tenth, and the rounding of the shown figure."""
    return pytest.approx(truth, abs=0.1 * truth + 0.1)


class SimulatedWindow:
    """The window with answers of the simulated engine in it."""

    def __init__(
        self, window: MainWindow, session: Session, engine: SimulatedEngine, library: ShownLibrary, qtbot: QtBot
    ) -> None:
        self.driver = WindowDriver(window, session, qtbot.waitUntil)
        self.session, self.engine, self.library, self.qtbot = session, engine, library, qtbot
        # The answers whose speed-up was measured, and the true one over all of them.
        self.known = [one for one in engine.answered if one.stats.speedup is not None]
        self.plain_s = sum(one.plain_s for one in self.known)
        self.total = self.plain_s / sum(one.decode_s for one in self.known)


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.full if name != DEFAULT else ()) for name in LOADS])
def world(request: pytest.FixtureRequest, qapp: Application, qtbot: QtBot, tmp_path: Path) -> Iterator[SimulatedWindow]:
    # A pair that has been in use for a while: of a new one only the low end is known.
    machine = LoadedMachine(LOADS[request.param], seed=2)
    for _ in range(20):
        machine.answer(300)
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
        qtbot.waitUntil(lambda turn=turn: turn.answer.ended and session.answers.ready and session.answers.is_idle)
    yield SimulatedWindow(window, session, engine, library, qtbot)
    window.close()
    window.deleteLater()


def test_every_place_shows_what_speculation_gained(world: SimulatedWindow) -> None:
    for place in (panel_and_foot, request_history, comparison, picker, fixed_depth):
        place(world)


def panel_and_foot(world: SimulatedWindow) -> None:
    """They show the pair of the last answer."""
    panel = world.driver.panel
    turn = world.session.chats.shown.turns[-1]
    world.qtbot.waitUntil(lambda: turn.answer.pair_speedup is not None)
    footer = origin_text(turn.answer)
    assert shown_in(footer) == near(world.total)
    assert shown_in(panel.outcome.text()) == shown_in(footer)
    assert "×" not in panel.speeds.text()


def request_history(world: SimulatedWindow) -> None:
    page = HistoryPage(world.session.history)
    world.qtbot.addWidget(page)
    page.show()
    world.qtbot.waitUntil(lambda: page.table.rowCount() == len(LENGTHS))
    column = [one.key for one in COLUMNS].index("speedup")
    texts = [page.table.index(row, column).data() for row in range(len(LENGTHS))]
    # An answer that cannot have gained that much has no figure, in the panel either.
    rows = {shown_in(text) for text in texts if text != "–"}
    assert rows == {shown_in(page.sentences.text())} == {shown_in(world.driver.panel.outcome.text())}


def picker(world: SimulatedWindow) -> None:
    world.qtbot.waitUntil(lambda: DRAFT in world.library.measured_with(path_of(MAIN)))
    world.driver.header.draft.click()
    first = world.driver.picker("draft").rows[0]
    assert shown_in(first) == shown_in(world.driver.panel.outcome.text())


def comparison(world: SimulatedWindow) -> None:
    """Its runs follow each other, so a load that changes from one to the next is not in its figure."""
    world.engine.lengths += [400, 400, 400, 400]
    driver, machine = world.driver, world.engine.machine
    usual, machine.load = machine.load, quiet
    world.qtbot.waitUntil(lambda: driver.is_enabled("compare"))
    driver.trigger("compare")
    compared = driver.find(Comparer).comparison
    assert compared is not None
    world.qtbot.waitUntil(lambda: compared.step is ComparisonStep.DONE)
    machine.load = usual
    # Those with speculation and plain ones take turns, and the faster one of each counts.
    runs = world.engine.answered[-4:]
    speculated = min(runs[::2], key=lambda run: run.decode_s)
    view = driver.find(ComparisonView)
    world.qtbot.waitUntil(lambda: "×" in view.gain.text() + view.verdict.text())
    assert compared.ratio == pytest.approx(speculated.truth, rel=0.1)
    view.close_overlay()
    # From now on all places show what was compared.
    world.qtbot.waitUntil(lambda: world.session.history.speedup_of(MAIN, DRAFT) == compared.ratio)
    for place in (panel_and_foot, request_history, picker):
        place(world)


def fixed_depth(world: SimulatedWindow) -> None:
    """A new controller has measured nothing before."""
    world.engine.machine.controller = Controller()
    world.engine.lengths += [900] * 4
    settings = world.session.settings
    settings.set_speculation(replace(settings.speculation, depth=4))
    for _ in range(4):
        turn = world.session.answers.ask("go")
        world.qtbot.waitUntil(lambda turn=turn: turn.answer.ended and world.session.answers.is_idle)
    drafted = [record.drafted for record in turn.answer.rounds[1:]]
    assert drafted.count(0) < 0.1 * drafted.count(4)
    if "×" in world.driver.panel.outcome.text():
        assert shown_in(world.driver.panel.outcome.text()) <= turn.answer.stats.speedup_high + 0.1


def test_without_an_accepted_draft_token_nothing_is_shown_and_a_busy_computer_is_a_reason() -> None:
    stats = RequestStats(generated_tokens=90, rounds=90, drafted=8, accepted=0, decode_tps=40.0, load=1.0)
    assert figures.gain(Answer(State.DONE, stats=stats, pair_speedup=2.0)) == ""
    assert "Mac is busy" in figures.busy(RequestStats(load=2.5))
    assert figures.busy(RequestStats(load=1.1)) == ""
