"""Measures what the tints of a streaming answer cost the Qt thread: the same answers with them and without, in turns.

Each round of 1 to 16 tokens of the starter pair's tokenizer has a frame of its own, as rounds of an engine do. The cost
is processor time of the Qt thread. The same round is measured once in each answer, and its median counts: what else the
window or the computer does in a round of one of the answers changes nothing. What is counted never changes: how often
texts are painted and laid out, and how many functions the thread calls.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any
from unittest.mock import patch

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget

from app.session.session import Session
from app.system.display import has_display
from app.widgets.application import Application
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
# As long as rounds of a model of a few billion parameters take, so that each has a frame.
_ROUND_S = 0.02
_MOST = 16
# Longer than the tints of the answer before take to fade.
SETTLE_S = 3.0


@dataclass
class Cost:
    """What one answer took of the Qt thread: seconds of the processor, by round, and what it did in all of them."""

    seconds: list[float] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class Counted(QObject):
    """Counts the paints and layouts of texts, and the functions that this thread calls."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self.counts: Counter[str] = Counter()
        self._application = application

    @contextmanager
    def counting(self, *, calls: bool) -> Iterator[None]:
        """Count meanwhile; with `calls`, each call of a function, too, which takes much longer."""
        self._application.installEventFilter(self)
        if calls:
            sys.setprofile(self._count_call)
        try:
            yield
        finally:
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


def streamed(engine: RoundsEngine, session: Session, rounds: Sequence[DraftedRound], *, calls: bool) -> Cost:
    """Show one answer in a new chat, a round a frame, and return what it took."""
    session.chats.new_chat()
    _run(SETTLE_S)
    engine.rounds = rounds
    answer = session.answers.ask("What is a draft model?").answer
    wait(lambda: engine.is_asked, PATIENCE_S)
    counted = Counted(QApplication.instance())
    seconds = []
    with counted.counting(calls=calls):
        begins = time.thread_time()
        while engine.deliver():
            _run(_ROUND_S)
            ends = time.thread_time()
            seconds.append(ends - begins)
            begins = ends
    wait(lambda: answer.ended, PATIENCE_S)
    return Cost(seconds, counted.counts)


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
    with patch("app.transcript.turn_view.TurnView._take_tokens", lambda _view, _answer, **_how: None):
        yield


def compared(application: Any, texts: Sequence[str], repetitions: int) -> dict[str, Any]:
    """Show each text so often with tints and without, in turns, and once each with its calls counted.

    Return, by text, the seconds of each round of each answer and the counts of one.
    """
    engine = RoundsEngine()
    report: dict[str, Any] = {}
    with measured_window(application, lambda: engine, 0) as (_window, session):
        streamed(engine, session, rounds_of(_SENTENCES, 0), calls=False)
        for name in texts:
            rounds = rounds_of(TEXTS[name], len(name))
            seconds: dict[bool, list[list[float]]] = {True: [], False: []}
            for number in range(repetitions):
                # What a window does after a while should not fall on the same one each time.
                for shown in (True, False) if number % 2 else (False, True):
                    with tints_shown(shown):
                        seconds[shown].append(streamed(engine, session, rounds, calls=False).seconds)
            counts = {}
            for shown in (True, False):
                with tints_shown(shown):
                    counts[shown] = dict(streamed(engine, session, rounds, calls=True).counts)
            report[name] = {
                "rounds": len(rounds),
                "with_s": seconds[True],
                "without_s": seconds[False],
                "counts_with": counts[True],
                "counts_without": counts[False],
            }
    return report


def cost_of_round(answers: Sequence[Sequence[float]]) -> float:
    """Return the mean of the medians of each round, from the seconds of the rounds of the same answer several times."""
    return statistics.fmean(statistics.median(same_round) for same_round in zip(*answers, strict=True))


def lines(report: dict[str, Any]) -> list[str]:
    """Format the result of `compared`."""
    told = []
    for name, answer in report.items():
        rounds = answer["rounds"]
        counts = ", ".join(
            f"{what} {answer['counts_with'].get(what, 0) / rounds:.1f} and {count / rounds:.1f}"
            for what, count in sorted(answer["counts_without"].items())
        )
        shown = cost_of_round(answer["with_s"])
        plain = cost_of_round(answer["without_s"])
        pairs = zip(answer["with_s"], answer["without_s"], strict=True)
        ratios = sorted(sum(tinted) / sum(untinted) for tinted, untinted in pairs)
        told.append(
            f"{name}, {rounds} rounds: {1000 * shown:.2f} ms a round with tints and {1000 * plain:.2f} without, "
            f"{shown / plain:.3f} times (pairs {ratios[0]:.3f} to {ratios[-1]:.3f}); a round: {counts}"
        )
    return told


def main() -> None:
    """Measure and print."""
    parser = options.parser_of(__doc__)
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
