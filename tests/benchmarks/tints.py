"""Measures what the tints of a streaming answer cost the Qt thread: the same answers with them and without, in turns.

Each round of 1 to 16 tokens of the starter pair's tokenizer has a frame of its own, as rounds of an engine do. The cost
of a round is processor time of the Qt thread, from its arrival until the next one's. A lap is one answer in a new chat
of the same window; laps with tints and without come in a random order. The median of the same round in all laps counts,
so that what else the window or the computer does in some of them changes nothing, and a bootstrap over the laps tells
how sure the result is. What is counted never changes: how often texts are painted and laid out, how many functions the
thread calls, and how many lines of our code it runs.
"""

from __future__ import annotations

import gc
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import add, truediv
from types import FrameType
from typing import Any
from unittest.mock import patch

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget

from app.session.session import Session
from app.system.display import has_display
from app.widgets.application import Application
from tests import counted_steps
from tests.app.random_rounds import starter_tokenizer, token_texts
from tests.benchmarks import options
from tests.benchmarks.fake_engine import DraftedRound, RoundsEngine
from tests.benchmarks.measured_window import PATIENCE_S, measured_window, wait

_SENTENCES = (
    "A draft model guesses the next tokens, and the main model checks all of them in **one** pass. What it agrees with "
    "is kept; the first token that it would have written differently is replaced by its own, and so the text is the "
    "same as without drafts. Where `depth` is too large, most guesses are lost, and time with them. "
)
TEXTS = {
    "paragraph": _SENTENCES * 4,
    "list": "".join(
        f"{line}. A right guess costs nothing, and a wrong one a *little* of step {line}.\n" for line in range(1, 25)
    ),
    "code block": "```python\n"
    + "".join(f"def step_{line}(guesses):\n    return [check(guess) for guess in guesses]\n\n" for line in range(18))
    + "```\n",
    "table": "| Round | Guess | Kept |\n|---|---|---|\n"
    + "".join(f"| {row} | {row % 7} tokens | **{row % 5}** of them |\n" for row in range(26)),
    "Korean": (
        "초안 모델이 다음 토큰을 먼저 제안하고, 메인 모델이 **한 번에** 모두 확인합니다. "
        "맞은 것은 그대로 두고 처음 틀린 것만 바꿉니다. "
    )
    * 6,
}
_MOST = 16
# The milliseconds from the beginning of a frame in which a round is shown, when the window has painted it, to the next
# round, which arrives before the next frame.
_REST_MS = 8
# Seconds for a new chat to settle.
SETTLE_S = 0.3
_RESAMPLES, _SURE = 1000, 0.95
# The seconds of each round of laps of the same answer.
Laps = Sequence[Sequence[float]]


@dataclass
class Lap:
    """What one answer took of the Qt thread: seconds of the processor, by round, and what it did in all of them."""

    seconds: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Ratio:
    """How many times as much an answer costs with tints, and between what that is with a probability of 95 %."""

    ratio: float
    low: float
    high: float


class Counted(QObject):
    """Counts the paints and layouts of texts, and the functions and lines that this thread runs."""

    def __init__(self, application: Any) -> None:
        super().__init__(application)
        self.counts: Counter[str] = Counter()
        self._application = application

    def run(self, work: Callable[[], object]) -> None:
        """Do work and count meanwhile."""
        self._application.installEventFilter(self)
        sys.setprofile(self._count_call)
        self.counts["lines"] += counted_steps.lines(work)
        sys.setprofile(None)
        self._application.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            is_text = isinstance(watched.parent(), QTextEdit | QPlainTextEdit)
            self.counts["paints of texts" if is_text else "other paints"] += 1
        elif event.type() == QEvent.Type.LayoutRequest:
            self.counts["layouts"] += 1
        return False

    def _count_call(self, _frame: FrameType, event: str, _argument: object) -> None:
        if event in ("call", "c_call"):
            self.counts["calls"] += 1


class AnswerLaps:
    """Shows answers in new chats of a window, round by round."""

    def __init__(self, engine: RoundsEngine, session: Session) -> None:
        self._engine = engine
        self._session = session
        self._loop = QEventLoop()
        self._rest = QTimer(singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._loop.quit)
        session.frame_begins.connect(self._rest.start)

    def show(self, rounds: Sequence[DraftedRound], *, counts: bool = False) -> Lap:
        """Show an answer, each round in its frame, and return what it took.

        With `counts`, it is counted what the thread does, which takes many times as long.
        """
        self._session.chats.new_chat()
        self._engine.rounds = rounds
        answer = self._session.answers.ask("What is a draft model?").answer
        wait(lambda: self._engine.is_asked, PATIENCE_S)
        _run(SETTLE_S)
        gc.collect()
        lap = Lap()
        if counts:
            counted = Counted(QApplication.instance())
            counted.run(lambda: self._stream(lap))
            lap.counts = counted.counts
        else:
            self._stream(lap)
        wait(lambda: answer.ended, PATIENCE_S)
        return lap

    def _stream(self, lap: Lap) -> None:
        """Show the rounds of the answer that was asked for."""
        while self._engine.deliver():
            begins = time.thread_time()
            self._loop.exec()
            lap.seconds.append(time.thread_time() - begins)


