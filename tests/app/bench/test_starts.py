"""A measured start is a real one, in a process of its own."""

from __future__ import annotations

import pytest

from app.bench import starts


def test_a_start_reaches_its_stages_in_order() -> None:
    found = starts.one_start()
    assert list(found) == list(starts.STAGES)
    assert 0 < found["window"] < found["models"] < found["first_token"]


def test_the_first_start_warms_up_and_the_median_of_the_others_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter((99.0, 3.0, 1.0, 2.0))
    monkeypatch.setattr(starts, "one_start", lambda: dict.fromkeys(starts.STAGES, next(seconds)))
    monkeypatch.setattr(starts, "floors", lambda: dict.fromkeys(starts.FLOORS, 1.0))
    expected = {"starts": 3, "window": 2.0, "models": 2.0, "first_token": 2.0}
    assert starts.measure(3) == expected | dict.fromkeys(starts.FLOORS, 1.0)


def test_the_libraries_alone_are_measured_beside_it() -> None:
    assert all(seconds > 0 for seconds in starts.floors().values())


def test_a_bundle_has_no_interpreter_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert starts.line(starts.measure(3)) == []
