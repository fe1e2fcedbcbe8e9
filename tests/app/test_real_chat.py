"""A chat of eight turns in the window with a published model, opened from its GGUF file."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.chat_settings import GenerationSettings
from app.session.answer import State
from app.session.session import Session
from app.widgets.application import Application
from app.window.main_window import MainWindow
from engine import Engine, SamplingSettings, starter_pair
from tests.app.window_driver import WindowDriver
from tests.real_model import gguf_file as gguf_file

pytestmark = pytest.mark.real

QUESTIONS = (
    "What is the capital of France?", "And of Spain?", "Which of the two is larger?", "Say that in three words.",
    "Thank you. What is 2 + 2?", "And 3 + 3?", "Write one line of Python that prints it.", "Goodbye!",
)  # fmt: skip


def test_a_chat_of_eight_turns(gguf_file: Path, qapp: Application, qtbot: QtBot) -> None:
    session = Session(Engine, starter_pair())
    window = WindowDriver(MainWindow(session, qapp), session, lambda holds: qtbot.waitUntil(holds, timeout=300_000))
    window.show()
    window.paste(gguf_file)
    window.wait(lambda: session.models.pair.main is not None and not session.models.pair.loading)
    assert session.models.pair.names[0] == "SmolLM2-135M-Instruct.Q4_1"
    # Otherwise the panel comes with the first question: a change of settings, after which their defaults hold again.
    window.trigger("toggle-panel")
    session.settings.set_defaults(GenerationSettings(SamplingSettings(temperature=0.0), max_tokens=16))
    before = 0
    for index, question in enumerate(QUESTIONS):
        window.ask(question)
        window.wait_until_answered()
        answer = window.answer()
        assert answer.state is State.DONE
        assert answer.text.strip()
        assert "<|" not in window.shown_text()
        # All of the turns before is reused, and no pass is wasted.
        assert answer.stats.cached_tokens >= before
        assert answer.stats.rounds + answer.stats.accepted >= answer.stats.generated_tokens >= answer.stats.rounds
        before = answer.stats.prompt_tokens if index else 1
    assert window.shown_text(0) == "The capital of France is Paris."
    assert len(session.chat.turns) == len(QUESTIONS)
    window.close()
