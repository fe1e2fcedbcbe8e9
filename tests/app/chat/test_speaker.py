"""Reading aloud with the system's voice, and announcements to screen readers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from app.chat.speaker import Speaker, language_of
from engine.errors import InternalFailure
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script

SAY = """#!/bin/sh
if [ "$1" = -v ] && [ "$2" = "?" ]; then
  echo "Samantha            en_US    # Hello! My name is Samantha."
  echo "Yuna                ko_KR    # 안녕하세요. 제 이름은 유나입니다."
  echo "Eddy (Korean (South Korea)) ko_KR    # 안녕하세요."
  exit 0
fi
echo "$@" > "$0.log"
cat >> "$0.log"
"""
WAITING = '#!/bin/sh\necho "$@" >> "$0.log"\n[ "$1" = --cancel ] || exec sleep 60\n'


@pytest.fixture
def fake(tmp_path: Path) -> Callable[[str, str], Path]:
    """Makes a program that replaces the system's."""

    def make(name: str, script: str) -> Path:
        file = tmp_path / name
        file.write_text(script)
        file.chmod(0o755)
        return file

    return make


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The answer is 4.", ""),
        ("답은 4예요. draft model이 추측해요.", "ko"),
        ("答えは 4 です。漢字とかな。", "ja"),
        ("答案是四。", "zh"),
        ("The word 초안 means draft in Korean, which is said quite often here.", ""),
        ("", ""),
    ],
)
def test_the_script_tells_the_language(text: str, code: str) -> None:
    assert language_of(text) == code


def test_say_reads_with_the_voice_of_the_texts_language(fake: Callable[[str, str], Path], qtbot: QtBot) -> None:
    speaker, program = Speaker(), fake("say", SAY)
    speaker.program = str(program)
    for text, window_language, voice in (("답은 4예요.", "en_US", "Yuna"), ("Four.", "ko_KR", "Samantha")):
        speaker.speak(text, window_language)
        assert speaker.speaking
        qtbot.waitUntil(lambda: not speaker.speaking)
        assert program.with_name("say.log").read_text() == f"-v {voice} -f -\n{text}"


def test_speech_is_stopped_where_another_program_has_the_voice(fake: Callable[[str, str], Path], qtbot: QtBot) -> None:
    speaker = Speaker()
    program = fake("spd-say", WAITING)
    log = program.with_name("spd-say.log")
    speaker.program = str(program)
    speaker.speak("-x Vier.", "de_DE")
    qtbot.waitUntil(lambda: log.exists() and bool(log.read_text()))
    assert log.read_text() == "--wait --language de -- -x Vier.\n"
    speaker.close()
    assert not speaker.speaking
    qtbot.waitUntil(lambda: "--cancel" in log.read_text())


def test_a_program_that_does_not_start_ends_at_once(tmp_path: Path, qtbot: QtBot) -> None:
    speaker = Speaker()
    speaker.program = str(tmp_path / "spd-say")
    speaker.speak("Four.", "en_US")
    qtbot.waitUntil(lambda: not speaker.speaking)


def test_the_last_answer_is_read_and_stopped(
    open_window: OpenWindow, qtbot: QtBot, fake: Callable[[str, str], Path]
) -> None:
    window = open_window(ScriptedEngine([Script("It is **4**.")]))
    program = fake("spd-say", WAITING)
    window.find(Speaker).program = str(program)
    window.ask_and_wait("2 + 2?")
    assert not window.is_enabled("stop-reading")
    window.trigger("read-aloud")
    log = program.with_name("spd-say.log")
    qtbot.waitUntil(lambda: log.exists() and "It is 4." in log.read_text())
    assert not window.is_enabled("read-aloud")
    window.trigger("stop-reading")
    qtbot.waitUntil(lambda: window.is_enabled("read-aloud"))


def test_without_a_voice_nothing_is_offered(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("It is 4.")]))
    window.find(Speaker).program = None
    window.ask_and_wait("2 + 2?")
    assert not window.is_enabled("read-aloud")
    assert not any("aloud" in action.text() for action in window.turn().menu().actions())


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What screen readers are told."""
    said: list[str] = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: said.append(event.message()))
    return said


def test_an_answers_end_is_announced_once_as_what_it_is(
    open_window: OpenWindow, qtbot: QtBot, announced: list[str]
) -> None:
    failing = Script(STORY, error=InternalFailure("metal"), fail_after=2)
    engine = ScriptedEngine([Script("Yes."), failing, Script("Cut", reason="length"), Script(STORY)])
    window = open_window(engine)
    window.ask_and_wait("first", "second", "third")
    complete, failed, cut = announced
    assert (complete, cut) == ("The answer is complete.", "The answer reached its length limit.")
    assert "metal" in failed
    # The end of an answer in another chat names the chat.
    engine.gate = threading.Semaphore(5)
    window.ask("Tell me a story")
    qtbot.waitUntil(lambda: bool(window.answer().text))
    answer = window.answer()
    window.trigger("new-chat")
    engine.gate.release(1000)
    qtbot.waitUntil(lambda: answer.ended)
    [elsewhere] = announced[3:]
    assert elsewhere.endswith(": The answer is complete.")
    assert elsewhere != ": The answer is complete."
