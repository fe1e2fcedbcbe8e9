"""Takes the moving pictures of the README: `python -m tests.tools.moving_pictures PICTURES [NAMES]`.

Each is a WebP file of Tandem's real window on a scripted engine: an answer whose drafted words are tinted while it
streams, and the race of Compare. The scripted engine is slowed down, so that rounds can be seen; nothing is measured.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

# A screen with two pixels for each point, as Macs have.
if os.environ.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={Path(__file__).with_name('sharp_screen.json')}"
    os.environ["QT_SCALE_FACTOR"] = "2"

from PIL import Image
from PySide6.QtCore import QDeadlineTimer, QElapsedTimer
from PySide6.QtGui import QImage

from app.speculation.comparison import ComparisonStep
from app.widgets.application import Application
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import PLAIN, Script
from tests.app.window_driver import WindowDriver
from tests.tools.shown_texts import ANSWERS, PATTERN, QUESTIONS
from tests.tools.window_pictures import opened, rest, settle

# Pixels, milliseconds between two frames, and for how long the last one stays.
SIZE = (1100, 700)
FRAME_MS = 100
# While an answer streams, the draft's chip pulses in each round: more frames would make the file too large.
ROUND_MS = 200
LAST_MS = 3000
# Milliseconds of an answer's end that are shown: its tints fade after two seconds.
END_MS = 3500
MOST_BYTES = 1_500_000
QUALITIES = (80, 70, 60, 50)


class Film:
    """The frames of a window, each with how many milliseconds it stays."""

    def __init__(self, application: Application, window: WindowDriver, frame_ms: int = FRAME_MS) -> None:
        self._application = application
        self._frame_ms = frame_ms
        self._window = window
        self._frames: list[Image.Image] = []
        self._stays: list[int] = []

    def take_until(self, ready: Callable[[], bool], most_s: float = 60) -> None:
        """Take frames until `ready` is true, at most for that many seconds."""
        end = QDeadlineTimer(round(1000 * most_s))
        while not ready() and not end.hasExpired():
            self._take()

    def take_for(self, milliseconds: int) -> None:
        end = QDeadlineTimer(milliseconds)
        self.take_until(end.hasExpired)

    def _take(self) -> None:
        """Wait for the time of a frame, and take it. A frame that is the same as the last makes that stay longer."""
        clock = QElapsedTimer()
        clock.start()
        settle(self._application, lambda: clock.hasExpired(self._frame_ms))
        picture = self._window.window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
        frame = Image.frombuffer(
            "RGB", (picture.width(), picture.height()), bytes(picture.constBits()), "raw", "RGB", picture.bytesPerLine()
        )
        if self._frames and frame.tobytes() == self._frames[-1].tobytes():
            self._stays[-1] += self._frame_ms
        else:
            self._frames.append(frame)
            self._stays.append(self._frame_ms)

    def save(self, path: Path) -> None:
        """Write the frames as a WebP file that begins again. Raises `ValueError` if it is too large for a README."""
        first, *others = self._frames
        stays = [*self._stays[:-1], LAST_MS]
        # The best that is small enough; below, what moved leaves its traces.
        for quality in QUALITIES:
            first.save(path, save_all=True, append_images=others, duration=stays, loop=0, quality=quality, method=4)
            if path.stat().st_size <= MOST_BYTES:
                return
        raise ValueError(f"{path} has {path.stat().st_size} bytes")


def answer(application: Application, path: Path) -> None:
    """Film an answer whose drafted words are tinted while it streams, and then not."""
    engine = ScriptedEngine([Script(ANSWERS["en"], PATTERN)], pace_s=0.13)
    window, session = opened(application, engine)
    window.resize(*SIZE)
    film = Film(application, window, ROUND_MS)
    session.answers.ask(QUESTIONS["en"])
    film.take_until(lambda: session.chat.streaming)
    film.take_until(lambda: not session.chat.streaming)
    film.take_for(END_MS)
    film.save(path)
    window.close()


def race(application: Application, path: Path) -> None:
    """Film Compare, from its opening to its result."""
    guessed = Script(ANSWERS["en"], PATTERN)
    plain = Script(ANSWERS["en"], (PLAIN,), round_s=0.031)
    engine = ScriptedEngine([guessed, Script("read"), guessed, plain, guessed, plain])
    window, session = opened(application, engine)
    window.resize(*SIZE)
    session.answers.ask(QUESTIONS["en"])
    settle(application, lambda: session.answers.ready and session.answers.is_idle)
    rest(application)
    engine.pace_s = 0.02
    film = Film(application, window)
    window.trigger("compare")
    raced = (ComparisonStep.SPECULATED_AGAIN, ComparisonStep.PLAIN_AGAIN, ComparisonStep.DONE)
    film.take_until(lambda: window.comparer.comparison is not None and window.comparer.comparison.step in raced)
    # The second runs look as the first ones do.
    engine.pace_s = 0.0
    settle(application, lambda: not window.comparer.running)
    film.take_for(FRAME_MS)
    film.save(path)
    window.close()


FILMS = {"answer": answer, "race": race}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("names", nargs="*", choices=[*FILMS, []], default=[])
    arguments = parser.parse_args()
    opened_application = Application(["tandem"])
    for chosen in arguments.names or FILMS:
        FILMS[chosen](opened_application, arguments.pictures / f"{chosen}.webp")
