"""Reading aloud with the system's voice, and announcements to screen readers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QAccessible
from pytestqt.qtbot import QtBot

from app.system.speaker import LONGEST, Speaker, language_of, voices_in
from engine.errors import InternalFailure
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script

# What `say -v ?` prints, from published listings of macOS 13 to 26, with voices that people fetched.
LISTING = """\
Albert              en_US    # Hello! My name is Albert.
Alice               it_IT    # Ciao! Mi chiamo Alice.
Anna                de_DE    # Hallo! Ich heiße Anna.
Bad News            en_US    # Hello! My name is Bad News.
Daniel              en_GB    # Hello! My name is Daniel.
Eddy (English (US)) en_US    # Hello! My name is Eddy.
Eddy (French (France)) fr_FR    # Bonjour, je m’appelle Eddy.
Eddy (Japanese (Japan)) ja_JP    # こんにちは! 私の名前はEddyです。
Eddy (Korean (South Korea)) ko_KR    # 안녕하세요. 제 이름은 Eddy입니다.
Eddy (Finnish (Finland)) fi_FI    # Hei! Nimeni on Eddy.
Eddy (Chinese (China mainland)) zh_CN    # 你好！我叫Eddy。
Fred                en_US    # Hello! My name is Fred.
Jacques             fr_FR    # Bonjour, je m’appelle Jacques.
Kyoko               ja_JP    # こんにちは! 私の名前はKyokoです。
Majed               ar_001   # مرحبًا! اسمي ماجد.
Meijia              zh_TW    # 你好，我叫美佳。
Milena              ru_RU    # Здравствуйте! Меня зовут Милена.
Samantha            en_US    # Hello! My name is Samantha.
Sinji               zh_HK    # 你好！我叫善怡。
Thomas              fr_FR    # Bonjour, je m’appelle Thomas.
Tingting            zh_CN    # 你好！我叫婷婷。
Yuna                ko_KR    # 안녕하세요. 제 이름은 유나입니다.
"""
SAY = f"""#!/bin/sh
if [ "$1" = -v ] && [ "$2" = "?" ]; then
  cat << 'END'
{LISTING}END
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


@pytest.mark.parametrize(
    ("fetched", "voices"),
    [
        (
            "",
            {"en": "Samantha", "ko": "Yuna", "ja": "Kyoko", "zh": "Tingting", "de": "Anna", "fr": "Thomas"}
            | {"it": "Alice", "ru": "Milena", "ar": "Majed", "fi": "Eddy (Finnish (Finland))"},
        ),
        ("Zoe (Enhanced)      en_US    # Hello! My name is Zoe.", {"en": "Zoe (Enhanced)"}),
        (
            "Serena (Enhanced)   en_GB    # Hello!\nAva (Premium)       en_US    # Hello!\n"
            "Yuna (Premium)      ko_KR    # 안녕하세요.\nSinji (Premium)     zh_HK    # 你好！",
            {"en": "Ava (Premium)", "ko": "Yuna (Premium)", "zh": "Tingting"},
        ),
        # Places and qualities are in the language of macOS.
        (
            "Yue（高音质）        zh_CN    # 你好！我叫月。\nSamantha（优化音质） en_US    # Hello!\n"
            "Yuna (프리미엄)     ko_KR    # 안녕하세요.\nKyoko (拡張)        ja_JP    # こんにちは!\n"
            "Eddy (日本語（日本）) ja_JP    # こんにちは!",
            {"zh": "Yue（高音质）", "en": "Samantha（优化音质）", "ko": "Yuna (프리미엄)", "ja": "Kyoko (拡張)"},
        ),
        # With two places of a name, macOS adds them; a voice that the person recorded needs a permission.
        ("Daniel (English (UK)) en_GB    # Hello!\nGilles (Personal Voice) en_US    # Hi.", {"en": "Samantha"}),
    ],
)
def test_a_language_is_read_with_its_best_voice(fetched: str, voices: dict[str, str]) -> None:
    assert voices_in(f"{LISTING}{fetched}").items() >= voices.items()


def test_novelties_read_nothing() -> None:
    assert voices_in("Albert en_US # I have a frog in my throat.\nGood News en_US # Hello!") == {}


@pytest.mark.parametrize(
    ("system_language", "text", "voice"),
    [
        ("en", "답은 4예요.", "-v Yuna "),
        ("ko", "Four.", "-v Samantha "),
        # What the person chose in the settings of macOS.
        ("ko", "답은 4예요.", ""),
        ("en", "Four.", ""),
        ("sw", "Vier.", "-v Samantha "),
    ],
)
def test_say_reads_with_the_systems_voice_or_that_of_the_texts_language(
    fake: Callable[[str, str], Path], qtbot: QtBot, system_language: str, text: str, voice: str
) -> None:
    speaker, program = Speaker(), fake("say", SAY)
    speaker.program, speaker.system_language = str(program), system_language
    speaker.speak(text, "ko_KR")
    assert speaker.speaking
    # Qt crashes in a process whose parent goes before it.
    qtbot.waitUntil(lambda: not speaker.speaking and not speaker.children())
    assert program.with_name("say.log").read_text() == f"{voice}-f -\n{text}"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("[[1, 2], [3, 4]]", "[ [1, 2], [3, 4]]"),
        ("[[rate 400]][[volm 1]] Four.", "[ [rate 400]][ [volm 1]] Four."),
        ("[[[1]]] and [[[[", "[ [ [1]]] and [ [ [ ["),
        ("[ [1], [\n[2]] [", "[ [1], [\n[2]] ["),
        # What is cut off at the end leaves no command either.
        ("a" * (LONGEST - 2) + "[[rate 400]]", "a" * (LONGEST - 2) + "[ "),
    ],
)
def test_brackets_are_read_and_command_nothing(
    fake: Callable[[str, str], Path], qtbot: QtBot, text: str, read: str
) -> None:
    speaker, program = Speaker(), fake("say", SAY)
    speaker.program, speaker.system_language = str(program), "en"
    speaker.speak(text, "en_US")
    qtbot.waitUntil(lambda: not speaker.speaking and not speaker.children())
    assert program.with_name("say.log").read_text() == f"-f -\n{read}"


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


@pytest.mark.full
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
