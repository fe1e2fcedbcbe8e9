"""Measures whether a token costs the window more at the end of a long answer than at its start, by kind of text.

In each kind of text the work could grow with the answer: one endless paragraph, list or table, thoughts that are
shown, an answer that is shown as its tokens.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from app.session.chats import Turn
from app.transcript.transcript import Transcript
from app.window.main_window import MainWindow
from tests.benchmarks.fake_engine import PARAGRAPH, SteadyEngine
from tests.benchmarks.frames import Frames
from tests.benchmarks.measured_window import PATIENCE_S, intervals, measured_window, median, spread, wait

_QUESTION = "Tell me everything about speculative decoding."
_FIFTHS = 5
_LINES = range(8000)


@dataclass(frozen=True)
class LongText:
    """A text whose tokens have `letters` letters; even a slow machine shows `rate` tokens a second."""

    text: str
    letters: int = 4
    rate: float = 1000.0
    unfolded: bool = False
    as_tokens: bool = False


TEXTS = {
    "paragraphs, lists and code": LongText(PARAGRAPH),
    "as tokens": LongText(PARAGRAPH, as_tokens=True),
    "one paragraph": LongText("A draft model guesses several tokens, and the main model checks them in one pass. "),
    "one Chinese paragraph": LongText("草稿模型先猜几个词，主模型一次检查全部，猜对的不花时间。", letters=2),
    "one code block": LongText(
        "```python\n" + "".join(f"kept_{line} = check(guesses[{line}])  # costs nothing\n" for line in _LINES)
    ),
    "one list": LongText("".join(f"{line}. guess {line}, with which the main model agrees\n" for line in _LINES)),
    "one table": LongText("| guess | kept |\n|---|---|\n" + "".join(f"| word {line} | yes |\n" for line in _LINES)),
    "formulas": LongText("".join(f"It adds $x_{{{n}}}^2$.\n\n$$\\frac{{{n}}}{{x}}$$\n\n" for n in _LINES), rate=400.0),
    "unfolded thoughts": LongText(
        "<think>\n" + "".join(f"{PARAGRAPH}Round {n}.\n\n" for n in range(500)), unfolded=True
    ),
}


def growth(application: Any, tokens: int) -> dict[str, Any]:
    """Measure each kind of text: the times between frames, and the Qt thread's processor time for 1,000 tokens.

    The latter is in seconds, by fifths of the answer.
    """
    return {name: measured(application, kind, tokens) for name, kind in TEXTS.items()}


def measured(application: Any, kind: LongText, tokens: int) -> dict[str, Any]:
    """Show one answer of a kind, and measure its time."""
    engine, frames = SteadyEngine(kind.rate, tokens, kind.text, kind.letters), Frames()
    spent: list[tuple[int, float]] = []
    with measured_window(application, lambda: engine, 0) as (window, session):
        turn = session.answers.ask(_QUESTION)
        answer = turn.answer
        _show(window, turn, kind)
        session.frame_begins.connect(lambda: spent.append((len(answer.tokens), time.thread_time())))
        with frames.recording(session, window, lambda: bool(answer.tokens)):
            wait(lambda: answer.ended, tokens / kind.rate + PATIENCE_S)
    fifth = len(answer.tokens) // _FIFTHS
    # The first frames of a window do not belong to the answer.
    begins = [fifth // 4, *(fifth * index for index in range(1, _FIFTHS))]
    return {
        "tokens": len(answer.tokens),
        "tokens_per_second": kind.rate,
        "fifths": [_cost(spent, begin, fifth * (index + 1)) for index, begin in enumerate(begins)],
        "median_ms": median(frames.busy_ms),
        "worst_ms": max(frames.busy_ms, default=0.0),
        **intervals(frames),
    }


def _show(window: MainWindow, turn: Turn, kind: LongText) -> None:

    transcript = window.findChild(Transcript)
    assert transcript is not None
    transcript.set_as_tokens(kind.as_tokens)
    if kind.unfolded:
        transcript.view(turn).thinking.unfold()


def _cost(spent: list[tuple[int, float]], first: int, last: int) -> float:
    """Return seconds for 1,000 tokens between two counts, each of (count, seconds so far)."""
    inside = [entry for entry in spent if first <= entry[0] <= last]
    if not inside:
        return 0.0
    return 1000 * (inside[-1][1] - inside[0][1]) / max(1, inside[-1][0] - inside[0][0])


def lines(report: dict[str, Any]) -> list[str]:
    """Format the result of `growth`."""
    told = []
    for name, run in report.items():
        costs = ", ".join(f"{cost:.3f}" for cost in run["fifths"])
        told.append(
            f"{run['tokens']} tokens at {run['tokens_per_second']:.0f}/s, {name}: {costs} s for 1,000 tokens in each "
            f"fifth; from frame to frame: {spread(run)}"
        )
    return told
