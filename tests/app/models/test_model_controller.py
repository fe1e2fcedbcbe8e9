"""The header while models change: the progress of a load, and the state of speculation."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.session.time_left import TimeLeft
from tests.app.conftest import OpenShown
from tests.app.shown_library import MAIN, path_of


def labels(chip: QWidget) -> list[str]:
    """Return the texts of a chip, including those that a narrow window hides."""
    return [label.text() for label in chip.findChildren(QLabel)]


def test_a_switch_shows_how_much_is_loaded_until_the_newest_request_is_done(
    open_shown: OpenShown, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, _, engine = open_shown()
    session, header = window.session, window.header
    session.models.pair = replace(session.models.pair, loading="main", wanted=path_of(MAIN))
    session.models.changed.emit()
    # The chip names the chosen model at once; the sentence beside the pair says that it is loading.
    assert "Qwen3 8B" in labels(header.main)
    assert "Loading…" in labels(header)
    engine.loading_progress = (1_200_000_000, 4_800_000_000)
    header.show_load_progress()
    assert "Loading… 25%" in labels(header)
    # A GGUF file may be converted first, once; the chip shows the name without the suffix.
    session.models.pair = replace(session.models.pair, wanted="/files/Tiny-Chat-Q4_K_M.gguf")
    engine.loading_progress, engine.converting = (0, 4_800_000_000), True
    session.models.changed.emit()
    once = "Converting Tiny Chat Q4_K_M\u00a0· once"
    assert once in labels(header)
    engine.loading_progress = (1_200_000_000, 4_800_000_000)
    header.show_load_progress()
    assert {"Tiny Chat Q4_K_M", once} <= {*labels(header.main), *labels(header)}
    assert header.main.bar.value() == 25
    monkeypatch.setattr(TimeLeft, "note", lambda *_: 118.0)
    header.show_load_progress()
    sentence = f"{once}, about 2 minutes left"
    assert header.main.accessibleDescription() == sentence
    assert {sentence, "About 2 minutes left"} & {*labels(header)}
    # What is converted already is only read.
    engine.converting = False
    header.show_load_progress()
    assert "Loading… 25%" in labels(header)
    session.models.pair = replace(session.models.pair, loading="")
    session.models.changed.emit()
    assert "Qwen3 8B" in labels(header.main)
    # Only the newest request ends the loading.
    engine.load_gate = threading.Event()
    seen: list[tuple[str, str]] = []
    session.models.changed.connect(lambda: seen.append((session.models.pair.loading, session.models.pair.wanted)))
    session.models.load("first", None)
    session.models.load("second", None)
    engine.load_gate.set()
    qtbot.waitUntil(lambda: not session.models.pair.loading)
    assert seen == [("main", "first"), ("main", "second"), ("main", "second"), ("", "")]


def test_a_pair_that_is_loaded_shows_the_names_of_both_models(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, _, engine = open_shown()
    header, models = window.header, window.session.models
    engine.load_gate = threading.Event()
    models.load("models/Qwen3-14B-4bit", "models/Qwen3-1.7B-4bit")
    assert "Qwen3 14B" in labels(header.main)
    assert "Qwen3 1.7B" in labels(header.draft)
    models.load("models/Qwen3-14B-4bit", None)
    # "Draft" before a name that is no model's would read as what to do.
    assert [text for text in labels(header.draft) if text] == ["Prompt lookup"]
    engine.load_gate.set()
    qtbot.waitUntil(lambda: not models.pair.loading)


def test_a_draft_model_that_is_off_says_so_once(open_shown: OpenShown) -> None:
    window, _, _ = open_shown()
    window.resize(1440, 600)
    window.trigger("speculation-off")
    assert "Draft (off)" in labels(window.header.draft)
    assert "Speculation is off." not in labels(window.header)


def test_the_draft_slot_says_what_proposes_at_every_width(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, _, _ = open_shown()
    header = window.header
    for width in (1440, 900, 560):
        window.resize(width, 600)
        assert "Draft" in labels(header.draft)
    window.session.models.set_draft(None)
    qtbot.waitUntil(lambda: "Speculation: prompt lookup" in header.draft.accessibleName())
    assert header.draft.accessibleName().startswith("Draft source: Prompt lookup.")
    window.trigger("speculation-off")
    assert "Speculation is off." in header.draft.accessibleName()