def rounds_of(text: str, seed: int) -> list[DraftedRound]:
    """Return the rounds in which a text arrives: most of the tokens of each are drafted, the last one is not."""
    draw = random.Random(seed)
    pieces = token_texts(text, starter_tokenizer())
    rounds = []
    while pieces:
        count = draw.randint(1, _MOST)
        rounds.append(DraftedRound(tuple(pieces[:count]), draw.choice(("draft", "draft", "ngram"))))
        pieces = pieces[count:]
    return rounds


def _run(seconds: float) -> None:
    """Run the event loop for so long."""
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()


@contextmanager
def tints_shown(shown: bool) -> Iterator[None]:
    """Take the tokens of answers as the window does meanwhile, or none of them."""
    if shown:
        yield
        return
    # A mock would call functions of its own.
    with patch("app.transcript.tints.turn_tokens.TurnTokens.refresh", lambda _tokens: None):
        yield


def compared(application: Any, texts: Sequence[str], repetitions: int) -> dict[str, Any]:
    """Show each text so often with tints and without, in a random order, and once each with its steps counted.

    Return, by text, the seconds of each round of each answer and the counts of one.
    """
    engine = RoundsEngine()
    draw = random.Random(0)
    rounds = {name: rounds_of(TEXTS[name], len(name)) for name in texts}
    seconds: dict[str, dict[bool, list[list[float]]]] = {name: {True: [], False: []} for name in texts}
    counts: dict[str, dict[bool, Counter[str]]] = {name: {} for name in texts}
    with measured_window(application, lambda: engine, 0) as (_window, session):
        laps = AnswerLaps(engine, session)
        laps.show(rounds_of(_SENTENCES, 0))
        for _ in range(repetitions):
            for name in draw.sample(texts, len(texts)):
                for shown in draw.sample((True, False), 2):
                    with tints_shown(shown):
                        seconds[name][shown].append(laps.show(rounds[name]).seconds)
        for name in texts:
            for shown in (True, False):
                with tints_shown(shown):
                    counts[name][shown] = laps.show(rounds[name], counts=True).counts
    return {
        name: {
            "rounds": len(rounds[name]),
            "with_s": seconds[name][True],
            "without_s": seconds[name][False],
            "counts_with": counts[name][True],
            "counts_without": counts[name][False],
        }
        for name in texts
    }


def cost_of_round(laps: Laps) -> float:
    """Return the mean of the medians of each round, from the seconds of the rounds of the same answer several times."""
    return statistics.fmean(statistics.median(same_round) for same_round in zip(*laps, strict=True))


def at_one_speed(shown: Laps, plain: Laps) -> tuple[Laps, Laps]:
    """Return the laps as if all had run at the usual speed of the computer, which neighbours share."""
    together = [list(map(add, *pair)) for pair in zip(shown, plain, strict=True)]
    usual = [statistics.median(same_round) for same_round in zip(*together, strict=True)]
    slowness = [statistics.median(map(truediv, lap, usual)) for lap in together]
    return _divided(shown, slowness), _divided(plain, slowness)


def _divided(laps: Laps, slowness: Sequence[float]) -> Laps:
    return [[seconds / slow for seconds in lap] for lap, slow in zip(laps, slowness, strict=True)]


def ratio_of(shown: Laps, plain: Laps) -> Ratio:
    """Return how many times as much answers with tints cost as those without, of which each has one beside it."""
    draw = random.Random(0)
    shown, plain = at_one_speed(shown, plain)
    ratios = []
    for _ in range(_RESAMPLES):
        drawn = draw.choices(range(len(shown)), k=len(shown))
        ratios.append(cost_of_round([shown[lap] for lap in drawn]) / cost_of_round([plain[lap] for lap in drawn]))
    ratios.sort()
    beyond = round((1 - _SURE) / 2 * _RESAMPLES)
    return Ratio(cost_of_round(shown) / cost_of_round(plain), ratios[beyond], ratios[-beyond - 1])


def lines(report: dict[str, Any]) -> list[str]:
    """Format the result of `compared`."""
    told = []
    for name, answer in report.items():
        rounds = answer["rounds"]
        counts = ", ".join(
            f"{what} {answer['counts_with'].get(what, 0) / rounds:.1f} and {count / rounds:.1f}"
            for what, count in sorted(answer["counts_without"].items())
        )
        shown = 1000 * cost_of_round(answer["with_s"])
        plain = 1000 * cost_of_round(answer["without_s"])
        times = ratio_of(answer["with_s"], answer["without_s"])
        told.append(
            f"{name}, {rounds} rounds: {shown:.2f} ms a round with tints and {plain:.2f} without, {times.ratio:.3f} "
            f"times (95 %: {times.low:.3f} to {times.high:.3f}); a round: {counts}"
        )
    return told


def main() -> None:
    """Measure and print."""
    parser = options.parser_of(__doc__, repetitions=False)
    parser.add_argument("--repetitions", type=int, default=20, metavar="N", help="laps of each kind (20)")
    parser.add_argument("--texts", nargs="+", choices=list(TEXTS), default=list(TEXTS), help="which kinds (all)")
    arguments = parser.parse_args()
    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_NO_GLIB"] = "1"
    application = Application(["tandem"], "en")
    report = compared(application, arguments.texts, arguments.repetitions)
    options.show(arguments, report, lambda found: print("\n".join(lines(found))))


if __name__ == "__main__":
    main()
