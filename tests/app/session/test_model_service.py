"""The loaded pair, and calls of the engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.wording.speculation import state_now
from engine.errors import DeviceFailed
from engine.settings import EngineSettings
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.session.conftest import OpenSession, Settle


def test_models_that_a_failing_gpu_made_the_engine_unload_are_not_shown_as_loaded(
    open_session: OpenSession, settle: Settle
) -> None:
    engine = ScriptedEngine([Script("Hal", error=DeviceFailed("out of memory", unloaded="org/main")), Script("Whole")])
    session = open_session(engine)
    settle(session.answers.ask("first"))
    assert session.models.pair.unloaded_by_failure
    assert "was unloaded" in state_now(session)
    settle(session.answers.ask("second"))
    assert not session.models.pair.unloaded_by_failure
    assert "was unloaded" not in state_now(session)


def test_no_call_reaches_an_engine_that_is_not_there(open_session: OpenSession) -> None:
    session = open_session(load=False)
    assert not session.models.call_engine(lambda engine: engine.learned(), lambda _: None)
    assert session.models.loading_progress == (0, 0)
    session.models.load_starter()
    session.close()
    assert not session.models.call_engine(lambda engine: engine.learned(), lambda _: None)


def test_settings_reach_an_engine_that_is_made_later(open_session: OpenSession, settle: Settle, tmp_path: Path) -> None:
    engine = ScriptedEngine()
    session = open_session(engine, load=False)
    limits = replace(EngineSettings(), prefix_cache_bytes=5)
    session.models.configure(limits)
    session.models.keep_stored(["a"])
    settle(session.models.load_starter())
    assert engine.settings.prefix_cache_bytes == 5
    assert engine.stored == [frozenset(["a"])]
    # A store that is not the user's own leaves nothing on disk.
    session.models.configure(replace(EngineSettings(), prefix_cache_folder=tmp_path, answer_index_folder=tmp_path))
    assert engine.settings.prefix_cache_folder is None
    assert engine.settings.answer_index_folder is None


def test_another_engine_answers_and_leaves_when_it_ends(
    open_session: OpenSession, qtbot: QtBot, settle: Settle
) -> None:
    own, given = ScriptedEngine(), ScriptedEngine()
    session = open_session(own)
    session.models.load("slow", None)
    session.models.activate(given)
    assert session.models.pair.names == ("", "")
    settle(session.models.load("large", None))
    assert (session.models.pair.names[0], session.models.pair.loading) == ("large", "")
    qtbot.waitUntil(lambda: own.pair.main is None)
    restarted: list[str] = []
    session.models.restarted.connect(restarted.append)
    given.end_by_itself()
    qtbot.waitUntil(lambda: session.models.pair.names == ("", ""))
    assert (given.closed, restarted) == (False, [])
    given.close()
    session.models.load("small", None)
    qtbot.waitUntil(lambda: session.models.pair.names[0] == "small")
    assert session.models.engine is own


def test_an_engine_that_ends_while_another_answers_is_made_anew(open_session: OpenSession, qtbot: QtBot) -> None:
    own, given = ScriptedEngine(), ScriptedEngine()
    session = open_session(own)
    session.models.activate(given)
    own.end_by_itself()
    qtbot.waitUntil(lambda: own.closed)
    session.models.load("large", None)
    qtbot.waitUntil(lambda: session.models.pair.names[0] == "large")
    session.close()
    assert not given.closed
    given.close()
