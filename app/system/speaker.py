"""Reads answers aloud with the system's speech program: `say` on macOS, speech-dispatcher elsewhere."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import PurePath

from PySide6.QtCore import QLocale, QObject, QProcess, Signal

# Characters that are read at most: the system limits the length of an argument.
LONGEST = 30_000
_VOICE = r"^(.+?)\s+([a-z]{2,3})[_-](\w+)\s+#"
# The voices that macOS installs itself, the best of a language first.
_USUAL = ["Samantha", "Daniel", "Karen", "Yuna", "Kyoko", "Tingting", "Meijia", "Anna", "Thomas", "Mónica", "Alice"]
# Eloquence's voices sound like a machine; the others only play with the words.
_ROBOTS = {"Eddy", "Flo", "Grandma", "Grandpa", "Jacques", "Reed", "Rocko", "Sandy", "Shelley"}
_NOVELTIES = {"Albert", "Bad News", "Bahh", "Bells", "Boing", "Bubbles", "Cellos", "Deranged", "Good News"}
_NOVELTIES |= {"Hysterical", "Jester", "Organ", "Pipe Organ", "Superstar", "Trinoids", "Whisper", "Wobble", "Zarvox"}
# The names of the two better qualities in Tandem's languages. Such voices are there only if the person fetched them.
_PREMIUM = "Premium|프리미엄|プレミアム|高音质"
_ENHANCED = "Enhanced|향상됨|拡張|优化音质"
_SCRIPTS = (("ja", "[぀-ヿ]"), ("ko", "[가-힣]"), ("zh", "[一-鿿]"))


def program_of_system() -> str | None:
    """Return the path of the system's speech program, or None."""
    return shutil.which("say" if sys.platform == "darwin" else "spd-say")


def language_of(text: str) -> str:
    """Return the language of a text by its script: "ja", "ko", "zh", or "" for other scripts."""
    counts = {code: len(re.findall(script, text)) for code, script in _SCRIPTS}
    letters = sum(map(str.isalpha, text))
    # Chinese has no kana, and all three have Han characters.
    if counts["ja"] > 0.02 * letters:
        return "ja"
    code = max(("ko", "zh"), key=lambda name: counts[name])
    return code if counts[code] > 0.1 * letters else ""


def _without_commands(text: str) -> str:
    """Return a text with no commands for macOS's speech synthesizer, which takes what follows "[[" as such.

    They set its rate and its volume, and are not read: "[[1, 2], [3, 4]]" becomes "[ [1, 2], [3, 4]]".
    """
    return re.sub(r"\[(?=\[)", "[ ", text)


def voices_in(listing: str) -> dict[str, str]:
    """Return the best voice for each language in the output of `say -v ?`, which is in alphabetical order."""
    voices: dict[str, list[str]] = {}
    for name, language, place in re.findall(_VOICE, listing, re.MULTILINE):
        # Cantonese is no voice for other Chinese.
        if place != "HK" and _family(name) not in _NOVELTIES:
            voices.setdefault(language, []).append(name)
    return {language: min(names, key=_voice_order) for language, names in voices.items()}


def _family(voice: str) -> str:
    """Return a voice's name without its quality or place: "Ava (Premium)", "Ava（高音质）", "Eddy (English (US))"."""
    return re.split(r"\s*[(（]", voice)[0]


def _voice_order(voice: str) -> tuple[bool, bool, bool, int]:
    """Return the sort key of a voice among the voices of its language, the best first."""
    family = _family(voice)
    usual = _USUAL.index(family) if family in _USUAL else len(_USUAL)
    return family in _ROBOTS, not re.search(_PREMIUM, voice), not re.search(_ENHANCED, voice), usual


class Speaker(QObject):
    """Reads texts with `program`, which is None if there is none. `changed` marks the start and the end of speech.

    Texts in `system_language` are read with the voice that the person chose in the settings of macOS.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.program = program_of_system()
        languages = QLocale.system().uiLanguages()
        self.system_language = languages[0][:2] if languages else ""
        self._voices: dict[str, str] | None = None
        self._process: QProcess | None = None

    @property
    def speaking(self) -> bool:
        return self._process is not None

    def speak(self, text: str, language: str) -> None:
        """Read a text aloud. `language`, the window's, applies if the script does not determine the language."""
        self.stop()
        if self.program is None or not text.strip():
            return
        # A voice for these languages would spell a text in Latin letters.
        usual = "en" if language.startswith(("ko", "ja", "zh")) else language[:2]
        code = language_of(text) or usual
        if not self._is_say:
            self._run(["--wait", "--language", code, "--", text[:LONGEST]])
        elif code == self.system_language:
            self._say(text, None)
        elif self._voices is None:
            self._ask_for_voices(text, code)
        else:
            self._say(text, self._voices.get(code))

    def stop(self) -> None:
        if self._process is None:
            return
        process = self._process
        self._process = None
        process.finished.disconnect()
        process.errorOccurred.disconnect()
        process.finished.connect(process.deleteLater)
        process.kill()
        if self.program is not None and not self._is_say:
            # A server process speaks, and continues without its client.
            QProcess.startDetached(self.program, ["--cancel"])
        self.changed.emit()

    def close(self) -> None:
        """Stop, and wait until the speech program has ended."""
        process = self._process
        self.stop()
        if process is not None:
            process.waitForFinished(1000)

    @property
    def _is_say(self) -> bool:
        return self.program is not None and PurePath(self.program).name == "say"

    def _ask_for_voices(self, text: str, code: str) -> None:
        """List the voices, then read the text. Called once."""

        def listed(process: QProcess) -> None:
            self._voices = voices_in(bytes(process.readAllStandardOutput().data()).decode("utf-8", "replace"))
            self._say(text, self._voices.get(code))

        self._run(["-v", "?"], listed)

    def _say(self, text: str, voice: str | None) -> None:
        chosen = ["-v", voice] if voice else []
        self._run([*chosen, "-f", "-"], text=_without_commands(text)[:LONGEST])

    def _run(self, arguments: list[str], then: Callable[[QProcess], None] | None = None, text: str = "") -> None:
        process = self._process = QProcess(self)

        def ended() -> None:
            self._process = None
            process.deleteLater()
            if then is not None:
                then(process)
            if self._process is None:
                self.changed.emit()

        def failed(error: QProcess.ProcessError) -> None:
            if error == QProcess.ProcessError.FailedToStart:
                ended()

        process.finished.connect(ended)
        process.errorOccurred.connect(failed)
        process.start(self.program or "", arguments)
        process.write(text.encode())
        process.closeWriteChannel()
        self.changed.emit()
