"""Pictures of states that are reviewed in English only: without chats, with errors, with long answers."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import Qt

from app.widgets.application import Application
from engine import starter_pair
from engine.errors import ModelNotUsable, NotEnoughMemory
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import PLAIN, Script
from tests.app.two_answers import SECOND, SELDOM_RIGHT
from tests.tools.shown_texts import ANSWERS, LONG_ANSWER, PATTERN, QUESTIONS, THOUGHTS_AND_FORMULAS
from tests.tools.window_pictures import SIZES, opened, rest, save, save_each_size, settle


def states(application: Application, folder: Path, mode: str) -> None:
    window, session = opened(application, [Script("")])
    save(application, window, folder / f"welcome-{mode}.png")
    window.trigger("palette")
    save(application, window, folder / f"palette-{mode}.png")
    window.palette.press(Qt.Key.Key_Escape)
    window.close()
    problem = ModelNotUsable("models/Qwen3-8B-4bit", "incomplete", "model-00002-of-00002.safetensors")
    window, session = opened(application, [Script("")], loads=[problem])
    save(application, window, folder / f"model-problem-{mode}.png")
    window.close()
    plain = Script("Plain decoding, one token at a time.", (PLAIN,), error=problem, fail_after=3)
    window, session = opened(application, [Script(ANSWERS["en"], PATTERN)])
    session.answers.ask(QUESTIONS["en"])
    settle(application, lambda: not session.chat.streaming)
    window.trigger("delete-chat")
    settle(application, lambda: not session.busy)
    save(application, window, folder / f"deleted-{mode}.png")
    window.close()
    window, session = opened(application, [plain])
    session.answers.ask("And without guesses?")
    settle(application, lambda: not session.chat.streaming)
    save(application, window, folder / f"failed-{mode}.png")
    window.close()
    for take in (_resting, _long_answers, _refused):
        take(application, folder, mode)


def _resting(application: Application, folder: Path, mode: str) -> None:
    """Show speculation that was given up within an answer, while it streams and afterwards."""
    question, answer = SECOND["en"]
    gate = threading.Semaphore(20)
    window, session = opened(application, ScriptedEngine([Script(answer, SELDOM_RIGHT, round_s=0.03)], gate=gate))
    session.answers.ask(question)
    settle(application, lambda: bool(session.chat.turns) and len(session.chat.turns[0].answer.rounds) >= 15)
    rest(application)
    save_each_size(application, window, folder, f"resting-{mode}")
    gate.release(1_000_000)
    settle(application, lambda: not session.chat.streaming)
    save_each_size(application, window, folder, f"rested-{mode}")
    window.close()


def _long_answers(application: Application, folder: Path, mode: str) -> None:
    """Show a wide and long table and long lines of code, as text and as tokens, and thoughts that stream."""
    window, session = opened(application, [Script(LONG_ANSWER, PATTERN)])
    session.answers.ask("Compare the sorting functions, with code.")
    settle(application, lambda: not session.chat.streaming)
    rest(application)
    for width, height in SIZES:
        window.resize(width, height)
        save(application, window, folder / f"long-{mode}-{width}.png")
        bar = window.transcript.verticalScrollBar()
        bar.setValue(0)
        save(application, window, folder / f"long-top-{mode}-{width}.png")
        bar.setValue(bar.maximum())
    window.close()
    gate = threading.Semaphore(5)
    window, session = opened(application, ScriptedEngine([Script(THOUGHTS_AND_FORMULAS, PATTERN)], gate=gate))
    session.answers.ask("Where are the roots?")
    settle(application, lambda: bool(session.chat.turns) and len(session.chat.turns[0].answer.rounds) >= 4)
    window.turn().view.thinking.unfold()
    rest(application)
    save_each_size(application, window, folder, f"thinking-{mode}")
    gate.release(1_000_000)
    settle(application, lambda: not session.chat.streaming)
    window.close()


def _refused(application: Application, folder: Path, mode: str) -> None:
    """Show a model without room, a question without room, and a message that no context holds."""
    gb = 10**9
    terms = (("weights", "Qwen3-32B-4bit", 18 * gb), ("context", "Qwen3-32B-4bit", 2 * gb))
    room = NotEnoughMemory("Qwen3-32B-4bit", 20 * gb, 16 * gb, 8_192, 0, terms)
    window, session = opened(application, [Script("")], loads=[room])
    save_each_size(application, window, folder, f"no-room-{mode}")
    window.close()
    full = NotEnoughMemory("Qwen3-8B-4bit", 20 * gb, 16 * gb, 32_768, 8_192, terms, kv_bits=4)
    window, session = opened(application, [Script("Yes.", error=full, fail_after=0)])
    session.answers.ask(QUESTIONS["en"])
    settle(application, lambda: not session.chat.streaming)
    save_each_size(application, window, folder, f"no-room-asked-{mode}")
    window.close()
    window, session = opened(application, [Script("Yes.", prompt_tokens=5000)])
    session.models.load(str(starter_pair()[0]), None)
    settle(application, lambda: not session.models.pair.loading)
    session.answers.ask(QUESTIONS["en"])
    settle(application, lambda: not session.chat.streaming)
    window.write("And the right version?")
    settle(application, lambda: bool(window.ways_to_shorten))
    save_each_size(application, window, folder, f"too-long-{mode}")
    window.close()
