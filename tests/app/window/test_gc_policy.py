"""What the window asks of Python while an engine runs beside it, and that it leaves Python as it was."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QObject, Signal

from app.window.gc_policy import SWITCH_S, GcPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


class _Pair:
    main: Any = None
    loading = ""


class _Models(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.pair = _Pair()


class _Answers:
    quiet = True


class _Session(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.models, self.answers = _Models(), _Answers()


@pytest.fixture
def session(qtbot: QtBot) -> _Session:  # noqa: ARG001
    return _Session()


@pytest.fixture
def sharing(session: _Session) -> Iterator[GcPolicy]:
    made = GcPolicy(session)  # type: ignore[arg-type]
    yield made
    made.close()


def test_python_is_as_it_was_afterwards(session: _Session) -> None:
    interval, frozen = sys.getswitchinterval(), gc.get_freeze_count()
    sharing = GcPolicy(session)  # type: ignore[arg-type]
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
    assert not gc.isenabled()
    session.models.pair.main = object()
    session.models.changed.emit()
    assert gc.get_freeze_count() > frozen
    sharing.close()
    assert sys.getswitchinterval() == pytest.approx(interval)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


@pytest.mark.parametrize("quiet", [True, False])
def test_all_generations_are_collected_only_between_answers(
    session: _Session, sharing: GcPolicy, monkeypatch: pytest.MonkeyPatch, quiet: bool
) -> None:
    session.answers.quiet = quiet
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (100_000, 0, 0))
    sharing.collect()
    assert collected == [() if quiet else (0,)]


def test_an_answer_without_an_end_does_not_pile_up_garbage(
    session: _Session, sharing: GcPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.answers.quiet = False
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (1_000_000, 0, 0))
    sharing.collect()
    assert collected == [()]


def test_objects_that_stay_are_counted_once(sharing: GcPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (1_500, 0, 0))
    for _ in range(100):
        sharing.collect()
    assert collected == []


def test_what_other_models_leave_over_is_collected(
    session: _Session, sharing: GcPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    del sharing
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(generation))
    session.models.pair.main = object()
    session.models.changed.emit()
    assert collected == []
    session.models.pair.loading = "main"
    session.models.changed.emit()
    assert collected == []
    session.models.pair.loading = ""
    session.models.changed.emit()
    assert collected == [()]


def test_nothing_is_collected_where_nothing_was_made(sharing: GcPolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (10, 0, 0))
    sharing.collect()
    assert collected == []
